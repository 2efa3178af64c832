"""One crawl by several processes, held together by Redis."""
