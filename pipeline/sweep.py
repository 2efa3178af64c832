"""Finds what was stored and never followed up, so that a lost message loses nothing."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.ids import PageId, WorkTextId
from core.messages import PageStored, WorkAdded, WorkRemoved
from pipeline.rebuild import rebuild_index
from pipeline.steps import Ports

BATCH_PAGES = 500  # ids looked up at a time; SQLite takes at most 999 variables in a statement


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


def sweep(ports: Ports, corpus: Iterable[WorkTextId]) -> Swept:
    """Bring the index in line with `corpus` (all texts that the rights holders have) and send what was left behind."""
    texts = frozenset(corpus)
    if ports.index.state().generation == 0:
        rebuild_index(ports, texts)
        return Swept(_sweep_pages(ports), 0, 0, index_rebuilt=True)
    indexed = frozenset(ports.index.text_ids())
    for text_id in sorted(texts - indexed):
        ports.outbox.send(WorkAdded(text_id))
    for text_id in sorted(indexed - texts):
        ports.outbox.send(WorkRemoved(text_id))
    # A page compared now would have to be compared again when the missing texts are there.
    pages = _sweep_pages(ports) if texts <= indexed else 0
    return Swept(pages, len(texts - indexed), len(indexed - texts), index_rebuilt=False)


def _sweep_pages(ports: Ports) -> int:
    sent, after = 0, None
    while batch := ports.pages.current_versions(after, BATCH_PAGES):
        for version in sorted(ports.cases.unchecked((version for _, version in batch), ports.algorithm.id)):
            ports.outbox.send(PageStored(version))
            sent += 1
        after = PageId(batch[-1][0])
    return sent
