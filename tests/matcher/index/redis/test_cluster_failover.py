"""A cluster of three masters with a replica each, of which a master is killed while look-ups and additions go on."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from core.errors import ServiceUnavailable
from core.ids import WorkTextId
from fingerprint.algorithms import DEFAULT
from fingerprint.fingerprinting import Fingerprint, fingerprint_text
from matcher.index.redis import link
from matcher.index.redis.keys import GenerationKeys, Keys
from matcher.index.redis.redis_index import RedisIndex
from tests.support.corpus_texts import story
from tests.support.embedded import wait_until
from tests.support.index_texts import MANY
from tests.support.redis_server import OwnCluster, own_cluster

TEXTS = {WorkTextId(f"text-{seed}"): fingerprint_text(story(seed, sentences=12)) for seed in range(60)}
BEFORE = 10  # texts that stand in the index when it all begins
KEYS = Keys(DEFAULT.id)


@pytest.fixture
def cluster(tmp_path: Path, processes: None, loopback: None) -> Iterator[OwnCluster]:
    with own_cluster(tmp_path) as made:
        yield made


def open_index(cluster: OwnCluster) -> RedisIndex:
    """The index as another process opens it."""
    return RedisIndex(lambda: link.cluster_client(cluster.url, socket_timeout=5.0))


def is_found_whole(index: RedisIndex, text_id: WorkTextId, print_of: Fingerprint) -> bool:
    hits = index.lookup(np.unique(print_of.hashes), MANY)
    places = {
        hits.positions[row] for row in range(hits.queries.size) if hits.text_id(int(hits.ordinals[row])) == text_id
    }
    return places == set(print_of.anchors.tolist())


class Busy(threading.Thread):
    """Does something again and again until it is told to end; keeps what that raised."""

    def __init__(self, step: Callable[[int], bool]) -> None:
        super().__init__()
        self.done, self.fault = 0, None
        self._step, self._has_ended = step, threading.Event()

    def run(self) -> None:
        try:
            while not self._has_ended.is_set() and self._step(self.done):
                self.done += 1
        except Exception as fault:
            self.fault = fault

    def end(self) -> None:
        self._has_ended.set()
        self.join()


@pytest.mark.parametrize("lost", ["of the texts", "of buckets"])
def test_look_ups_and_additions_go_on_while_a_replica_takes_the_place_of_a_master(
    cluster: OwnCluster, lost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link, "FAILOVER_S", 120.0)  # a busy machine's nodes vote late
    index, ids = open_index(cluster), list(TEXTS)
    index.rebuild([(text_id, TEXTS[text_id]) for text_id in ids[:BEFORE]])
    assert not index.may_have_lost()
    texts = KEYS.revision
    buckets = next(
        marker
        for marker in GenerationKeys(KEYS, index.state().generation).markers
        if cluster.master_of(marker) != cluster.master_of(texts)
    )
    asking, adding = open_index(cluster), open_index(cluster)

    def look_up(turn: int) -> bool:
        text_id = ids[turn % BEFORE]
        assert is_found_whole(asking, text_id, TEXTS[text_id])
        return True

    def add(turn: int) -> bool:
        adding.add(ids[BEFORE + turn], TEXTS[ids[BEFORE + turn]])
        return BEFORE + turn + 1 < len(ids)

    workers = [Busy(look_up), Busy(add)]
    for worker in workers:
        worker.start()
    wait_until(lambda: all(worker.done > 3 for worker in workers), "both are at work")
    cluster.kill(cluster.master_of(texts if lost == "of the texts" else buckets))
    done = [worker.done for worker in workers]
    wait_until(
        lambda: all(w.fault or not w.is_alive() or w.done > d + 5 for w, d in zip(workers, done, strict=True)),
        "both go on",
    )
    for worker in workers:
        worker.end()
    assert [repr(worker.fault and (worker.fault, worker.fault.__cause__)) for worker in workers] == ["None", "None"]
    # What was acknowledged and not copied yet may be gone, as Redis says: that it may be so is known, and a rebuild,
    # which the sweep makes then, mends it.
    assert index.may_have_lost()
    index.rebuild(TEXTS.items())
    assert not open_index(cluster).may_have_lost()
    assert all(is_found_whole(index, text_id, TEXTS[text_id]) for text_id in ids)
    monkeypatch.setattr(link, "FAILOVER_S", 0.3)
    for port in {cluster.master_of(texts), cluster.replica_of(cluster.master_of(texts))}:
        cluster.kill(port)  # so that no replica is left
    for ask in (lambda: index.add(WorkTextId("new"), TEXTS[ids[0]]), index.version, index.may_have_lost):
        with pytest.raises(ServiceUnavailable, match="the index") as refusal:
            ask()
        assert "127.0.0.1" in str(refusal.value)
