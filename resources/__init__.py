"""Dagster resources: what a run is given, opened when it begins and closed when it ends. Wiring only."""
