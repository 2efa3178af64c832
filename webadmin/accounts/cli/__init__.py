"""The verbs of accounts."""
