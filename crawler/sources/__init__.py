"""Where pages come from besides links: sitemaps, feeds, lists, novels, archives, search."""
