"""Every test of the page store is held to what the docs say a server must know, and what no server may be given."""

from collections.abc import Iterator

import pymongo.monitoring
import pytest

from tests.pagestore.commands import Recorder, documented

RECORDER = Recorder()
pymongo.monitoring.register(RECORDER)  # of all clients that are made from now on


@pytest.fixture(autouse=True)
def recorder() -> Iterator[Recorder]:
    """Return what the page store sends during a test."""
    RECORDER.sent.clear()
    RECORDER.unportable.clear()
    yield RECORDER
    known = documented()
    unknown = {name: words - known.get(name, set()) for name, words in RECORDER.sent.items()}
    assert not {name: words for name, words in unknown.items() if words or name not in known}
    assert not RECORDER.unportable
