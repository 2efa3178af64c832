"""Give every test what it may use. A test never sees the home folder of an installation."""

import gc
import os
from collections.abc import Iterator
from functools import partial

import pytest
import scrapy.core.downloader.handlers.http11  # noqa: F401 - looks at all modules that are there: early, at few
from hypothesis import settings

import tests.support.environment  # noqa: F401 - before anything reads it
from core.garbage import freeze_loaded_objects

gc.disable()  # until all is collected, none of which ends before: a fifth of the collecting

# In CI the same examples each time: a new one that fails belongs to whoever searches, not to an unrelated change.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("here", deadline=None)
# For `make quick`: a tenth of the examples, the same each time. `make test` goes on searching.
settings.register_profile("quick", max_examples=10, derandomize=True, deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "here")

# Real services on free ports, for whoever asks for `mongo_url` or `redis_url`; marks from fixtures; servers that throw.
pytest_plugins = [
    "tests.support.embedded",
    "tests.support.made_tables",
    "tests.support.redis_server",
    "tests.support.s3_server",
    "tests.support.ready_reader",
    "tests.support.needs",
    "tests.support.own_servers",
    "tests.support.languages",
]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each worker begins with its share of the long ones: browsers, processes, computing; or one waits at the end.

    A worker is given as many neighbours as any other, in their order, and takes over from others when it is done.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    long = [item for item in items if any(map(item.get_closest_marker, ("browser", "process", "slow")))]
    chosen = set(long)
    short = [item for item in items if item not in chosen]
    items[:] = [item for worker in range(workers) for part in (long, short) for item in _share(part, worker, workers)]


def _share(items: list[pytest.Item], worker: int, workers: int) -> list[pytest.Item]:
    return items[len(items) * worker // workers : len(items) * (worker + 1) // workers]


def pytest_collection_finish() -> None:
    """Keep what is there now to the end: the collector need not look at it again (a tenth of a run's time).

    Of what comes it looks at 20,000 objects at a time in place of 700: a fifteenth of what tests of the desk take.
    """
    gc.enable()
    freeze_loaded_objects()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session")
def django_db_setup(copied_tables: pytest.MonkeyPatch, django_db_setup: None) -> None:
    """pytest-django's own, with tables that are copied."""
    copied_tables.undo()


@pytest.fixture
def outbox(monkeypatch: pytest.MonkeyPatch) -> object:
    """Collect what services send, in place of giving it to the broker."""
    from tests.support.desk import CollectingOutbox
    from webadmin import stores

    collecting = CollectingOutbox()
    monkeypatch.setattr(stores, "outbox", lambda: collecting)
    return collecting


@pytest.fixture
def evidence_store(monkeypatch: pytest.MonkeyPatch) -> object:
    """Keep evidence and the files of a rights holder in memory."""
    from tests.support.memory_evidence import MemoryEvidenceStore
    from webadmin import stores

    kept = MemoryEvidenceStore()
    monkeypatch.setattr(stores, "evidence_store", lambda: kept)
    return kept


@pytest.fixture(scope="module")
def kept(request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: object) -> Iterator[object]:
    """Fill in what the module's `fill` writes, else a world of CASES cases each: once for all its tests.

    Each test changes a copy of it; what it does to the rows is undone.
    """
    from tests.support import admin_data

    cases = getattr(request.module, "CASES", 6)
    fill = getattr(request.module, "fill", partial(admin_data.fill_world, cases))
    yield from admin_data.kept_world(django_db_blocker, fill)
