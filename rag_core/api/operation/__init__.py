"""The contract of operators: liveness, readiness, figures of the process."""
