"""The stored data of an installation by content, which are equal if two runs had the same result.

Rows are named by site, path and work, never by a number that depends on the order of events; times, and values derived
from them, are left out. Imported after Django is set up.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from django.conf import settings

from core.errors import BrokenInvariant
from core.ids import Digest, PageId, WorkTextId, digest
from core.pages import Page
from laboratory.chaos.plan import Options
from pipeline.connections import redis_client
from pipeline.pending import pending
from pipeline.redis_lock import MAINTENANCE, redis_lock
from webadmin.accounts.models import FailedMessage
from webadmin.cases.models import Case, CaseMatch, Exclusion, VerdictRecord
from webadmin.cases.services.maintenance import sweep_all
from webadmin.evidence.models import EvidenceBundle
from webadmin.evidence.services import bundles
from webadmin.evidence.services.making import live_evidence
from webadmin.notices.models import Notice, NoticeMail
from webadmin.sites.models import CrawlRun, Site
from webadmin.wiring import live
from webadmin.works.models import Chapter, Work

BATCH = 500


def left() -> dict[str, int]:
    """Return the amount of remaining work by kind. Raises RetryLater if a service does not answer."""
    ports, client = live(settings.ZHUIWEN), redis_client(settings.ZHUIWEN)
    waits = pending(client)
    found = {
        "runs": CrawlRun.objects.filter(state__in=CrawlRun.LIVE).count(),
        "messages": sum(waits.waiting.values()),
        "bundles": len(bundles.unbundled_versions(BATCH)),
        "works": Work.objects.filter(chapters__indexed_at=None).count(),
    }
    if any(found.values()):
        return found
    with redis_lock(client, MAINTENANCE) as is_ours:
        return {"swept": int(not (is_ours and sweep_all(ports).found_nothing))}


def everything(options: Options) -> dict[str, list[str]]:
    """Return all stored things by kind, one line for each, sorted."""
    kinds = {
        "pages": _pages(),
        "versions": _versions(),
        "raw bodies": _raw_bodies(),
        "captures": _captures(),
        "states of pages": _states(),
        "texts of works": _texts_of_works(),
        "fingerprints": _fingerprints(),
        "findings": _findings(),
        "exclusions": _exclusions(),
        "cases": _cases(),
        "verdicts": _verdicts(),
        "bundles": _bundles(),
        "notices": _notices(),
        "mails": (
            f"{mail.notice.site.name} {mail.state}" for mail in NoticeMail.objects.select_related("notice__site")
        ),
        "damaged bundles": _damaged(),
        "failed runs": _failed_runs(),
        "failed messages": (f"{row.task} {row.error}" for row in FailedMessage.objects.all()),
    }
    return {name: sorted(lines) for name, lines in kinds.items()}


def _pages() -> Iterator[str]:
    for page in _stored_pages():
        yield _place(page.site_id, page.canonical_url)


def _versions() -> Iterator[str]:
    store = live(settings.ZHUIWEN).pages
    for page in _stored_pages():
        for version in store.versions(page.id):
            yield f"{_place(page.site_id, page.canonical_url)} {version.id}"


def _raw_bodies() -> Iterator[str]:
    """Yield a line for each raw body. Reads every body, because the store raises if its digest does not match."""
    store = live(settings.ZHUIWEN).pages
    for page in _stored_pages():
        for version in store.versions(page.id):
            with _damage_said() as said:
                body = store.raw(version.raw_digest)
                said.append(digest(body) if body is not None else "none")
            yield f"{_place(page.site_id, page.canonical_url)} {said}"


def _captures() -> Iterator[str]:
    """Yield the captures of pages without the parts that depend on the time."""
    store = live(settings.ZHUIWEN).pages
    for page in _stored_pages():
        for version in store.versions(page.id):
            with _damage_said() as said:
                capture = store.capture(version.capture_digest) if version.capture_digest else None
                said.append(capture.source if capture is not None else "none")
                for each in capture.exchanges if capture is not None else ():
                    said.append(f"{each.status} {urlsplit(each.url).path} {each.body_digest}")
            yield f"{_place(page.site_id, page.canonical_url)} {said}"


def _states() -> Iterator[str]:
    """Yield the states of each page, and its current version."""
    store = live(settings.ZHUIWEN).pages
    for page in _stored_pages():
        became = [state.version_id or "gone" for state in store.states(page.id)]
        yield f"{_place(page.site_id, page.canonical_url)} {became} {page.current_version}"


def _texts_of_works() -> Iterator[str]:
    store = live(settings.ZHUIWEN).works
    for chapter in Chapter.objects.select_related("work"):
        text = store.text(WorkTextId(chapter.text_id))
        sealed = digest(text.encode()) if text is not None else "none"
        yield f"{chapter.work.title} {chapter.number} {chapter.title} {sealed}"


@contextmanager
def _damage_said() -> Iterator[list[str]]:
    """Yield a list for the data read in the block; add a note if the data are damaged."""
    said: list[str] = []
    try:
        yield said
    except BrokenInvariant as error:
        said.append(f"damaged: {error}")


def _fingerprints() -> Iterator[str]:
    ports = live(settings.ZHUIWEN)
    for page in _stored_pages():
        kept = ports.fingerprints.get(page.current_version, ports.algorithm.id)
        sealed = digest(kept.payload) if kept else "none"
        yield f"{_place(page.site_id, page.canonical_url)} {sealed}"


def _findings() -> Iterator[str]:
    for match in CaseMatch.objects.select_related("case__page", "case__work"):
        yield f"{_of(match.case)} {match.chapter_title} {match.page_text_digest[:12]} {match.match_class}"


def _exclusions() -> Iterator[str]:
    for each in Exclusion.objects.select_related("page", "work"):
        yield f"{_place(each.page.site_id, each.page.url)} {each.work.title} {each.reason}"


def _cases() -> Iterator[str]:
    for case in Case.objects.select_related("page", "work"):
        yield f"{_of(case)} {case.state} {case.match_class} {case.taken_chars}"


def _verdicts() -> Iterator[str]:
    for given in VerdictRecord.objects.select_related("case__page", "case__work"):
        yield f"{_of(given.case)} {given.verdict} {given.note}"


def _bundles() -> Iterator[str]:
    for bundle in EvidenceBundle.objects.select_related("case__page", "case__work", "match"):
        yield f"{_of(bundle.case)} {bundle.match.chapter_title} {bundle.match.page_text_digest[:12]} {bundle.kind}"


def _notices() -> Iterator[str]:
    for notice in Notice.objects.select_related("site").prefetch_related("pages__case__page", "files", "events"):
        pages = sorted(urlsplit(each.case.page.url).path for each in notice.pages.all())
        events = [str(each.state) for each in notice.events.order_by("at", "pk")]
        yield f"{notice.site.name} {notice.kind} {notice.state} {pages} {len(notice.files.all())} files {events}"


def _damaged() -> Iterator[str]:
    """Yield the bundles whose file is missing or changed. Reads every file."""
    store = live_evidence(settings.ZHUIWEN).store
    for bundle in EvidenceBundle.objects.select_related("case__page", "case__work"):
        try:
            content = store.get(Digest(bundle.digest))
        except BrokenInvariant:
            content = None
        if content is None or digest(content) != bundle.sha256:
            yield _of(bundle.case)


def _failed_runs() -> Iterator[str]:
    """Yield the sites whose newest crawl did not finish."""
    for site in Site.objects.all():
        newest = site.runs.order_by("-pk").first()
        if newest is not None and newest.state != CrawlRun.State.FINISHED:
            yield f"{site.name} {newest.state} {newest.finish_reason}"


def _stored_pages() -> Iterator[Page]:
    store, after = live(settings.ZHUIWEN).pages, PageId("")
    while batch := store.pages(after or None, BATCH):
        yield from batch
        after = batch[-1].id


def _of(case: Case) -> str:
    return f"{_place(case.page.site_id, case.page.url)} {case.work.title}"


def _place(site: object, url: str) -> str:
    return f"site {_number(int(str(site)))} {urlsplit(url).path}"


def _number(key: int) -> str:
    return _NAMES.setdefault(key, Site.objects.get(pk=key).name.split()[-1])


_NAMES: dict[int, str] = {}
