"""Scrapy's downloader middlewares of a crawl; crawler.scrapy_settings defines their order."""
