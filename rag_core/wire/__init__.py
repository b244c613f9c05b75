"""Retrievals and answers as JSON, the same over HTTP and with --json."""
