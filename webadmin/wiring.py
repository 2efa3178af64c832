"""Builds the ports of the pipeline with Django's implementations."""

from functools import cache

from core.clock import SystemClock
from core.settings import Settings
from fingerprint.algorithms import DEFAULT
from matcher.corpus import CorpusCache
from matcher.matching import Matcher
from pagestore.mongo import MongoFingerprintStore, MongoWorkStore, connect
from pipeline.connections import match_index
from pipeline.corpus import CorpusTexts, StoredCorpus
from pipeline.outbox import CeleryOutbox
from pipeline.steps import Ports
from webadmin.cases.services.case_repository import DjangoCaseRepository
from webadmin.stores import open_page_store


@cache
def live_ports(settings: Settings) -> Ports:
    """Return the ports of this process, not yet connected. If a service is down, the first call to it fails."""
    database = connect(settings.mongo_url)
    works, fingerprints = MongoWorkStore(database), MongoFingerprintStore(database)
    index = match_index(settings)
    corpus = CorpusCache(StoredCorpus(works, fingerprints, DEFAULT))
    return Ports(
        pages=open_page_store(settings, database),
        works=works,
        fingerprints=fingerprints,
        index=index,
        matcher=Matcher(index, corpus),
        cases=DjangoCaseRepository(CorpusTexts(corpus)),
        outbox=CeleryOutbox(),
        clock=SystemClock(),
        algorithm=DEFAULT,
    )
