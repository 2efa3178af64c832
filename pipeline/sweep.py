"""Finds what was stored and never followed up, so that a lost message loses nothing."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from core.ids import PageId, VersionId, WorkTextId
from core.messages import PageStored, WorkAdded, WorkRemoved
from pipeline.rebuild import rebuild_index
from pipeline.steps import Ports

BATCH_PAGES = 2_000  # the embedded page store walks its ids at 7 us a page, whatever the batch


@dataclass(frozen=True, slots=True)
class Corpus:
    """The texts of the mother corpus. `unnoted`: those that some owner does not know to be findable yet."""

    texts: frozenset[WorkTextId]
    unnoted: frozenset[WorkTextId] = frozenset()


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep had to send again."""

    pages: int
    works_added: int
    works_withdrawn: int
    index_rebuilt: bool

    @property
    def found_nothing(self) -> bool:
        return not (self.pages or self.works_added or self.works_withdrawn or self.index_rebuilt)


def sweep(
    ports: Ports, corpus: Corpus, given_up: Callable[[Collection[VersionId]], Collection[VersionId]] = lambda _: ()
) -> Swept:
    """Bring the index in line with `corpus` and send what was left behind.

    given_up: those of some versions that failed for good; they wait for a person. One sweep at a time.
    """
    if ports.index.state().generation == 0:
        rebuild_index(ports, corpus.texts)
        return Swept(_sweep_pages(ports, given_up), 0, 0, index_rebuilt=True)
    indexed = frozenset(ports.index.text_ids())
    missing = (corpus.texts - indexed) | corpus.unnoted
    for text_id in sorted(missing):
        ports.outbox.send(WorkAdded(text_id))
    surplus = indexed - corpus.texts
    for text_id in sorted(surplus):
        ports.outbox.send(WorkRemoved(text_id))
    return Swept(_sweep_pages(ports, given_up), len(missing), len(surplus), index_rebuilt=False)


def _sweep_pages(ports: Ports, given_up: Callable[[Collection[VersionId]], Collection[VersionId]]) -> int:
    sent, after = 0, PageId("")
    while batch := ports.pages.pages(after or None, BATCH_PAGES):
        owed = ports.cases.owed(batch, ports.algorithm.id)
        for version in sorted(owed - set(given_up(owed))):
            ports.outbox.send(PageStored(version))
            sent += 1
        after = batch[-1].id
    return sent
