"""Lists and forms of sites, crawl runs, URLs and discovery, rechecks of pages, and trials of rules."""
