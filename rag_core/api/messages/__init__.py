"""Error messages of the API, a module a language."""
