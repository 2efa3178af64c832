"""The verbs of sites."""
