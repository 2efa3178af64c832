"""The steps of the pipeline as plain functions over ports. A step may run twice, or crash half-way and run again.

1. compare_pages   on PagesStored: store fingerprints, compare with the corpus, store outcomes and cases
2. register_work   on WorkAdded: store the fingerprint, add it to the index; stored pages are searched next
3. withdraw_work   on WorkRemoved: remove the text from the index
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import accumulate

from core.errors import IndexStale, NotFound
from core.ids import VersionId, WorkTextId
from core.matches import Change, Match, MatchClass, Span
from core.pages import Reading, VersionOfPage
from core.ports import CaseRepository, Clock, ComparisonOutcome, FingerprintStore, KeptPages, Outbox, WorkStore
from core.states import Rejection
from core.text import TextRange
from core.works import StoredFingerprint
from core.zones import Zone
from fingerprint.algorithms import Algorithm
from fingerprint.fingerprinting import DamagedFingerprint, Fingerprint, fingerprint_text
from matcher.calibration import DEFAULT as CALIBRATION
from matcher.index.ports import IndexState, MatchIndex
from matcher.matching import Matcher, PageToMatch

# Chosen: three announcements of at most 300 characters (crawler.main_text.zones). A page with more characters of a work
# outside its main text publishes the work.
MAX_CHARS_ANNOUNCED = 1_000


@dataclass(frozen=True, slots=True)
class Ports:
    """The stores and services that the steps use. `webadmin.wiring` creates them; tests create them in memory."""

    pages: KeptPages
    works: WorkStore
    fingerprints: FingerprintStore
    index: MatchIndex
    matcher: Matcher
    cases: CaseRepository
    outbox: Outbox
    clock: Clock
    algorithm: Algorithm


def compare_pages(version_ids: Sequence[VersionId], ports: Ports) -> list[VersionId]:
    """Compare the versions that are due with the works of their rights holders, and return those with a case.

    For the other versions, only the time of the visit is recorded. Outcomes are written at the end. Raises IndexStale
    if there is no index, NotFound for an unknown id, and any error of a faulty page; no outcome is written then.
    """
    now, state = ports.clock.now(), ports.index.state()
    if state.generation == 0:
        raise IndexStale("index.empty")
    versions = ports.pages.on_pages(version_ids)
    if missing := set(version_ids) - {each.version.id for each in versions}:
        raise NotFound("page-version", min(missing))
    fingerprints = _page_fingerprints(versions, ports)
    uncompared = ports.cases.find_uncompared(versions, ports.algorithm.id)
    pending = [each for each in versions if each.version.id in uncompared]
    outcomes = list(_compare_versions(pending, fingerprints, state, now, ports))
    if unchanged := [each for each in versions if each.version.id not in uncompared]:
        ports.cases.mark_seen(unchanged, now)
    cases = ports.cases.open_or_update_cases(outcomes)
    return [each.version.id for each, of_page in zip(pending, cases, strict=True) if of_page]


def register_work(text_id: WorkTextId, ports: Ports) -> None:
    """Fingerprint a text of the corpus and add it to the index. Raises NotFound for an unknown id."""
    fingerprint = work_fingerprint(text_id, ports)
    if ports.index.add(text_id, fingerprint):
        ports.cases.note_unindexed([text_id])
    ports.cases.note_indexed({text_id: fingerprint.tokens.size}, ports.clock.now())


def withdraw_work(text_id: WorkTextId, ports: Ports) -> None:
    """Remove a text and its fingerprint from the index unless a rights holder still has a work with it.

    The text itself is not deleted, because a case may quote it.
    """
    if ports.cases.is_owned(text_id):
        return
    ports.index.remove(text_id)
    ports.fingerprints.remove(text_id)
    ports.cases.note_withdrawn(text_id)


def is_too_short(fingerprint: Fingerprint) -> bool:
    """Return whether a text has too few Chinese characters to be a copy."""
    return fingerprint.tokens.size < CALIBRATION.min_matched_tokens


def work_fingerprint(text_id: WorkTextId, ports: Ports) -> Fingerprint:
    """Return the fingerprint of a text in the corpus; compute and store it if it is missing or damaged.

    Raises NotFound if the text is not stored.
    """
    stored = decode_stored_fingerprint(ports.fingerprints.get(text_id, ports.algorithm.id))
    if stored is not None:
        return stored
    text = ports.works.text(text_id)
    if text is None:
        raise NotFound("text", text_id)
    return _make_fingerprints({text_id: text}, ports)[text_id]


def decode_stored_fingerprint(stored: StoredFingerprint | None) -> Fingerprint | None:
    """Decode a stored fingerprint. Returns None if there is none or if it is damaged and must be computed again."""
    try:
        return None if stored is None else Fingerprint.from_bytes(stored.payload)
    except DamagedFingerprint:
        return None


def _page_fingerprints(versions: Iterable[VersionOfPage], ports: Ports) -> dict[str, Fingerprint]:
    """Return the fingerprints of the versions' main texts and of the texts outside them, by id.

    Compute and store missing fingerprints.
    """
    texts: dict[str, str] = {page_version.version.id: page_version.version.reading.text for page_version in versions}
    texts |= {
        surrounding_text_id(page_version.version.id): page_version.version.reading.surrounding_text
        for page_version in versions
        if page_version.version.reading.surroundings
    }
    stored = ports.fingerprints.get_many(list(texts), ports.algorithm.id)
    decoded = {subject: decode_stored_fingerprint(stored.get(subject)) for subject in texts}
    known = {subject: fingerprint for subject, fingerprint in decoded.items() if fingerprint is not None}
    return known | _make_fingerprints({subject: text for subject, text in texts.items() if subject not in known}, ports)


def _make_fingerprints(texts: dict[str, str], ports: Ports) -> dict[str, Fingerprint]:
    made = {subject: fingerprint_text(text, ports.algorithm) for subject, text in texts.items()}
    if made:
        ports.fingerprints.put_many(
            [StoredFingerprint(subject, ports.algorithm.id, each.to_bytes()) for subject, each in made.items()]
        )
    return made


def _compare_versions(
    pages: Sequence[VersionOfPage],
    fingerprints: Mapping[str, Fingerprint],
    state: IndexState,
    now: datetime,
    ports: Ports,
) -> Iterator[ComparisonOutcome]:
    texts = [_comparable_texts(page, fingerprints, ports) for page in pages]
    results = ports.matcher.match_pages(
        page_to_match for texts_of_page in texts for page_to_match in texts_of_page.values()
    )
    for page, texts_of_page in zip(pages, texts, strict=True):
        matches = {subject: next(results) for subject in texts_of_page}
        main = matches.get(page.version.id, ())
        yield ComparisonOutcome(
            version=page.version,
            is_current=page.is_current,
            first_seen=page.sighted.first,
            seen_at=page.sighted.last,
            rejection=None if texts_of_page else Rejection.TOO_FEW_HAN_CHARS,
            matches=merge_matches(main, matches.get(surrounding_text_id(page.version.id), ()), page.version.reading),
            algorithm_id=ports.algorithm.id,
            corpus_revision=state.corpus_revision,
            checked_at=now,
        )


def _comparable_texts(
    page: VersionOfPage, fingerprints: Mapping[str, Fingerprint], ports: Ports
) -> dict[str, PageToMatch]:
    """Return the main text of a page and the text outside it, by the ids of their fingerprints.

    Texts that are too short are left out.
    """
    version, reading = page.version, page.version.reading
    texts = {version.id: reading.text, surrounding_text_id(version.id): reading.surrounding_text}
    sources = partial(ports.cases.sources, version.site_id)
    return {
        subject: PageToMatch(text, fingerprints[subject], sources)
        for subject, text in texts.items()
        if subject in fingerprints and not is_too_short(fingerprints[subject])
    }


def surrounding_text_id(version: VersionId) -> str:
    """Return the id under which the fingerprint of the text outside a version's main text is stored."""
    return f"{version}/beside"


def merge_matches(main: Sequence[Match], surroundings: Iterable[Match], reading: Reading) -> tuple[Match, ...]:
    """Return the matches of a main text, followed by those of the text outside it with other texts of works.

    surroundings: the matches of `reading.surrounding_text`. Their offsets are converted to offsets in the whole text. A
    match in a comment retains its class. A match only in announcements or the site's frame becomes a teaser, unless it
    is longer than MAX_CHARS_ANNOUNCED.
    """
    known = {text_id for match in main for text_id in (match.text_id, *match.also)}
    starts = list(accumulate((len(line.text) + 1 for line in reading.surroundings), initial=0))
    offset_chars = len(reading.text) + 1
    shifted = []
    for match in surroundings:
        if match.text_id in known:
            continue
        spans = tuple(_shift_span(span, offset_chars, _span_zone(span, starts, reading)) for span in match.spans)
        is_shown = any(span.zone is Zone.COMMENT for span in spans) or match.matched_chars > MAX_CHARS_ANNOUNCED
        shifted.append(replace(match, spans=spans, match_class=match.match_class if is_shown else MatchClass.TEASER))
    return (*main, *shifted)


def _span_zone(span: Span, starts: Sequence[int], reading: Reading) -> Zone:
    """Return the zone with the most characters of a span.

    starts: the offset of each line of `reading.surroundings`.
    """
    chars: Counter[Zone] = Counter()
    for number in range(bisect_right(starts, span.page.start) - 1, len(reading.surroundings)):
        start, end = max(starts[number], span.page.start), min(starts[number + 1], span.page.end)
        if start >= end:
            break
        chars[reading.surroundings[number].zone] += end - start
    return chars.most_common(1)[0][0]


def _shift_span(span: Span, offset_chars: int, zone: Zone) -> Span:
    changes = [Change(change.kind, _shift_range(change.page, offset_chars), change.work) for change in span.changes]
    return replace(span, page=_shift_range(span.page, offset_chars), changes=changes, zone=zone)


def _shift_range(text_range: TextRange, offset_chars: int) -> TextRange:
    return TextRange(text_range.start + offset_chars, text_range.end + offset_chars)
