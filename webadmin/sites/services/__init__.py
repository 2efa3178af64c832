"""The watchlist, crawls, imports, discovery, and families of sites."""
