"""Opens the stores, the outbox and the ports on first use, and caches them for the process.

The drivers are also imported on first use, because that takes 0.15 s and most commands use no store.
"""

from functools import cache
from typing import TYPE_CHECKING, cast

from django.conf import settings
from django.utils.module_loading import import_string

from core.ports import EvidenceStore, KeptPages, Outbox, WorkStore
from core.settings import Settings

if TYPE_CHECKING:
    from matcher.index.ports import MatchIndex
    from pagestore.mongo import MongoDatabase, MongoPageStore
    from pipeline.steps import Ports


def open_page_store(chosen: Settings, database: "MongoDatabase | None" = None) -> "MongoPageStore":
    """Return the page store that the settings in `chosen` describe.

    database: the store's database, if it is already connected. Raises BadConfiguration if a setting is invalid.
    ServiceUnavailable is raised only by the store's methods.
    """
    from pagestore import opening
    from pagestore.mongo import connect

    if database is None:
        database = connect(chosen.mongo_url)
    return opening.open_page_store(database, chosen.services.raw_url, chosen.s3)


def open_evidence_store(chosen: Settings) -> EvidenceStore:
    """Return the evidence store that the settings in `chosen` describe. Raises the same errors as `open_page_store`."""
    from pagestore.evidence import open_evidence

    return open_evidence(chosen.evidence.url, chosen.mongo_url, chosen.s3)


@cache
def page_store() -> KeptPages:
    """Return the page store of this process. Only its methods raise ServiceUnavailable."""
    return open_page_store(settings.ZHUIWEN)


@cache
def work_store() -> WorkStore:
    """Return this process's store of the texts of works. Only its methods raise ServiceUnavailable."""
    from pagestore.mongo import MongoWorkStore, connect

    return MongoWorkStore(connect(settings.ZHUIWEN.mongo_url))


@cache
def evidence_store() -> EvidenceStore:
    """Return the evidence store of this process. Only its methods raise ServiceUnavailable."""
    return open_evidence_store(settings.ZHUIWEN)


@cache
def outbox() -> Outbox:
    """Return the outbox of this process, an instance of the class that ZHUIWEN_OUTBOX names."""
    return cast("Outbox", import_string(settings.ZHUIWEN_OUTBOX)())


def index() -> "MatchIndex":
    """Return a new client of the index of works, for one thread. Only its methods raise ServiceUnavailable."""
    from pipeline.connections import match_index

    return match_index(settings.ZHUIWEN)


def live(chosen: Settings) -> "Ports":
    """Return the ports of this process: the result of the function that ZHUIWEN_PORTS names for the settings."""
    return cast("Ports", import_string(settings.ZHUIWEN_PORTS)(chosen))
