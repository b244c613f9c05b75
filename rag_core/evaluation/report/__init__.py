"""Reports of evaluation runs: Markdown and charts."""
