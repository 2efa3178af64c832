"""Whether anything is to be compared by meaning: asked each minute, and answered by indexes."""

from pipeline.steps import Ports
from webadmin.rewrites.services import owed
from webadmin.rewrites.services.owed import Watch


def owes_anything(ports: Ports) -> bool:
    """Whether any page is to be compared by meaning, or any text to be looked for."""
    return any(owes(watch, ports) for watch in owed.watches())


def owes(watch: Watch, ports: Ports) -> bool:
    """The same of one rights holder."""
    until = owed.newest(watch)
    if until is not None and owed.owing_pages(watch, until, 1):
        return True
    return owed.has_news(watch) and not lags(watch, ports)


def lags(watch: Watch, ports: Ports) -> bool:
    """Whether pages have still to be searched for copies of newer texts: these come first."""
    return watch.holder in ports.cases.lags(ports.algorithm.id)
