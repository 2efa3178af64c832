"""Sources of pages other than links: sitemaps, feeds, lists, novels, archives, search."""
