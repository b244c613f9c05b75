"""Notes as they come in: validation, and import in batches."""
