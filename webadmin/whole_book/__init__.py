"""A work beside a site, on one page and as a file."""
