"""The verbs of notices."""
