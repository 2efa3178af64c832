"""Scrapy's downloader middlewares of a crawl, each with the order that it has there (crawler.scrapy_settings)."""
