"""How fast sites are crawled, and what the store keeps of a page."""
