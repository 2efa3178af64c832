"""What a crawl saw of the pages of confirmed cases: gone, there without the passages, standing, or not to be seen.

A row is made only where it says something: of a page on which the passages stand none, unless the look before it saw
something else. Of looks in a row that saw nothing the newest stands.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q

from core.ids import Digest, PageId, SiteId, VersionId
from core.pages import PageVersion
from core.ports import KeptPages, WorkTexts
from core.states import CaseState
from core.visits import Absence, AbsenceReason, address_id
from core.wording import Message
from crawler.recrawl.absences import plain_text
from crawler.urls import canonical
from records.batches import batches
from records.models import Address, Case, CaseMatch, CrawlRun, Removal, RemovalLook
from records.removals.remains import Remains, source_text
from records.removals.walls import wall

Seen = RemovalLook.Seen
REMOVED = (Seen.GONE, Seen.CLEARED)
ABSENT = (AbsenceReason.NOT_FOUND, AbsenceReason.GONE, AbsenceReason.NOT_FOUND_PAGE)
# Another page of the site has to be had within so long of a look, or the site is taken to be away. Chosen: a crawl asks
# for a page every few seconds, one of a single page asks for another one beside it.
WORKS_WITHIN = timedelta(hours=1)
# A page's response is kept before its visit is noted, by the same process.
KEPT_WITHIN = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Sources:
    """What looks are made from: the pages as they were kept, and the works' texts."""

    pages: KeptPages
    remains: Remains

    @classmethod
    def of(cls, pages: KeptPages, works: WorkTexts) -> "Sources":
        return cls(pages, Remains(works))


def take_in(run: CrawlRun, sources: Sources) -> list[RemovalLook]:
    """Write down what a crawl that has ended saw of the pages of confirmed cases. Safe to call twice.

    Raises ServiceUnavailable where the page store is away.
    """
    made: list[RemovalLook] = []
    confirmed = Case.objects.filter(site=run.site_id, state=CaseState.CONFIRMED).order_by("pk")
    for batch in batches(list(confirmed.values_list("pk", flat=True))):
        cases = list(Case.objects.filter(pk__in=batch).select_related("page", "site").order_by("pk"))
        addresses = _addresses(cases, run)
        cases = [case for case in cases if case.page_id in addresses]
        known = _Known.of(cases, addresses.values())
        for case in cases:
            made += _take_in_case(case, addresses[case.page_id], run, sources, known)
    return made


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of some cases before a crawl is taken in, read at once.

    matched: cases with a match in the version that their page's address shows, each with the version.
    """

    last: Mapping[int, RemovalLook]
    removed: frozenset[int]
    matched: frozenset[tuple[int, str]]

    @classmethod
    def of(cls, cases: Collection[Case], addresses: Iterable[Address]) -> "_Known":
        keys = [case.pk for case in cases]
        looks = RemovalLook.objects.filter(case__in=keys).order_by("at", "pk")
        removed = Removal.objects.filter(case__in=keys, ended_at=None).values_list("case_id", flat=True)
        shown = {address.version_id for address in addresses}
        matches = CaseMatch.objects.filter(case__in=keys).order_by().values_list("case_id", "version_id").distinct()
        matched = frozenset((case, version) for case, version in matches if version in shown)
        return cls({look.case_id: look for look in looks}, frozenset(removed), matched)


def _take_in_case(
    case: Case, address: Address, run: CrawlRun, sources: Sources, known: _Known
) -> Iterator[RemovalLook]:
    """The looks at one page, oldest first."""
    last = known.last.get(case.pk)
    since = max(run.due_at, last.at) if last is not None else run.due_at
    stands = (case.pk, address.version_id) in known.matched
    for look in sorted(_seen(case, address, since, run, sources, stands=stands), key=lambda each: each.at):
        look.case, look.by_second_route = case, run.by_second_route
        if _says_something(look, last, is_removed=case.pk in known.removed):
            last = _keep(look, last)
            yield last


def _says_something(look: RemovalLook, last: RemovalLook | None, *, is_removed: bool) -> bool:
    if look.seen == Seen.STANDS:
        return is_removed or (last is not None and last.seen != Seen.STANDS)
    return not (is_removed and look.seen in REMOVED)  # that is known


def _keep(look: RemovalLook, last: RemovalLook | None) -> RemovalLook:
    if last is not None and last.seen == look.seen == Seen.NOT_SEEN:
        look.pk = last.pk
        look.save(force_update=True)
    else:
        look.save()
    return look


def _addresses(cases: Sequence[Case], run: CrawlRun) -> dict[str, Address]:
    """Of each page that the run met the address: its own URL's, or where else it was seen last."""
    touched = Q(seen_at__gte=run.due_at) | Q(failed_at__gte=run.due_at) | Q(absent_since__isnull=False)
    rows = Address.objects.filter(touched, site=run.site_id)
    pages = {case.page_id: case.page.url for case in cases}
    found = {row.page_id: row for row in rows.filter(page_id__in=pages).order_by("seen_at", "pk")}
    keys = {_key(run.site_id, url): page for page, url in pages.items() if page not in found}
    return found | {keys[row.pk]: row for row in rows.filter(pk__in=keys)}


def _key(site: int, url: str) -> str:
    return address_id(SiteId(str(site)), canonical(url))


def _seen(
    case: Case, address: Address, since: datetime, run: CrawlRun, sources: Sources, *, stands: bool
) -> Iterator[RemovalLook]:
    """What the run saw of a page since a moment; each look without its case.

    stands: the version that the address shows has a match of the case.
    """
    answers: list[Absence] = []
    if address.absent_since is not None or run.only_urls:
        answers = [each for each in sources.pages.absences(PageId(case.page_id)) if each.fetched_at > since]
    yield from (_gone(case, address, each) for each in answers if each.reason in ABSENT)
    if address.failures and address.failed_at is not None and address.failed_at > since:
        status = (address.sentence.params.get("status") if address.sentence else None) or None
        yield _unseen(address.failed_at, address.sentence, status=status if isinstance(status, int) else None)
    if address.seen_at is not None and address.seen_at > since:
        looked = [each for each in answers if each.reason is AbsenceReason.LOOKED_AT]
        if stands and address.page_id == case.page_id:
            yield RemovalLook(at=address.seen_at, seen=Seen.STANDS, version_id=address.version_id)
        elif look := _answered(case, address, looked[-1] if looked else None, since, sources):
            yield look


def _gone(case: Case, address: Address, answer: Absence) -> RemovalLook:
    said = {"status": answer.status, "final_url": answer.final_url, "answer_id": answer.id}
    return _if_site_works(case, address, RemovalLook(at=answer.fetched_at, seen=Seen.GONE, **said))


def _answered(
    case: Case, address: Address, answer: Absence | None, since: datetime, sources: Sources
) -> RemovalLook | None:
    """The look at a page that was there; None where the run kept nothing of it that could be looked at."""
    assert address.seen_at is not None
    if answer is not None and address.seen_at - answer.fetched_at > KEPT_WITHIN:
        answer = None
    if not address.page_id and answer is not None:
        return _without_text(case, address, answer, sources)
    if address.page_id != case.page_id:
        led = Message("removal.led-elsewhere", url=address.page_url)
        return _unseen(address.seen_at, led if address.page_id else Message("removal.no-text"))
    version = sources.pages.version(VersionId(address.version_id))
    if version is None:
        return None
    if answer is None and version.fetched_at <= since:  # seen as it was: what came is not kept, so nothing is proved
        return None
    at = answer.fetched_at if answer is not None else version.fetched_at
    return _without_passages(case, address, version, answer, at, sources)


def _without_passages(
    case: Case, address: Address, version: PageVersion, answer: Absence | None, at: datetime, sources: Sources
) -> RemovalLook:
    """The look at a page on which the comparison with all works found nothing of the case, looked into once more."""
    kept = answer if answer is not None else version
    said = {"status": kept.status, "final_url": kept.final_url, "version_id": version.id}
    look = RemovalLook(at=at, seen=Seen.CLEARED, answer_id=answer.id if answer is not None else "", **said)
    # The response of this look, and those on which the text goes on.
    responses = [_Response(kept.raw_digest, kept.headers, kept.final_url)]
    responses += [_Response(part.raw_digest, part.headers, part.url) for part in version.parts]
    texts, is_whole = [version.reading.whole_text], True
    for response in responses:
        source = _source(response, case, sources)
        texts, is_whole = [*texts, source or ""], is_whole and source is not None
    why = wall(version.reading.text, version.text_digest, case.site_id, case.page_id)
    return _judged(case, address, look, texts, None if is_whole else Message("removal.unreadable"), why, sources)


def _without_text(case: Case, address: Address, answer: Absence, sources: Sources) -> RemovalLook:
    """The look at an answer in which no main text was read, such as a sentence that the text was taken down."""
    said = {"status": answer.status, "final_url": answer.final_url, "answer_id": answer.id}
    look = RemovalLook(at=answer.fetched_at, seen=Seen.CLEARED, **said)
    body = sources.pages.raw(answer.raw_digest) or b""
    source = _source(_Response(answer.raw_digest, answer.headers, answer.final_url), case, sources)
    if source is None:
        return _unseen_in(look, Message("removal.unreadable"))
    shown = plain_text(body, dict(answer.headers), answer.final_url)
    why = wall(shown, "", case.site_id, case.page_id) if shown.strip() else Message("removal.no-text")
    return _judged(case, address, look, [source], None, why, sources)


def _judged(
    case: Case, address: Address, look: RemovalLook, texts: Sequence[str], unread: Message | None, why: Message | None,
    sources: Sources,
) -> RemovalLook:  # fmt: skip
    """The look with what its texts have. unread: that not all could be read; why: that it may be a wall."""
    if sources.remains.count(case, texts):
        look.seen = Seen.STANDS
        return look
    if unread is None and not sources.remains.can_tell(case):
        unread = Message("removal.no-work-text")
    if unread or why:
        return _unseen_in(look, unread or why)
    return _if_site_works(case, address, look)


@dataclass(frozen=True, slots=True)
class _Response:
    """One that the page store keeps."""

    digest: Digest
    headers: tuple[tuple[str, str], ...]
    url: str


def _source(response: _Response, case: Case, sources: Sources) -> str | None:
    body = sources.pages.raw(response.digest)
    return source_text(body, dict(response.headers), response.url, case.site.encoding) if body is not None else None


def _if_site_works(case: Case, address: Address, look: RemovalLook) -> RemovalLook:
    """The look as it is where another page of the site could be had then; else nothing was to be seen."""
    times = (look.at - WORKS_WITHIN, look.at + WORKS_WITHIN)
    others = Address.objects.filter(site=case.site_id, seen_at__range=times, absent_since=None)
    works = others.exclude(pk=address.pk).exclude(page_id=case.page_id).exists()
    return look if works else _unseen_in(look, Message("removal.site-away"))


def _unseen(at: datetime, fault: Message | None, status: int | None = None) -> RemovalLook:
    return RemovalLook(at=at, seen=Seen.NOT_SEEN, fault=fault, status=status)


def _unseen_in(look: RemovalLook, fault: Message | None) -> RemovalLook:
    look.seen, look.fault = Seen.NOT_SEEN, fault
    return look
