"""Finds stored pages, works and changes of rights whose message was lost, and sends a new message."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from core.ids import PageId, VersionId, WorkTextId
from core.messages import RightsChanged, SearchRequested, WorkAdded, WorkRemoved, pages_stored
from core.pages import Page
from pipeline.rebuild import rebuild_index
from pipeline.steps import Ports

BATCH_PAGES = 2_000  # the embedded page store reads ids at 7 us a page, whatever the batch

GivenUp = Callable[[Collection[VersionId]], Collection[VersionId]]


@dataclass(frozen=True, slots=True)
class ReferenceTexts:
    """The texts of the reference corpus. unnoted: those that are not recorded as indexed for one of their owners."""

    texts: frozenset[WorkTextId]
    unnoted: frozenset[WorkTextId] = frozenset()


@dataclass(frozen=True, slots=True)
class SweepCounts:
    """The number of messages that a sweep sent, by kind.

    pages, works_added: including those without a fingerprint of the current algorithm, if the sweep checked this.
    search: whether pages must be searched for new texts. rulings: the number of rights holders whose findings await a
    ruling after a change of their rights.
    """

    pages: int
    works_added: int
    works_withdrawn: int
    index_rebuilt: bool
    search: bool = False
    rulings: int = 0

    @property
    def found_nothing(self) -> bool:
        works = self.works_added or self.works_withdrawn or self.index_rebuilt
        return not (self.pages or works or self.search or self.rulings)


def sweep(
    ports: Ports, corpus: ReferenceTexts, given_up: GivenUp = lambda _: (), *, with_fingerprints: bool = False
) -> SweepCounts:
    """Synchronize the index with `corpus`, and send all messages that are due. Only one sweep may run at a time.

    given_up: returns those of some versions that failed permanently, for which no message is sent. with_fingerprints:
    whether messages are also sent for texts and pages without a stored fingerprint of the current algorithm.
    """
    ports.cases.set_back(ports.clock.now())
    state = ports.index.state()
    is_rebuilt = state.generation == 0 or state.is_outgrown or ports.index.may_have_lost()
    if is_rebuilt:
        rebuild_index(ports, corpus.texts)
        added = withdrawn = 0
    else:
        added, withdrawn = _sweep_works(ports, corpus, with_fingerprints)
    rulings = ask_for_rulings(ports)
    pages = _sweep_pages(ports, given_up, with_fingerprints)
    return SweepCounts(pages, added, withdrawn, is_rebuilt, ask_for_search(ports), rulings)


def ask_for_search(ports: Ports) -> bool:
    """Request a search if there are pages that were not searched for all indexed texts, and return whether it was."""
    is_behind = bool(ports.cases.lags(ports.algorithm.id))
    if is_behind:
        ports.outbox.send(SearchRequested())
    return is_behind


def ask_for_rulings(ports: Ports) -> int:
    """Request the rulings that are pending after changes of rights, and return the number of rights holders."""
    holders = ports.cases.awaiting_rulings()
    for holder in holders:
        ports.outbox.send(RightsChanged(holder))
    return len(holders)


def _sweep_works(ports: Ports, corpus: ReferenceTexts, with_fingerprints: bool) -> tuple[int, int]:
    indexed = frozenset(ports.index.text_ids())
    missing = (corpus.texts - indexed) | corpus.unnoted
    if with_fingerprints:
        missing |= corpus.texts - ports.fingerprints.find_existing(sorted(corpus.texts), ports.algorithm.id)
    for text_id in sorted(missing):
        ports.outbox.send(WorkAdded(text_id))
    surplus = indexed - corpus.texts
    for text_id in sorted(surplus):
        ports.outbox.send(WorkRemoved(text_id))
    return len(missing), len(surplus)


def _sweep_pages(ports: Ports, given_up: GivenUp, with_fingerprints: bool) -> int:
    sent, after = 0, PageId("")
    while batch := ports.pages.pages(after or None, BATCH_PAGES):
        pending = ports.cases.pending(batch, ports.algorithm.id)
        if with_fingerprints:
            pending |= _without_fingerprint(batch, ports)
        waiting = sorted(pending - set(given_up(pending)))
        for message in pages_stored(waiting):
            ports.outbox.send(message)
        sent += len(waiting)
        after = batch[-1].id
    return sent


def _without_fingerprint(pages: Collection[Page], ports: Ports) -> set[VersionId]:
    """Return the current versions of pages without a stored fingerprint, which a search cannot read."""
    current = {page.current_version for page in pages}
    known = ports.fingerprints.find_existing(sorted(current), ports.algorithm.id)
    return {version for version in current if version not in known}
