"""Golden sets: queries, relevance, import and export, proposals."""
