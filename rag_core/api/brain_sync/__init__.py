"""The contract of Brain Sync: retrieval, evaluation, golden sets, notes, migration."""
