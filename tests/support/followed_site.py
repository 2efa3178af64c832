"""A site with copies of a work that is really crawled, compared and followed, at moments that the test chooses."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from core.ids import SiteId, VersionId
from pipeline import steps
from tests.crawler.crawl_process import plan_of, settings_of
from tests.crawler.visited_site import START, CarriedStore, VisitedSite
from tests.support import admin_data
from tests.support.desk_chain import DeskChain
from tests.support.memory_evidence import MemoryEvidenceStore
from tests.support.web_server import WebServer
from webadmin import stores
from webadmin.cases.models import Case
from webadmin.notices.services.removals import following as removals
from webadmin.sites.models import CrawlRun
from webadmin.sites.services.visit_repository import DjangoVisitRepository


class FollowedSite:
    """The site of a desk, crawled in processes of its own; each crawl is a run that has ended."""

    def __init__(self, server: WebServer, patch: pytest.MonkeyPatch, *texts: str) -> None:
        self.desk, self.server = DeskChain(patch, *texts), server
        plan = replace(plan_of(server.url()), site_id=SiteId(str(self.desk.site.pk)))
        self.visited = VisitedSite(plan, settings_of(server.netloc), store=CarriedStore())
        self.evidence = MemoryEvidenceStore()
        patch.setattr(stores, "page_store", lambda: self.visited.store)
        patch.setattr(stores, "evidence_store", lambda: self.evidence)
        type(self.desk.site).objects.filter(pk=self.desk.site.pk).update(start_urls=server.url())
        self.desk.site.refresh_from_db()
        self.now = START

    @property
    def ports(self) -> steps.Ports:
        given = {name: getattr(self.desk.ports, name) for name in steps.Ports.__slots__}
        return steps.Ports(**{**given, "pages": self.visited.store, "outbox": self.desk.outbox})

    def crawl(self, after: timedelta = timedelta(0), *paths: str, **fields: Any) -> removals.RoundCounts:
        """A crawl at START + `after`, of these pages alone where some are named; what it saw is compared and told."""
        self.now = START + after
        # Begins a minute before what it sees, as a crawl does.
        given = {"state": CrawlRun.State.FINISHED, "due_at": self.now - timedelta(minutes=1), "started_at": self.now}
        only = tuple(self.server.url(path) for path in paths)
        plan = self.visited.plan
        self.visited.plan = replace(plan, only_urls=only)
        self.visited.crawl(after)
        self.visited.plan = plan
        site = SiteId(str(self.desk.site.pk))
        DjangoVisitRepository().save(site, list(self.visited.book.visits(site)))
        CrawlRun.objects.create(
            site=self.desk.site, only_urls="\n".join(only), finished_at=self.now, **{**given, **fields}
        )
        self._compare()
        return self.follow()

    def follow(self, after: timedelta | None = None) -> removals.RoundCounts:
        """One round of what follows removals."""
        self._set_clock(self.now if after is None else START + after)
        return removals.follow_removals(self.ports, self.evidence)

    def confirm_all(self) -> None:
        for case in Case.objects.all():
            admin_data.decided(case, self.desk.manager)

    def case(self, path: str) -> Case:
        return Case.objects.get(page_url=self.server.url(path))

    def _compare(self) -> None:
        """As messages of the crawl would have it: every version that pages show now."""
        self._set_clock(self.now)
        pages = self.visited.store.pages(None, 1_000)
        steps.compare_pages([VersionId(page.current_version) for page in pages], self.ports)

    def _set_clock(self, at: datetime) -> None:
        clock: Any = self.desk.ports.clock
        clock.advance((at - clock.now()).total_seconds())
