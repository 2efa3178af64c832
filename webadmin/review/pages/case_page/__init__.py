"""The page of one case, and its downloads."""
