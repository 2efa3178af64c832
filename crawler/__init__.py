"""From an address to what was read there: Scrapy at the rim, plain functions over bytes and text inside."""
