"""Running an installation: start, supervision, status and diagnosis of its processes."""
