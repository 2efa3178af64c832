"""Facts of the machine that crawls, noted once for each crawl process."""
