"""The watchlist: sites, their rules and schedules, crawls, discovery, families."""
