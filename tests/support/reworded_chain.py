"""Pages compared for copies and then by meaning: the admin database, stores in memory, the encoder of the process."""

from dataclasses import dataclass, field
from functools import cache

from django.test import TestCase

from core.clock import ManualClock
from core.ids import PageId, VersionId, WorkTextId
from core.messages import StepMessage
from core.pages import Fetched, Reading
from core.works import ChapterText, WorkFile
from fingerprint.algorithms import DEFAULT
from laboratory.cases.rewrites import Rewrite, rewrites
from matcher.corpus import CorpusCache
from matcher.index.memory import MemoryIndex
from matcher.matching import Matcher
from matcher.reworded.background import load_background
from pipeline.corpus import CorpusTexts, StoredCorpus
from pipeline.search import search_pages
from pipeline.steps import Ports, compare_pages
from tests.support.encoders import encoder
from tests.support.memory_cases import MemoryOutbox
from tests.support.memory_chain import carry
from tests.support.memory_pages import MemoryFingerprintStore, MemoryPageStore, MemoryWorkStore
from tests.support.records import MOMENT, response
from webadmin.accounts.models import RightsHolder
from webadmin.cases.services.case_repository import DjangoCaseRepository
from webadmin.rewrites.models import RewordedLead
from webadmin.rewrites.services.searching.search import RewordedSearching, SearchSummary
from webadmin.sites.models import PageRecord, Site
from webadmin.sites.services import watchlist
from webadmin.works.models import Work
from webadmin.works.services import catalogue

HOST = "http://pirate.example"
KINDS = [str(Work.Kind.STORY)]


@cache
def rewrite(rewrite_id: str) -> Rewrite:
    """One of the laboratory's passages in other words."""
    return next(each for each in rewrites() if each.rewrite_id == rewrite_id)


def other_words() -> Rewrite:
    """A passage in other words of a work that `add_work` takes by its text."""
    return rewrite("spoken-03")


@dataclass
class RewordedChain:
    """One rights holder who watches one site."""

    holder: RightsHolder
    site: Site
    ports: Ports
    outbox: MemoryOutbox
    clock: ManualClock
    searching: RewordedSearching = field(init=False)

    def __post_init__(self) -> None:
        self.begin_anew()

    def begin_anew(self) -> None:
        """As a process that starts: what is not stored is forgotten."""
        self.searching = RewordedSearching(self.ports, encoder(), load_background())

    def watch(self, *kinds: str) -> None:
        self.holder.reworded_kinds = list(kinds)
        self.holder.save()

    def add_work(self, text: str, title: str = "河", kind: str = Work.Kind.STORY) -> Work:
        """A work of one chapter, findable and searched for copies of in the stored pages."""
        self.clock.advance(10)
        chapters = (ChapterText(1, "第一章", text),)
        with TestCase.captureOnCommitCallbacks(execute=True):
            catalogue.add_work(self.holder, WorkFile(title, "某人", chapters), kind, self.ports.works, self.outbox)
        self.carry()
        self.clock.advance(1)
        search_pages(self.ports)
        self.carry()
        return Work.objects.get(title=title)

    def add_page(self, text: str, path: str = "/1", title: str = "某页") -> PageId:
        """A page of the site, compared for copies."""
        url = HOST + path
        fetched = response(self.site.pk, url, text.encode(), self.clock.now())
        return self.add_fetched(fetched, Reading(title=title, text=text))

    def add_fetched(self, fetched: Fetched, reading: Reading) -> PageId:
        self.clock.advance(10)
        stored = self.ports.pages.put(fetched, reading)
        compare_pages([stored.version_id], self.ports)
        return stored.page_id

    def carry(self) -> None:
        """Do what works sent for."""
        messages: list[StepMessage] = self.outbox.drain()
        for message in messages:
            self.clock.advance(1)
            carry(message, self.ports)

    def search(self) -> SearchSummary:
        self.clock.advance(10)
        return self.searching.run()

    def leads(self) -> list[RewordedLead]:
        return list(RewordedLead.objects.order_by("page_id", "text_id"))

    def lead(self) -> RewordedLead:
        return RewordedLead.objects.get()

    def version(self, page: PageId) -> VersionId:
        return VersionId(PageRecord.objects.get(pk=page).version_id)


def reworded_chain() -> RewordedChain:
    """A chain whose holder has short stories looked for by meaning, and has none yet."""
    works, fingerprints, index = MemoryWorkStore(), MemoryFingerprintStore(), MemoryIndex(DEFAULT.id)
    corpus = CorpusCache(StoredCorpus(works, fingerprints, DEFAULT))
    outbox, clock = MemoryOutbox(), ManualClock(MOMENT)
    index.clear()
    ports = Ports(
        pages=MemoryPageStore(),
        works=works,
        fingerprints=fingerprints,
        index=index,
        matcher=Matcher(index, corpus),
        cases=DjangoCaseRepository(CorpusTexts(corpus)),
        outbox=outbox,
        clock=clock,
        algorithm=DEFAULT,
    )
    holder = RightsHolder.objects.create(name="甲", reworded_kinds=KINDS)
    return RewordedChain(holder, watchlist.add_site(holder, f"{HOST}/"), ports, outbox, clock)


def text_id(work: Work) -> WorkTextId:
    return WorkTextId(work.chapters.get().text_id)
