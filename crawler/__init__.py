"""Crawls sites and reads their pages: Scrapy at the rim, plain functions over bytes and text inside."""
