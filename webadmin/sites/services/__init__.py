"""Services of sites: the watchlist, crawls, imports, discovery and families."""
