"""Spiders: Scrapy's part of the crawl."""
