"""Which implementations are in use: the one place that puts the live ones together."""

from functools import cache

import redis

from core.clock import SystemClock
from core.settings import Settings
from fingerprint.algorithms import DEFAULT
from matcher.matching import CorpusCache, Matcher
from matcher.redis_index import RedisIndex
from pagestore.mongo import MongoFingerprintStore, MongoPageStore, MongoWorkStore, connect
from pipeline.corpus import StoredCorpus
from pipeline.outbox import CeleryOutbox
from pipeline.steps import Ports
from webadmin.casebook import DjangoCaseBook

REDIS_TIMEOUT_S = 20.0  # a look-up takes milliseconds; a rebuild's largest pipeline took under 1 s


@cache
def live(settings: Settings) -> Ports:
    """The ports of this process. Nothing is connected yet: a service that is down shows at the first call."""
    database = connect(settings.mongo_url)
    works, fingerprints = MongoWorkStore(database), MongoFingerprintStore(database)
    index = RedisIndex(redis_client(settings), DEFAULT.id)
    corpus = CorpusCache(StoredCorpus(works, fingerprints, DEFAULT))
    return Ports(
        pages=MongoPageStore(database),
        works=works,
        fingerprints=fingerprints,
        index=index,
        matcher=Matcher(index, corpus),
        cases=DjangoCaseBook(works),
        outbox=CeleryOutbox(),
        clock=SystemClock(),
        algorithm=DEFAULT,
    )


def redis_client(settings: Settings) -> "redis.Redis":
    """A client of the index's Redis; connects at first use."""
    return redis.Redis.from_url(
        settings.redis_url, socket_timeout=REDIS_TIMEOUT_S, socket_connect_timeout=REDIS_TIMEOUT_S
    )
