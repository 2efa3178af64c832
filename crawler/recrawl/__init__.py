"""What earlier crawls know of addresses, and what a crawl makes of it."""
