"""Twisted's reactor, for code that runs while a crawl does."""

from typing import Any


def running_reactor() -> Any:
    """Return the reactor that Scrapy chose."""
    from twisted.internet import reactor  # importing it at the top would install one before Scrapy chooses

    return reactor
