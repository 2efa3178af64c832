"""A site whose pages are met again: its store, its cases, and what a crawl or an import does with a response."""

from datetime import datetime
from typing import Any

from core.pages import Reading
from core.ports import KeptPages
from tests.support.memory_pages import MemoryPageStore, MemoryWorkStore
from tests.support.records import MOMENT, match, outcome, response
from webadmin.accounts.models import RightsHolder
from webadmin.cases.services.case_repository import DjangoCaseRepository
from webadmin.sites.models import Site
from webadmin.works.models import Chapter, Work

INNOCENT = "此页已删除"  # every other text took from the work


class MetSite:
    """A site of a rights holder with one work, whose text is `a`."""

    def __init__(self, compared_at: datetime | None = None) -> None:
        """compared_at: when every page is compared; at once where it is not given."""
        holder = RightsHolder.objects.create(name="甲")
        work = Work.objects.create(rights_holder=holder, title="河")
        Chapter.objects.create(work=work, number=1, text_id="a", chars=8)
        self.site = Site.objects.create(rights_holder=holder, name="盗版站", start_urls="http://pirate.example/")
        self.store: KeptPages = MemoryPageStore()
        self.book = DjangoCaseRepository(MemoryWorkStore())
        self._compared_at = compared_at

    def meet(self, url: str, text: str, at: datetime = MOMENT, **reading: Any) -> None:
        fetched = response(self.site.pk, url, text.encode(), at)
        stored = self.store.put(fetched, Reading(title="某页", text=text, **reading))
        self.compare(stored.version_id, at)

    def compare(self, version: str, now: datetime) -> None:
        """Do what `pipeline.steps.compare_pages` does, with findings that are known."""
        of_page = self.store.on_pages([version])  # type: ignore[list-item]
        if not self.book.find_uncompared(of_page, 1):
            self.book.mark_seen(of_page, now)
            return
        seen = of_page[0]
        found = [match("a")] if seen.version.reading.text != INNOCENT else []
        times = {"first_seen": seen.sighted.first, "seen_at": seen.sighted.last, "at": self._compared_at or now}
        self.book.open_or_update_cases([outcome(seen.version, *found, is_current=seen.is_current, **times)])
