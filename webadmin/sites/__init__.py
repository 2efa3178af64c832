"""The watchlist: sites with their rules and schedules, crawls, discovery, and families of sites."""
