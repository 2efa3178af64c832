"""What is noted of the machine that crawls, once for each crawl process."""
