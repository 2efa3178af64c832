"""The verbs of cases."""
