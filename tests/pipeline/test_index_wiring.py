"""Test which index the settings put together, and who keeps its snapshot new."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import redis

from core.errors import ServiceUnavailable
from core.settings import Settings
from core.settings_loading import load
from matcher.index.ports import MatchIndex
from matcher.index.redis.redis_index import RedisIndex
from matcher.index.snapshot.snapshot_index import SnapshotIndex
from pipeline.connections import match_index
from pipeline.rebuild import refresh_snapshot
from tests.support.corpus_texts import story
from tests.support.index_texts import IDS, PRINTS, found
from tests.support.memory_chain import chain


@pytest.fixture
def empty_url(redis_url: str) -> str:
    with redis.Redis.from_url(redis_url) as client:
        client.flushdb()
    return redis_url


def settings_with(tmp_path: Path, **variables: str) -> Settings:
    return load({"ZHUIWEN_HOME": str(tmp_path), **{f"ZHUIWEN_{name}": value for name, value in variables.items()}})


def is_working(index: MatchIndex) -> bool:
    index.rebuild(PRINTS.items())
    return bool(found(index, IDS[0]))


def test_the_index_lies_on_the_one_redis_unless_it_has_its_own(tmp_path: Path, empty_url: str) -> None:
    index = match_index(settings_with(tmp_path, REDIS_URL=empty_url))
    assert isinstance(index, RedisIndex)
    assert is_working(index)
    elsewhere = settings_with(tmp_path, REDIS_URL="redis://127.0.0.1:1/0", INDEX_URL=empty_url)
    assert match_index(elsewhere).state().texts == len(IDS)


@pytest.mark.usefixtures("loopback")
@pytest.mark.parametrize("url", ["redis://127.0.0.1:1/0", "redis+cluster://127.0.0.1:1"])
def test_nothing_is_connected_before_it_is_used(tmp_path: Path, url: str) -> None:
    index = match_index(settings_with(tmp_path, INDEX_URL=url, INDEX_SNAPSHOT=str(tmp_path / "shared")))
    with pytest.raises(ServiceUnavailable, match="the index"):
        index.state()


def test_the_upkeep_keeps_a_snapshot_where_one_is_asked_for(tmp_path: Path, empty_url: str) -> None:
    settings = settings_with(tmp_path, REDIS_URL=empty_url, INDEX_SNAPSHOT=str(tmp_path / "shared"))
    index = match_index(settings)
    assert isinstance(index, SnapshotIndex)
    index.clear()
    made = chain()
    ports = replace(made.ports, index=index)
    made.ports = ports
    made.add_work("书", story(5))
    made.run()
    assert refresh_snapshot(ports)
    assert not refresh_snapshot(ports, is_urgent=True)
    hits = index.lookup(np.zeros(0, np.uint64), 1)
    assert index.uses_snapshot
    assert hits.postings == index.state().postings > 0
