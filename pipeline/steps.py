"""The steps, as plain functions over ports. Each may run twice or die half-way and be run again.

1. fingerprint_page   PageStored -> fingerprint kept -> PageFingerprinted
2. match_page         PageFingerprinted -> compared with the corpus -> outcome and cases in the case book
3. register_work      WorkAdded -> fingerprint kept -> in the index; pages compared before are searched for it later
4. withdraw_work      WorkRemoved -> out of the index
"""

from dataclasses import dataclass
from functools import partial

from core.errors import IndexStale, NotFound
from core.ids import VersionId, WorkTextId
from core.matches import Match
from core.messages import PageFingerprinted
from core.pages import PageVersion
from core.ports import CaseBook, Clock, FingerprintStore, Outbox, Outcome, PageStore, WorkStore
from core.states import Rejection
from core.works import StoredFingerprint
from fingerprint.algorithms import Algorithm
from fingerprint.fingerprinting import fingerprint_text
from fingerprint.record import DamagedFingerprint, Fingerprint
from matcher.calibration import DEFAULT as CALIBRATION
from matcher.matching import Matcher
from matcher.ports import MatchIndex


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything outside that a step may touch. Put together in `pipeline.wiring` and, in memory, by tests."""

    pages: PageStore
    works: WorkStore
    fingerprints: FingerprintStore
    index: MatchIndex
    matcher: Matcher
    cases: CaseBook
    outbox: Outbox
    clock: Clock
    algorithm: Algorithm


def fingerprint_page(version_id: VersionId, ports: Ports) -> None:
    """Fingerprint a page version and pass it on. Raises NotFound for an id that the store does not have."""
    _page_fingerprint(_version(version_id, ports), ports)
    ports.outbox.send(PageFingerprinted(version_id))


def match_page(version_id: VersionId, ports: Ports) -> list[int]:
    """Compare a page version with its watcher's works and write down the outcome; the ids of the cases it is part of.

    Raises IndexStale rather than find nothing in an index that is not there, NotFound for an unknown id.
    """
    checked_at = ports.clock.now()
    state = ports.index.state()
    if state.generation == 0:
        raise IndexStale("empty")
    version = _version(version_id, ports)
    fingerprint = _page_fingerprint(version, ports)
    rejection: Rejection | None = None
    matches: tuple[Match, ...] = ()
    if is_too_short(fingerprint):
        rejection = Rejection.TOO_FEW_HAN_CHARS
    else:
        sources = partial(ports.cases.sources, version.site_id)
        matches = ports.matcher.match(version.reading.text, fingerprint, sources)
    page = ports.pages.page(version.page_id)
    is_current = page is not None and page.current_version == version.id
    return ports.cases.record(
        Outcome(
            version=version,
            is_current=is_current,
            seen_at=page.last_seen if page is not None and is_current else version.fetched_at,
            rejection=rejection,
            matches=matches,
            algorithm_id=ports.algorithm.id,
            corpus_revision=state.corpus_revision,
            checked_at=checked_at,
        )
    )


def register_work(text_id: WorkTextId, ports: Ports) -> None:
    """Fingerprint a text of the corpus and put it into the index. Raises NotFound for an unknown id."""
    if ports.index.add(text_id, work_fingerprint(text_id, ports)):
        ports.cases.unindexed([text_id])
    ports.cases.indexed([text_id], ports.clock.now())


def withdraw_work(text_id: WorkTextId, ports: Ports) -> None:
    """Take a text that nobody owns any more out of the index. The text itself stays: a case may quote it."""
    if ports.cases.is_owned(text_id):
        return
    ports.index.remove(text_id)
    ports.fingerprints.remove(text_id)
    ports.cases.withdrawn(text_id)


def is_too_short(fingerprint: Fingerprint) -> bool:
    """Whether a page has so little Chinese text that nothing it has could be called a copy."""
    return fingerprint.tokens.size < CALIBRATION.min_matched_tokens


def work_fingerprint(text_id: WorkTextId, ports: Ports) -> Fingerprint:
    """The fingerprint of a text of the corpus: the stored one, or made and stored now. Raises NotFound."""
    stored = stored_fingerprint(ports.fingerprints.get(text_id, ports.algorithm.id))
    if stored is not None:
        return stored
    text = ports.works.text(text_id)
    if text is None:
        raise NotFound("text of the corpus", text_id)
    return _kept(text_id, text, ports)


def stored_fingerprint(kept: StoredFingerprint | None) -> Fingerprint | None:
    """What the store keeps; None where it keeps nothing or what cannot be read: it is made anew from the text."""
    try:
        return None if kept is None else Fingerprint.from_bytes(kept.payload)
    except DamagedFingerprint:
        return None


def _version(version_id: VersionId, ports: Ports) -> PageVersion:
    version = ports.pages.version(version_id)
    if version is None:
        raise NotFound("page version", version_id)
    return version


def _page_fingerprint(version: PageVersion, ports: Ports) -> Fingerprint:
    stored = stored_fingerprint(ports.fingerprints.get(version.id, ports.algorithm.id))
    if stored is not None:
        return stored
    return _kept(version.id, version.reading.text, ports)


def _kept(subject: str, text: str, ports: Ports) -> Fingerprint:
    fingerprint = fingerprint_text(text, ports.algorithm)
    ports.fingerprints.put(StoredFingerprint(subject, ports.algorithm.id, fingerprint.to_bytes()))
    return fingerprint
