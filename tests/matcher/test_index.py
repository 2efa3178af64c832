"""One contract for both indexes, and what only the one in Redis can be asked."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
import redis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.backoff import NoBackoff
from redis.retry import Retry

from core.errors import AlgorithmMismatch, IndexStale, ServiceUnavailable
from core.ids import WorkTextId
from fingerprint.algorithms import ALGORITHMS
from fingerprint.fingerprinting import fingerprint_text
from matcher.memory_index import MemoryIndex
from matcher.ports import Hits, MatchIndex
from matcher.redis_index import RedisIndex
from tests.support.corpus_texts import story

PRINTS = {WorkTextId(f"text-{seed}"): fingerprint_text(story(seed, sentences=12)) for seed in range(6)}
IDS = list(PRINTS)
A, B, C = IDS[:3]
MANY = 10_000


@pytest.fixture
def client(redis_url: str) -> Iterator[redis.Redis]:
    client = redis.Redis.from_url(redis_url)
    client.flushdb()
    yield client
    client.close()


@pytest.fixture(params=["memory", "redis"])
def new_index(request: pytest.FixtureRequest) -> Callable[[], MatchIndex]:
    """Makes an index that nobody has opened."""
    if request.param == "memory":
        return lambda: MemoryIndex(is_open=False)
    client = request.getfixturevalue("client")
    return lambda: RedisIndex(client)


@pytest.fixture
def index(new_index: Callable[[], MatchIndex]) -> MatchIndex:
    index = new_index()
    index.clear()
    return index


def occurrences(hits: Hits) -> set[tuple[int, str, int]]:
    rows = zip(hits.queries.tolist(), hits.ordinals.tolist(), hits.positions.tolist(), strict=True)
    listed = [(query, str(hits.texts[ordinal]), position) for query, ordinal, position in rows]
    assert len(listed) == len(set(listed)), "an occurrence was given twice"
    return set(listed)


def found(index: MatchIndex, text_id: WorkTextId, max_postings: int = MANY) -> set[tuple[int, str, int]]:
    return occurrences(index.lookup(np.unique(PRINTS[text_id].hashes), max_postings))


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

    def test_adding_twice_is_adding_once(self, index: MatchIndex) -> None:
        index.add(A, PRINTS[A])
        state, once = index.state(), found(index, A)
        index.add(A, PRINTS[A])
        assert index.state() == state
        assert found(index, A) == once

    def test_a_removed_text_is_gone_and_the_others_stay(self, index: MatchIndex) -> None:
        for text_id in (A, B):
            index.add(text_id, PRINTS[text_id])
        kept = {row for row in found(index, B) if row[1] == B}
        index.remove(A)
        assert found(index, B) == kept
        assert all(row[1] == B for row in found(index, A))
        assert index.text_ids() == {B}
        assert index.state().postings == PRINTS[B].hashes.size

    def test_a_text_can_come_back(self, index: MatchIndex) -> None:
        index.add(A, PRINTS[A])
        before = found(index, A)
        index.remove(A)
        index.add(A, PRINTS[A])
        assert found(index, A) == before
        assert index.state().postings == PRINTS[A].hashes.size

    def test_removing_what_is_not_there_changes_nothing(self, index: MatchIndex) -> None:
        index.add(A, PRINTS[A])
        state = index.state()
        index.remove(B)
        assert index.state() == state

    def test_the_revision_counts_additions_and_removals(self, index: MatchIndex) -> None:
        start = index.state().corpus_revision
        index.add(A, PRINTS[A])
        index.add(B, PRINTS[B])
        index.remove(A)
        assert index.state().corpus_revision == start + 3

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

    def test_the_old_generation_answers_until_the_switch(self, index: MatchIndex) -> None:
        index.add(A, PRINTS[A])
        expected = found(index, A)

        def entries() -> Iterator[tuple[WorkTextId, object]]:
            yield B, PRINTS[B]
            assert found(index, A) == expected

        index.rebuild(entries())
        assert index.text_ids() == {B}

    def test_a_rebuild_that_fails_leaves_everything_as_it_was(self, index: MatchIndex) -> None:
        index.add(A, PRINTS[A])
        state, expected = index.state(), found(index, A)

        def entries() -> Iterator[tuple[WorkTextId, object]]:
            yield B, PRINTS[B]
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            index.rebuild(entries())
        assert (index.state(), found(index, A)) == (state, expected)
        index.rebuild([(C, PRINTS[C])])
        assert index.text_ids() == {C}

    def test_a_fingerprint_of_another_algorithm_is_refused(self, index: MatchIndex) -> None:
        with pytest.raises(AlgorithmMismatch):
            index.add(A, fingerprint_text("字", ALGORITHMS[2]))

    def test_a_text_without_chinese_is_known_and_harmless(self, index: MatchIndex) -> None:
        index.add(A, fingerprint_text("nothing here"))
        assert index.text_ids() == {A}
        index.remove(A)
        assert index.text_ids() == frozenset()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(["add", "remove", "rebuild"]), st.sampled_from(IDS)), max_size=12))
def test_both_indexes_give_the_same_answers(client: redis.Redis, steps: list[tuple[str, WorkTextId]]) -> None:
    client.flushdb()
    both: list[MatchIndex] = [MemoryIndex(is_open=False), RedisIndex(client, bucket_bits=8)]
    for index in both:
        index.clear()
        for verb, text_id in steps:
            if verb == "add":
                index.add(text_id, PRINTS[text_id])
            elif verb == "remove":
                index.remove(text_id)
            else:
                index.rebuild([(known, PRINTS[known]) for known in sorted(index.text_ids())[1:]])
    memory, live = (index.state() for index in both)
    assert (memory.texts, memory.postings, memory.corpus_revision) == (live.texts, live.postings, live.corpus_revision)
    for text_id in IDS[:3]:
        for cap in (1, MANY):
            assert found(both[0], text_id, cap) == found(both[1], text_id, cap)


class _DiesAfter(redis.Redis):
    """A client whose process is killed after so many commands."""

    commands_left = MANY

    def execute_command(self, *args: object, **options: object) -> object:
        self.commands_left -= 1
        if self.commands_left < 0:
            raise KeyboardInterrupt
        return super().execute_command(*args, **options)


@pytest.mark.parametrize("commands", range(1, 12))
def test_an_addition_that_was_killed_is_not_there_and_can_be_repeated(
    redis_url: str, client: redis.Redis, commands: int
) -> None:
    RedisIndex(client).clear()
    dying = _DiesAfter.from_url(redis_url)
    dying.commands_left = commands
    try:
        RedisIndex(dying).add(A, PRINTS[A])
    except KeyboardInterrupt:
        assert RedisIndex(client).text_ids() == frozenset()
        assert found(RedisIndex(client), A) == set()
    index = RedisIndex(client)
    index.add(A, PRINTS[A])
    assert {row[1] for row in found(index, A)} == {A}
    assert len(found(index, A)) == index.state().postings == _stored_postings(client)


@pytest.mark.parametrize("commands", range(1, 10))
def test_a_removal_that_was_killed_can_be_repeated(
    redis_url: str, client: redis.Redis, commands: int
) -> None:
    index = RedisIndex(client)
    index.clear()
    index.add(A, PRINTS[A])
    dying = _DiesAfter.from_url(redis_url)
    dying.commands_left = commands
    try:
        RedisIndex(dying).remove(A)
    except KeyboardInterrupt:
        assert found(index, A) == set() or A in index.text_ids()
    index.remove(A)
    index.add(B, PRINTS[B])
    index.tidy()
    assert _stored_postings(client) == index.state().postings == PRINTS[B].hashes.size


def test_an_addition_during_a_rebuild_is_not_lost(client: redis.Redis) -> None:
    index, other = RedisIndex(client), RedisIndex(client)
    index.clear()

    def entries() -> Iterator[tuple[WorkTextId, object]]:
        yield A, PRINTS[A]
        other.add(B, PRINTS[B])

    index.rebuild(entries())
    assert index.text_ids() == {A, B}
    assert other.text_ids() == {A, B}


def test_another_process_sees_the_new_generation_and_the_names_that_changed(client: redis.Redis) -> None:
    index, other = RedisIndex(client), RedisIndex(client, bucket_bits=10)
    index.rebuild([(A, PRINTS[A])])
    assert found(other, A)
    index.remove(A)
    assert found(other, A) == set()
    other.rebuild([(B, PRINTS[B])])
    assert {row[1] for row in found(index, B)} == {B}


def test_an_index_that_redis_lost_is_noticed(client: redis.Redis) -> None:
    index = RedisIndex(client)
    index.rebuild([(A, PRINTS[A])])
    found(index, A)
    client.flushdb()
    assert index.state().generation == 0
    with pytest.raises(IndexStale):
        found(index, A)


def test_an_old_generation_leaves_nothing_behind(client: redis.Redis) -> None:
    index = RedisIndex(client)
    index.rebuild([(A, PRINTS[A]), (B, PRINTS[B])])
    old = index.state().generation
    index.rebuild([(C, PRINTS[C])])
    assert not list(client.scan_iter(match=f"zw:{{1*}}:{old}:*"))


def test_two_algorithms_share_a_server_without_meeting(client: redis.Redis) -> None:
    first, second = RedisIndex(client, 1), RedisIndex(client, 2)
    first.rebuild([(A, PRINTS[A])])
    assert second.state().generation == 0


def test_a_server_that_does_not_answer_is_named() -> None:
    index = RedisIndex(redis.Redis(host="127.0.0.1", port=1, retry=Retry(NoBackoff(), 0)))
    for ask in (index.state, index.text_ids, index.clear, lambda: index.add(A, PRINTS[A])):
        with pytest.raises(ServiceUnavailable, match=r"127\.0\.0\.1:1"):
            ask()


def _stored_postings(client: redis.Redis) -> int:
    return sum(client.strlen(key) for key in client.scan_iter(match="zw:{1:*}:b:*")) // 8
