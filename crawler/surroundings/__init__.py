"""Records facts about the machine that crawls, once per crawl process."""
