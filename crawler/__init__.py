"""Crawls sites and reads their pages. Only the outer layer uses Scrapy; the inner functions take bytes and text."""
