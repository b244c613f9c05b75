"""Primitives that keep one slow or failing dependency from taking the rest with it; they import errors alone."""
