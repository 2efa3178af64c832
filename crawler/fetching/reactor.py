"""Twisted's reactor, for code that runs during a crawl."""

from typing import Any


def running_reactor() -> Any:
    """Return the reactor that Scrapy chose."""
    from twisted.internet import reactor  # a top-level import would install a reactor before Scrapy chooses one

    return reactor
