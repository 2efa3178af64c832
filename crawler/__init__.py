"""Crawls sites and reads their pages. Scrapy is used at the edge; inside are plain functions on bytes and text."""
