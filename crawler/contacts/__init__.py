"""Where a site says that it can be reached: read from pages that a crawl fetches anyway."""
