"""The rules of review: no HTML."""
