"""The stored data of an installation by content, which are equal if two runs had the same result.

Rows are named by site, path and work, never by a number that depends on the order of events; times, and values derived
from them, are left out. Imported after Django is set up.
"""

from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from urllib.parse import urlsplit

from django.conf import settings

from core.errors import BrokenInvariant
from core.ids import Digest, PageId, WorkTextId, digest
from core.pages import Page, PageVersion
from core.ports import PageStore
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
from webadmin.sites.models import CrawlRun, PageRecord, Site
from webadmin.wiring import live_ports
from webadmin.works.models import Chapter, Work

BATCH = 500


def left() -> dict[str, int]:
    """Return the amount of remaining work by kind. Raises RetryLater if a service does not answer."""
    ports, client = live_ports(settings.ZHUIWEN), redis_client(settings.ZHUIWEN)
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


def everything() -> dict[str, list[str]]:
    """Return all stored things by kind, one line for each, sorted."""
    findings = CaseMatch.objects.select_related("case__page", "case__work")
    cases = Case.objects.select_related("page", "work")
    exclusions = Exclusion.objects.select_related("page", "work")
    verdicts = VerdictRecord.objects.select_related("case__page", "case__work")
    made = EvidenceBundle.objects.select_related("case__page", "case__work", "match")
    mails = NoticeMail.objects.select_related("notice__site")
    kinds = {
        **_of_pages(),
        "texts of works": _texts_of_works(),
        "findings": (f"{_of(each.case)} {_matched_text(each)} {each.match_class}" for each in findings),
        "exclusions": (f"{_place(each.page)} {each.work.title} {each.reason}" for each in exclusions),
        "cases": (f"{_of(case)} {case.state} {case.match_class} {case.taken_chars}" for case in cases),
        "verdicts": (f"{_of(given.case)} {given.verdict} {given.note}" for given in verdicts),
        "bundles": (f"{_of(bundle.case)} {_matched_text(bundle.match)} {bundle.kind}" for bundle in made),
        "notices": _notices(),
        "mails": (f"{mail.notice.site.name} {mail.state}" for mail in mails),
        "damaged bundles": _damaged(),
        "failed runs": _failed_runs(),
        "failed messages": (f"{row.task} {row.error}" for row in FailedMessage.objects.all()),
    }
    return {name: sorted(lines) for name, lines in kinds.items()}


def _of_pages() -> dict[str, list[str]]:
    """Return the lines about stored pages. Reads every body, because the store raises if its digest does not match."""
    ports = live_ports(settings.ZHUIWEN)
    store = ports.pages
    lines: defaultdict[str, list[str]] = defaultdict(list)
    for page in _stored_pages():
        place = f"site {_number(int(page.site_id))} {urlsplit(page.canonical_url).path}"
        became = [state.version_id or "gone" for state in store.states(page.id)]
        kept = ports.fingerprints.get(page.current_version, ports.algorithm.id)
        lines["pages"].append(place)
        lines["states of pages"].append(f"{place} {became} {page.current_version}")
        lines["fingerprints"].append(f"{place} {digest(kept.payload) if kept else 'none'}")
        for version in store.versions(page.id):
            lines["versions"].append(f"{place} {version.id}")
            for kind, read in (("raw bodies", _raw_body), ("captures", _capture)):
                try:
                    said = read(store, version)
                except BrokenInvariant as error:
                    said = [f"damaged: {error}"]
                lines[kind].append(f"{place} {said}")
    return lines


def _raw_body(store: PageStore, version: PageVersion) -> list[str]:
    body = store.raw(version.raw_digest)
    return [digest(body) if body is not None else "none"]


def _capture(store: PageStore, version: PageVersion) -> list[str]:
    """Return the parts of a capture that do not depend on the time."""
    capture = store.capture(version.capture_digest) if version.capture_digest else None
    if capture is None:
        return ["none"]
    exchanges = (f"{each.status} {urlsplit(each.url).path} {each.body_digest}" for each in capture.exchanges)
    return [capture.source, *exchanges]


def _texts_of_works() -> Iterator[str]:
    store = live_ports(settings.ZHUIWEN).works
    for chapter in Chapter.objects.select_related("work"):
        text = store.text(WorkTextId(chapter.text_id))
        sealed = digest(text.encode()) if text is not None else "none"
        yield f"{chapter.work.title} {chapter.number} {chapter.title} {sealed}"


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
    store, after = live_ports(settings.ZHUIWEN).pages, PageId("")
    while batch := store.pages(after or None, BATCH):
        yield from batch
        after = batch[-1].id


def _of(case: Case) -> str:
    return f"{_place(case.page)} {case.work.title}"


def _place(page: PageRecord) -> str:
    return f"site {_number(page.site_id)} {urlsplit(page.url).path}"


def _matched_text(match: CaseMatch) -> str:
    return f"{match.chapter_title} {match.page_text_digest[:12]}"


@cache
def _number(site: int) -> str:
    return Site.objects.get(pk=site).name.split()[-1]
