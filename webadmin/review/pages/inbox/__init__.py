"""The landing page, which lists pending matters, the most harmful first."""
