"""The spiders, which are the part of the crawl that Scrapy runs."""
