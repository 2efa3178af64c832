"""The verbs of suspected rewrites."""
