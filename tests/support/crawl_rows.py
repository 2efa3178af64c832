"""Make what crawls, archives and searches leave in the admin database, with sensible defaults."""

from datetime import UTC, datetime, timedelta
from typing import Any

from core.ids import digest
from core.matches import MatchClass
from core.states import Rejection
from core.wording import Message
from tests.support.copied_texts import page_text
from webadmin.sites.models import (
    Address,
    ArchiveImport,
    CrawlRun,
    DiscoveredPage,
    DiscoveryQuery,
    PageRecord,
    Site,
    SiteMove,
)
from webadmin.works.models import Work

NOW = datetime(2026, 3, 10, 4, 0, tzinfo=UTC)  # noon in Shanghai
SLOW = Message("core.verbatim", text="https://slow.example/9 did not answer in 30 s")  # as another program said it


def run(of: Site, state: str = CrawlRun.State.FINISHED, due_at: datetime = NOW, **fields: Any) -> CrawlRun:
    """A crawl run in any state, with the figures that a finished one has."""
    given: dict[str, Any] = {"trigger": CrawlRun.Trigger.SCHEDULE}
    if state in {CrawlRun.State.FINISHED, CrawlRun.State.FAILED}:
        given |= {
            "started_at": due_at,
            "heartbeat_at": due_at + timedelta(minutes=7),
            "finished_at": due_at + timedelta(minutes=7),
            "pages_fetched": 84,
            "pages_stored": 61,
            "new_versions": 12,
            "failed_requests": 2,
            "counts": {"requested": 90, "fetched": 84, "rejected": {"robots": 3, "no_main_text": 20}, "unchanged": 49},
            "faults": [not_fetched(f"https://{of.name}.example/9"), SLOW],
            "finish_reason": Message("run.finished" if state == CrawlRun.State.FINISHED else "crawl.died"),
        }
    return CrawlRun.objects.create(site=of, state=state, due_at=due_at, **{**given, **fields})


def address(of: PageRecord) -> Address:
    """The address that a page was fetched from, which failed once since."""
    return Address.objects.create(
        id=digest(f"address of {of.pk}".encode())[:40],
        site=of.site,
        url=of.url,
        depth=1,
        kind=Address.Kind.DETAIL,
        found_at=of.first_seen,
        seen_at=of.last_seen,
        due_at=of.last_seen + timedelta(days=1),
        page_id=of.pk,
        page_url=of.url,
        version_id=of.version_id,
        looks=4,
        unchanged_looks=3,
        failures=1,
        failed_at=NOW,
        reason=Rejection.HTTP_ERROR,
        sentence=not_fetched(of.url),
    )


def not_fetched(url: str) -> Message:
    """A fault with a reason in it."""
    return Message("core.not-fetched", url=url, reason=Message("search.robots"))


def site_move(of: Site, to_host: str) -> SiteMove:
    """A proposed move of a site to another host."""
    host = of.domains.order_by("pk")[0].host
    evidence = {
        "start_pages_led": 1,
        "pages_led": 2,
        "same_place": 2,
        "known_pages": 6,
        "shared_texts": 2,
        "compared": 2,
        "alike": 2,
        "template": 0.93,
        "examples": [[f"https://{host}/book/1.html", f"https://{to_host}/book/1.html"]],
    }
    return SiteMove.objects.create(site=of, from_host=host, to_host=to_host, evidence=evidence, proposed_at=NOW)


def archive_import(of: Site, name: str) -> ArchiveImport:
    """An archive file of a site that was read to its end."""
    return ArchiveImport.objects.create(
        rights_holder=of.rights_holder,
        site=of,
        path=f"/srv/imports/{name}",
        size_bytes=73_400_320,
        state=ArchiveImport.State.FINISHED,
        counts={"records": 120, "stored": 61, "new_versions": 12},
        faults=[Message("core.unreadable", path=name, reason=Message("intake.damaged", kind=".warc"))],
        heartbeat_at=NOW,
        finished_at=NOW,
    )


def discovery_query(about: Work, sentence: str) -> DiscoveryQuery:
    """A sentence that a search engine answered."""
    return DiscoveryQuery.objects.create(
        work=about,
        chapter_number=1,
        sentence=sentence,
        state=DiscoveryQuery.State.ANSWERED,
        asked_at=NOW - timedelta(hours=2),
        results=8,
        left_out={"own_site": 1, "licensed": 2},
    )


def discovered_page(of: DiscoveryQuery, host: str, title: str) -> DiscoveredPage:
    """A page that copies the work of a query, and waits for a person."""
    url = f"https://{host}/read/1.html"
    return DiscoveredPage.objects.create(
        work=of.work,
        query=of,
        url=url,
        url_digest=digest(url.encode()),
        host=host,
        title=title,
        match_class=MatchClass.LIGHTLY_EDITED,
        similarity=0.94,
        matched_chars=260,
        excerpt=page_text(1)[:120],
        found_at=NOW - timedelta(hours=1),
    )
