"""The watch list: sites, their rules and schedules, crawls, discovery, families."""
