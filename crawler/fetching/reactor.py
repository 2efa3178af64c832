"""Twisted's reactor, for code that runs during a crawl."""

from typing import Any


def running_reactor() -> Any:
    """Return the reactor that Scrapy has installed."""
    from twisted.internet import reactor  # an import at the top would install a reactor before Scrapy chooses one

    return reactor
