"""What Scrapy's engine is busy with."""

from typing import Any


def is_quiet(engine: Any) -> bool:
    """Whether nothing is asked for, waits to be, or is being read."""
    if engine is None:
        return True
    slot, scraper = engine._slot, engine.scraper.slot
    is_idle = slot is None or not (slot.inprogress or slot.scheduler.has_pending_requests())
    return is_idle and (scraper is None or bool(scraper.is_idle()))
