"""The history of a crawled page."""
