"""The verbs of works."""
