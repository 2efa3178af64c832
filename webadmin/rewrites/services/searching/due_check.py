"""Checks whether a search by meaning is due: called each minute, and answered by indexes."""

from pipeline.steps import Ports
from webadmin.rewrites.services import due_searches
from webadmin.rewrites.services.due_searches import MeaningWatch


def has_due_searches(ports: Ports) -> bool:
    """Return true if any page is to be compared by meaning, or any text to be looked for."""
    return any(is_search_due(watch, ports) for watch in due_searches.watches())


def is_search_due(watch: MeaningWatch, ports: Ports) -> bool:
    """Return the same for one rights holder."""
    until = due_searches.newest(watch)
    if until is not None and due_searches.due_pages(watch, until, 1):
        return True
    return due_searches.has_news(watch) and not lags(watch, ports)


def lags(watch: MeaningWatch, ports: Ports) -> bool:
    """Return true if pages have still to be searched for copies of newer texts: these come first."""
    return watch.holder in ports.cases.lags(ports.algorithm.id)
