"""The stores, the outbox and the ports as every application reaches them: opened at first use, kept by the process.

The driver is imported then, too: most commands of the command line never ask a store, and it takes them .15 s.
"""

from functools import cache
from typing import TYPE_CHECKING, cast

from django.conf import settings
from django.utils.module_loading import import_string

from core.ports import EvidenceStore, KeptPages, Outbox, RecentAnswers, WorkStore
from core.settings import Settings

if TYPE_CHECKING:
    from matcher.index.ports import MatchIndex
    from pagestore.mongo import MongoDatabase, MongoPageStore
    from pipeline.steps import Ports


def open_page_store(chosen: Settings, database: "MongoDatabase | None" = None) -> "MongoPageStore":
    """Pages and raw responses where the settings say; `database`: the page store's, if it is connected already.

    Raises ServiceUnavailable at its calls, not here; BadConfiguration here.
    """
    from pagestore import opening
    from pagestore.mongo import connect

    if database is None:
        database = connect(chosen.mongo_url)
    return opening.open_page_store(database, chosen.services.raw_url, chosen.s3)


def recent_answers(chosen: Settings) -> RecentAnswers:
    """Answers that sites of one host share. Raises ServiceUnavailable at its calls, not here."""
    from pagestore.mongo import connect
    from pagestore.recent_answers import MongoRecentAnswers

    return MongoRecentAnswers(connect(chosen.mongo_url))


def open_evidence_store(chosen: Settings) -> EvidenceStore:
    """Evidence where the settings say; as `open_page_store`."""
    from pagestore.evidence import open_evidence

    return open_evidence(chosen.evidence.url, chosen.mongo_url, chosen.s3)


@cache
def page_store() -> KeptPages:
    """Raises ServiceUnavailable at its calls, not here."""
    return open_page_store(settings.ZHUIWEN)


@cache
def work_store() -> WorkStore:
    """Raises ServiceUnavailable at its calls, not here."""
    from pagestore.mongo import MongoWorkStore, connect

    return MongoWorkStore(connect(settings.ZHUIWEN.mongo_url))


@cache
def evidence_store() -> EvidenceStore:
    """Raises ServiceUnavailable at its calls, not here."""
    return open_evidence_store(settings.ZHUIWEN)


@cache
def outbox() -> Outbox:
    """Return the outbox that ZHUIWEN_OUTBOX names."""
    return cast("Outbox", import_string(settings.ZHUIWEN_OUTBOX)())


def index() -> "MatchIndex":
    """Return the index of the works, a new one for each caller: it belongs to one thread.

    Raises ServiceUnavailable at its calls, not here.
    """
    from pipeline.connections import match_index

    return match_index(settings.ZHUIWEN)


def live(chosen: Settings) -> "Ports":
    """Return the ports of this process, which ZHUIWEN_PORTS puts together."""
    return cast("Ports", import_string(settings.ZHUIWEN_PORTS)(chosen))
