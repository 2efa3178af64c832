"""Template tags of the reviewer's pages."""
