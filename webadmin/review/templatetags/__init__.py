"""Template tags for the reviewers' pages."""
