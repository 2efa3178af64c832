"""Facts about the machine that crawls, recorded once per crawl process."""
