"""Who reads pages beside a crawl: threads of its own, and a process once they are too slow."""
