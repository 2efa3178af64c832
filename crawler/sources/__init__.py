"""Sources of pages besides links: sitemaps, feeds, lists, novels, archives, search."""
