"""One contract for all indexes: in memory, in Redis on one server and in a cluster, and behind a snapshot."""

from collections.abc import Callable, Iterator
from operator import itemgetter
from pathlib import Path

import numpy as np
import pytest
import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.cluster import RedisCluster

from core.errors import AlgorithmMismatch, IndexStale
from core.ids import WorkTextId
from fingerprint.algorithms import ALGORITHMS
from fingerprint.fingerprinting import fingerprint_text
from matcher.index.memory import MemoryIndex
from matcher.index.ports import MatchIndex
from matcher.index.postings import MAX_POSTINGS_OF_HASH_IN_TEXT
from matcher.index.redis.redis_index import RedisIndex
from tests.support.index_texts import IDS, MANY, PRINTS, RefreshedIndex, found, occurrences

A, B, C = IDS[:3]


@pytest.fixture(
    params=[("memory",), ("redis", "redis_url"), ("cluster", "redis_cluster_url"), ("snapshot", "redis_url")],
    ids=itemgetter(0),
)
def new_index(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], MatchIndex]:
    """Makes an index that nobody has opened."""
    kind = request.param[0]
    if kind == "memory":
        return lambda: MemoryIndex(is_open=False)
    if kind == "cluster":
        return lambda: RedisIndex(request.getfixturevalue("cluster"))
    client = request.getfixturevalue("client")
    if kind == "redis":
        return lambda: RedisIndex(client)
    return lambda: RefreshedIndex(RedisIndex(client), tmp_path)


@pytest.fixture
def index(new_index: Callable[[], MatchIndex]) -> MatchIndex:
    index = new_index()
    index.clear()
    return index


class TestEveryIndex:
    def test_one_that_nobody_opened_answers_nothing(self, new_index: Callable[[], MatchIndex]) -> None:
        index = new_index()
        assert index.state().generation == 0
        for ask in (lambda: found(index, A), lambda: index.add(A, PRINTS[A]), lambda: index.remove(A)):
            with pytest.raises(IndexStale, match="zhuiwen index rebuild"):
                ask()

    def test_an_open_one_without_texts_finds_nothing(self, index: MatchIndex) -> None:
        assert found(index, A) == set()
        assert index.lookup(np.zeros(0, np.uint64), 10).queries.size == 0
        assert (index.state().generation > 0, index.state().texts, index.state().postings) == (True, 0, 0)

    def test_every_anchor_of_a_text_is_found_at_its_place(self, index: MatchIndex) -> None:
        index.add(A, PRINTS[A])
        index.add(B, PRINTS[B])
        hashes = np.unique(PRINTS[A].hashes)
        expected = {
            (int(np.searchsorted(hashes, value)), str(A), position)
            for value, position in zip(PRINTS[A].hashes.tolist(), PRINTS[A].anchors.tolist(), strict=True)
        }
        assert {row for row in found(index, A) if row[1] == A} == expected

    def test_adding_or_removing_twice_is_doing_it_once(self, index: MatchIndex) -> None:
        start = index.state().corpus_revision
        for verb, count in ((index.add, 1), (index.remove, 2), (index.add, 3)):
            arguments = (A, PRINTS[A]) if verb == index.add else (A,)
            verb(*arguments)
            state, once = index.state(), found(index, A)
            verb(*arguments)
            assert (index.state(), found(index, A)) == (state, once)
            assert state.corpus_revision == start + count
            assert state.postings == len(once) == (PRINTS[A].hashes.size if verb == index.add else 0)

    def test_a_removed_text_is_gone_and_the_others_stay(self, index: MatchIndex) -> None:
        for text_id in (A, B):
            index.add(text_id, PRINTS[text_id])
        index.add(C, fingerprint_text("nothing here"))
        kept = {row for row in found(index, B) if row[1] == B}
        assert index.text_ids() == {A, B, C}
        index.remove(A)
        index.remove(C)
        assert found(index, B) == kept
        assert all(row[1] == B for row in found(index, A))
        assert index.text_ids() == {B}
        assert index.state().postings == PRINTS[B].hashes.size

    def test_a_hash_that_occurs_too_often_is_left_out_and_counted(self, index: MatchIndex) -> None:
        for text_id in (A, B):
            index.add(text_id, PRINTS[A])
        hits = index.lookup(np.unique(PRINTS[A].hashes), 1)
        assert (hits.queries.size, hits.capped) == (0, np.unique(PRINTS[A].hashes).size)
        assert index.lookup(np.unique(PRINTS[A].hashes), 2).capped <= hits.capped

    def test_a_rebuild_replaces_the_texts_and_moves_on(self, index: MatchIndex) -> None:
        index.add(A, PRINTS[A])
        before = index.state()
        after = index.rebuild([(B, PRINTS[B]), (C, PRINTS[C])])
        assert after == index.state()
        assert after.generation > before.generation
        assert after.corpus_revision > before.corpus_revision
        assert index.text_ids() == {B, C}
        assert not any(row[1] == A for row in found(index, A))

    def test_a_rebuild_of_the_same_texts_keeps_the_revision(self, index: MatchIndex) -> None:
        index.add(A, PRINTS[A])
        revision = index.state().corpus_revision
        assert index.rebuild([(A, PRINTS[A])]).corpus_revision == revision

    def test_a_lost_index_goes_on_from_the_last_known_revision(self, new_index: Callable[[], MatchIndex]) -> None:
        assert new_index().rebuild([(A, PRINTS[A])], min_revision=41).corpus_revision > 41

    def test_the_old_generation_answers_until_the_switch_and_when_a_rebuild_fails(self, index: MatchIndex) -> None:
        index.add(A, PRINTS[A])
        state, expected = index.state(), found(index, A)

        def entries() -> Iterator[tuple[WorkTextId, object]]:
            yield B, PRINTS[B]
            assert found(index, A) == expected
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            index.rebuild(entries())
        assert (index.state(), found(index, A)) == (state, expected)
        index.rebuild([(C, PRINTS[C])])
        assert index.text_ids() == {C}

    def test_a_fingerprint_of_another_algorithm_is_refused(self, index: MatchIndex) -> None:
        with pytest.raises(AlgorithmMismatch):
            index.add(A, fingerprint_text("字", ALGORITHMS[2]))

    def test_each_hash_is_counted_those_that_are_left_out_too(self, index: MatchIndex) -> None:
        index.add(A, PRINTS[A])
        index.add(B, PRINTS[A])
        hashes = np.unique(np.append(PRINTS[A].hashes, np.uint64(12345)))
        once = np.array([np.count_nonzero(PRINTS[A].hashes == each) for each in hashes])
        for cap in (1, MANY):
            assert index.lookup(hashes, cap).counts.tolist() == (2 * once).tolist()
        index.remove(A)
        assert index.lookup(hashes, MANY).counts.tolist() == once.tolist()

    def test_of_a_passage_that_a_text_repeats_the_first_places_are_found(self, index: MatchIndex) -> None:
        refrain = fingerprint_text("山中何所有岭上多白云只可自怡悦不堪持赠君" * 40)
        index.add(A, refrain)
        hashes = np.unique(refrain.hashes)
        hits = index.lookup(hashes, MANY)
        assert hits.counts.max() == MAX_POSTINGS_OF_HASH_IN_TEXT
        for query, value in enumerate(hashes):
            expected = refrain.anchors[refrain.hashes == value][:MAX_POSTINGS_OF_HASH_IN_TEXT]
            assert sorted(hits.positions[hits.queries == query].tolist()) == expected.tolist()

    def test_tidying_up_changes_no_answer(self, index: MatchIndex) -> None:
        for text_id in IDS:
            index.add(text_id, PRINTS[text_id])
        for text_id in (A, C):
            index.remove(text_id)
        state, expected = index.state(), found(index, B)
        index.tidy()
        assert (index.state(), found(index, B), found(index, A)) == (state, expected, found(index, A))
        index.add(A, PRINTS[A])
        assert {row[1] for row in found(index, A)} >= {str(A)}


STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "add", "remove", "rebuild", "tidy", "look up"]), st.sampled_from(IDS)),
    max_size=14,
)
GENERATED = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@GENERATED
@given(STEPS)
def test_all_indexes_give_the_same_answers(
    client: redis.Redis, tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, WorkTextId]]
) -> None:
    client.flushdb()
    live = RedisIndex(client, bucket_bits=8)
    _same_answers([MemoryIndex(is_open=False), live], steps)
    client.flushdb()
    _same_answers([MemoryIndex(is_open=False), RefreshedIndex(live, tmp_path_factory.mktemp("snapshots"))], steps)


@settings(GENERATED, max_examples=4)
@given(STEPS)
def test_a_cluster_gives_the_same_answers(cluster: RedisCluster, steps: list[tuple[str, WorkTextId]]) -> None:
    cluster.flushall(target_nodes=RedisCluster.PRIMARIES)
    _same_answers([MemoryIndex(is_open=False), RedisIndex(cluster, bucket_bits=8)], steps)


def _same_answers(both: list[MatchIndex], steps: list[tuple[str, WorkTextId]]) -> None:
    for index in both:
        index.clear()
        for verb, text_id in steps:
            _do(index, verb, text_id)
    memory, other = (index.state() for index in both)
    assert (memory.texts, memory.postings, memory.corpus_revision) == (
        other.texts,
        other.postings,
        other.corpus_revision,
    )
    for text_id in IDS[:3]:
        hashes = np.unique(PRINTS[text_id].hashes)
        for cap in (1, MANY):
            first, second = (index.lookup(hashes, cap) for index in both)
            assert occurrences(first) == occurrences(second)
            assert (first.capped, first.postings, first.counts.tolist()) == (
                second.capped,
                second.postings,
                second.counts.tolist(),
            )


def _do(index: MatchIndex, verb: str, text_id: WorkTextId) -> None:
    if verb == "add":
        index.add(text_id, PRINTS[text_id])
    elif verb == "remove":
        index.remove(text_id)
    elif verb == "tidy":
        index.tidy()
    elif verb == "look up":
        found(index, text_id)
    else:
        index.rebuild([(known, PRINTS[known]) for known in sorted(index.text_ids())[1:]])
