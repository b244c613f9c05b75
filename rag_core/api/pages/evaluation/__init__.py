"""Web pages of evaluation."""
