"""The whole chain in memory: real fingerprints, real matching, stores and messages in this process."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.clock import ManualClock
from core.ids import SiteId, VersionId, WorkTextId
from core.messages import PagesStored, SearchRequested, StepMessage, WorkAdded, WorkRemoved
from core.pages import Reading, Stored
from core.zones import SurroundingLine
from fingerprint.algorithms import DEFAULT, Algorithm
from matcher.corpus import CorpusCache
from matcher.index.memory import MemoryIndex
from matcher.matching import Matcher
from pipeline import steps
from pipeline.corpus import StoredCorpus
from pipeline.search import search_pages
from tests.support.memory_cases import MemoryCaseRepository, MemoryHolder, MemoryOutbox
from tests.support.memory_pages import MemoryFingerprintStore, MemoryPageStore, MemoryWorkStore
from tests.support.records import MOMENT, response


@dataclass
class Chain:
    """Ports in memory, and the loop that carries messages from step to step."""

    ports: steps.Ports
    outbox: MemoryOutbox
    book: MemoryCaseRepository
    holder: MemoryHolder
    clock: ManualClock

    def add_work(self, name: str, *texts: str) -> list[WorkTextId]:
        ids = [self.ports.works.put_text(text) for text in texts]
        self.holder.works[name] = frozenset(ids)
        for text_id in ids:
            self.outbox.send(WorkAdded(text_id))
        return ids

    def store_page(
        self, url: str, text: str, title: str = "某页", surroundings: Iterable[SurroundingLine] = ()
    ) -> Stored:
        fetched = response(1, url, text.encode(), self.clock.now())
        stored = self.ports.pages.put(fetched, Reading(title=title, text=text, surroundings=tuple(surroundings)))
        self.outbox.send(PagesStored((stored.version_id,)))
        return stored

    def run(self) -> int:
        """Carry messages until none is left; how many there were."""
        carried = 0
        while messages := self.outbox.drain():
            for message in messages:
                self.clock.advance(1)
                carry(message, self.ports)
                carried += 1
        return carried


def carry(message: StepMessage, ports: steps.Ports) -> None:
    """Do what a message asks for; crawls are not part of a chain."""
    match message:
        case PagesStored(version_ids):
            steps.compare_pages([VersionId(each) for each in version_ids], ports)
        case WorkAdded(text_id):
            steps.register_work(WorkTextId(text_id), ports)
        case WorkRemoved(text_id):
            steps.withdraw_work(WorkTextId(text_id), ports)
        case SearchRequested():
            search_pages(ports)


def chain(algorithm: Algorithm = DEFAULT) -> Chain:
    """A chain with one rights holder, who watches site 1 and has no works yet. The index has an open generation."""
    works, fingerprints, index = MemoryWorkStore(), MemoryFingerprintStore(), MemoryIndex(algorithm.id)
    index.clear()
    holder = MemoryHolder(works={}, sites=frozenset({SiteId("1")}))
    book, outbox, clock = MemoryCaseRepository([holder]), MemoryOutbox(), ManualClock(MOMENT)
    ports = steps.Ports(
        pages=MemoryPageStore(),
        works=works,
        fingerprints=fingerprints,
        index=index,
        matcher=Matcher(index, CorpusCache(StoredCorpus(works, fingerprints, algorithm))),
        cases=book,
        outbox=outbox,
        clock=clock,
        algorithm=algorithm,
    )
    return Chain(ports, outbox, book, holder, clock)
