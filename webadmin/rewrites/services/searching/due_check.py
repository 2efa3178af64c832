"""Checks whether a search by meaning is due. They run each minute, on database indexes only."""

from pipeline.steps import Ports
from webadmin.rewrites.services import due_searches
from webadmin.rewrites.services.due_searches import MeaningWatch


def has_due_searches(ports: Ports) -> bool:
    """Return True if a page is due for a comparison by meaning, or a newer text for a search."""
    return any(is_search_due(watch, ports) for watch in due_searches.watches())


def is_search_due(watch: MeaningWatch, ports: Ports) -> bool:
    """Return True if a search is due for one rights holder."""
    until = due_searches.newest(watch)
    if until is not None and due_searches.due_pages(watch, until, 1):
        return True
    return due_searches.has_news(watch) and not lags(watch, ports)


def lags(watch: MeaningWatch, ports: Ports) -> bool:
    """Return True if pages must first be searched for copies of newer texts."""
    return watch.holder in ports.cases.lags(ports.algorithm.id)
