"""Scrapy's downloader middlewares for a crawl. crawler.scrapy_settings defines their order."""
