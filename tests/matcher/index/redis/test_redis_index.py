"""Test an index in Redis: processes that die or work at the same time, memory, servers, keys."""

import os
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import redis
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.exceptions import RedisClusterException
from redis.retry import Retry

from core.errors import IndexStale, ServiceUnavailable
from core.ids import WorkTextId
from fingerprint.algorithms import ALGORITHMS, DEFAULT
from fingerprint.fingerprinting import Fingerprint, fingerprint_text
from matcher.index.memory import MemoryIndex
from matcher.index.postings import sorted_postings
from matcher.index.redis import compaction as redis_compaction
from matcher.index.redis.generation import Generation
from matcher.index.redis.journal import JournalEntry
from matcher.index.redis.keys import Keys
from matcher.index.redis.link import RedisLink
from matcher.index.redis.redis_index import RedisIndex
from matcher.index.redis.scripts import TEXT_IS_THERE
from matcher.index.redis.text_table import pack_id
from tests.support.corpus_texts import story
from tests.support.index_texts import IDS, MANY, PRINTS, found, occurrences

A, B, C = IDS[:3]
PLAIN = ALGORITHMS[1]  # another than the default
# Long enough for several scripts: an addition can be cut off in the middle of its postings.
LONG = fingerprint_text(story(77, sentences=180))


def count_keys(client: redis.Redis, generation: Generation, field: str) -> int:
    """A number of the generation's meta."""
    return int(client.hget(generation.names.meta, field) or 0)


class _Dying(redis.Redis):
    """A client whose process is killed after so many commands, in the middle of a pipeline too."""

    commands_left = MANY

    def execute_command(self, *args: object, **options: object) -> object:
        self.commands_left -= 1
        if self.commands_left < 0:
            raise KeyboardInterrupt
        return super().execute_command(*args, **options)

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Any:
        return _OneByOne(self)


class _Twice(redis.Redis):
    """A client that never hears the first answer, and asks again, as one of a cluster does when a server goes."""

    def execute_command(self, *args: object, **options: object) -> object:
        super().execute_command(*args, **options)
        return super().execute_command(*args, **options)

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> Any:
        return _OneByOne(self)


class _OneByOne:
    def __init__(self, client: redis.Redis) -> None:
        self._client, self._commands = client, list[tuple[object, ...]]()

    def execute_command(self, *command: object) -> None:
        self._commands.append(command)

    def execute(self) -> list[object]:
        return [self._client.execute_command(*command) for command in self._commands]


def _dying(redis_url: str, commands: int) -> _Dying:
    dying = _Dying.from_url(redis_url)
    dying.commands_left = commands
    return dying


def _stored_postings(client: redis.Redis) -> int:
    return sum(client.strlen(key) for key in client.scan_iter(match=f"{Keys(DEFAULT.id).algorithm}{{*}}:b:*")) // 8


def test_a_command_that_is_given_twice_does_once_what_it_does(redis_url: str, client: redis.Redis) -> None:
    memory, twice = MemoryIndex(is_open=False), RedisIndex(_Twice.from_url(redis_url), bucket_bits=8)
    once = RedisIndex(client)
    for index in (memory, twice):
        index.rebuild([(A, PRINTS[A]), (B, PRINTS[B])])
        assert index.add(C, PRINTS[C]), "it was missing, also where the second run of a script finds it"
        index.remove(A)
        index.tidy()
        index.rebuild([(B, PRINTS[B]), (C, PRINTS[C])])
    assert found(once, B) == found(memory, B)  # and has read which texts there are
    for index in (memory, twice):
        index.add(A, PRINTS[A])
    assert once.text_ids() == {A, B, C}
    assert (once.state().texts, once.state().postings) == (3, memory.state().postings)
    for text_id in (A, B, C):
        assert found(once, text_id) == found(memory, text_id)


class TestProcessesThatDie:
    @pytest.mark.parametrize("commands", range(2, 12, 2))
    def test_an_addition_that_was_killed_is_not_there_and_can_be_repeated(
        self, redis_url: str, client: redis.Redis, commands: int
    ) -> None:
        index = RedisIndex(client)
        index.clear()
        hashes = np.unique(LONG.hashes)
        try:
            RedisIndex(_dying(redis_url, commands)).add(A, LONG)
        except KeyboardInterrupt:
            assert index.text_ids() == frozenset()
            assert index.lookup(hashes, MANY).queries.size == 0
            assert not index.lookup(hashes, MANY).counts.any()
        index.add(A, LONG)
        rows = occurrences(index.lookup(hashes, MANY))
        assert len(rows) == index.state().postings == _stored_postings(client) > 1000

    def test_an_addition_that_was_killed_and_given_up_is_freed(self, redis_url: str, client: redis.Redis) -> None:
        index = RedisIndex(client)
        index.clear()
        with pytest.raises(KeyboardInterrupt):
            RedisIndex(_dying(redis_url, 6)).add(A, LONG)
        assert _stored_postings(client)
        index.remove(A)
        index.tidy()
        assert _stored_postings(client) == 0

    @pytest.mark.parametrize("commands", range(1, 5))
    def test_a_removal_that_was_killed_can_be_repeated(
        self, redis_url: str, client: redis.Redis, commands: int
    ) -> None:
        index = RedisIndex(client)
        index.clear()
        index.add(A, PRINTS[A])
        try:
            RedisIndex(_dying(redis_url, commands)).remove(A)
        except KeyboardInterrupt:
            assert (found(index, A) == set()) == (A not in index.text_ids())
        index.remove(A)
        index.add(B, PRINTS[B])
        index.tidy()
        assert _stored_postings(client) == index.state().postings == PRINTS[B].hashes.size

    @pytest.mark.parametrize("commands", range(4, 20, 4))
    def test_a_compaction_that_was_killed_is_repeated(
        self, redis_url: str, client: redis.Redis, commands: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(redis_compaction, "BUCKETS_PER_STEP", 32)
        index = RedisIndex(client, bucket_bits=8)
        index.rebuild(PRINTS.items())
        index.remove(A)
        with pytest.raises(KeyboardInterrupt):
            RedisIndex(_dying(redis_url, commands)).tidy()
        index.remove(B)
        index.add(A, PRINTS[A])
        expected = found(index, C)
        index.tidy()
        assert found(index, C) == expected
        assert _stored_postings(client) == index.state().postings

    @pytest.mark.parametrize("commands", range(2, 60, 12))
    def test_a_rebuild_that_was_killed_changes_nothing_and_leaves_nothing_behind(
        self, redis_url: str, client: redis.Redis, commands: int
    ) -> None:
        index = RedisIndex(client, bucket_bits=8)
        index.rebuild([(A, PRINTS[A])])
        state, expected = index.state(), found(index, A)
        with pytest.raises(KeyboardInterrupt):
            RedisIndex(_dying(redis_url, commands), bucket_bits=8).rebuild([(B, PRINTS[B])])
        assert (index.state(), found(index, A)) == (state, expected)
        index.add(C, PRINTS[C])
        index.rebuild([(A, PRINTS[A]), (C, PRINTS[C])])
        assert _stored_postings(client) == index.state().postings
        assert _generations(client) == {index.state().generation}

    def test_a_dead_rebuild_is_given_up_so_that_no_journal_grows(self, client: redis.Redis) -> None:
        index, keys = RedisIndex(client), Keys(DEFAULT.id)
        index.clear()

        def entries() -> Iterator[tuple[WorkTextId, Fingerprint]]:
            yield A, PRINTS[A]
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            index.rebuild(entries())
        index.add(A, PRINTS[A])
        assert client.llen(keys.journal) == 1
        client.delete(keys.filling)  # as it ends by itself when nobody renews it
        index.add(B, PRINTS[B])
        assert client.llen(keys.journal) == 1
        index.tidy()
        assert not client.exists(keys.journal, keys.building)
        assert index.text_ids() == {A, B}


class TestAtTheSameTime:
    def test_additions_and_removals_during_a_rebuild_are_not_lost(self, client: redis.Redis) -> None:
        index, other = RedisIndex(client), RedisIndex(client)
        index.rebuild([(C, PRINTS[C])])

        def entries() -> Iterator[tuple[WorkTextId, Fingerprint]]:
            yield A, PRINTS[A]
            other.add(B, PRINTS[B])
            yield C, PRINTS[C]
            other.remove(C)
            other.add(A, PRINTS[A])

        index.rebuild(entries())
        for each in (index, other):
            assert each.text_ids() == {A, B}
            assert {row[1] for row in found(each, C)} <= {A, B}
            assert {row[1] for row in found(each, B)} >= {B}
        assert index.state().postings == PRINTS[A].hashes.size + PRINTS[B].hashes.size

    def test_of_two_rebuilds_the_later_one_counts(self, client: redis.Redis) -> None:
        index, other = RedisIndex(client), RedisIndex(client)
        index.clear()

        def entries() -> Iterator[tuple[WorkTextId, Fingerprint]]:
            yield A, PRINTS[A]
            other.rebuild([(B, PRINTS[B])])

        with pytest.raises(IndexStale, match="another process"):
            index.rebuild(entries())
        assert index.text_ids() == other.text_ids() == {B}
        assert _generations(client) == {index.state().generation}

    def test_many_at_once_leave_one_copy_of_each_text(self, redis_url: str, client: redis.Redis) -> None:
        RedisIndex(client, bucket_bits=8).clear()
        faults: list[BaseException] = []

        def work(number: int) -> None:
            try:
                index = RedisIndex(redis.Redis.from_url(redis_url))
                for round_number in range(6):
                    for text_id in IDS[:4]:
                        index.add(text_id, PRINTS[text_id])
                    index.remove(IDS[(number + round_number) % 4])
                    index.tidy()
                for text_id in IDS:
                    index.add(text_id, PRINTS[text_id])
            except BaseException as fault:
                faults.append(fault)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not faults
        index, memory = RedisIndex(client), MemoryIndex()
        for text_id in IDS:
            index.add(text_id, PRINTS[text_id])
            memory.add(text_id, PRINTS[text_id])
        index.tidy()
        for text_id in IDS:
            assert found(index, text_id) == found(memory, text_id)
        assert _stored_postings(client) == index.state().postings == memory.state().postings

    def test_a_slow_addition_that_others_overtook_leaves_nothing_behind(self, client: redis.Redis) -> None:
        slow, other = RedisIndex(client, bucket_bits=8), RedisIndex(client)
        slow.clear()
        slow.add(B, PRINTS[B])
        generation, postings, name = slow._current, sorted_postings(PRINTS[A]), pack_id(A)
        reserved = generation._reserve_range(name, postings)
        other.remove(A)
        other.add(A, PRINTS[A])
        other.tidy()
        generation._write_postings(postings.keys, postings.positions + reserved.start)
        assert generation._publish_text(name, reserved, JournalEntry(A, postings), is_counted=True) == TEXT_IS_THERE
        other.tidy()
        assert _stored_postings(client) == other.state().postings

    def test_two_passes_from_one_beginning_take_the_dead_off_once(
        self, client: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        index = RedisIndex(client)
        index.rebuild(PRINTS.items())
        generation = Generation.in_use(index._link, Keys(DEFAULT.id))
        assert generation is not None
        begun, passes = redis_compaction._begin_pass, []
        for text_id in (A, B):
            index.remove(text_id)
            passes.append(begun(index._link, generation))
        with monkeypatch.context() as patch:
            patch.setattr(redis_compaction, "_begin_pass", lambda *_: passes.pop(0))
            redis_compaction.compact(index._link, generation)
            redis_compaction.compact(index._link, generation)
        assert count_keys(client, generation, "dead_postings") == PRINTS[B].hashes.size
        redis_compaction.compact(index._link, generation)
        assert count_keys(client, generation, "dead_postings") == 0

    def test_another_process_sees_the_new_generation_and_the_texts_that_went(self, client: redis.Redis) -> None:
        index, other = RedisIndex(client), RedisIndex(client, bucket_bits=10)
        index.rebuild([(A, PRINTS[A])])
        assert found(other, A)
        index.remove(A)
        assert found(other, A) == set()
        other.rebuild([(B, PRINTS[B])])
        assert {row[1] for row in found(index, B)} == {B}


class TestMemory:
    def test_sorting_beyond_what_memory_holds_gives_the_same_index(
        self, client: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        index = RedisIndex(client)
        index.rebuild(PRINTS.items())
        expected = [found(index, text_id) for text_id in IDS]
        monkeypatch.setattr("matcher.index.posting_runs.RUN_POSTINGS", 100)
        index.rebuild(PRINTS.items())
        assert [found(index, text_id) for text_id in IDS] == expected


class TestServers:
    def test_an_index_that_redis_lost_is_noticed(self, client: redis.Redis) -> None:
        index = RedisIndex(client)
        index.rebuild([(A, PRINTS[A])])
        found(index, A)
        client.flushdb()
        assert index.state().generation == 0
        with pytest.raises(IndexStale):
            found(index, A)

    def test_an_index_of_which_a_cluster_lost_a_part_is_noticed(self, cluster: RedisCluster) -> None:
        index = RedisIndex(cluster)
        index.rebuild(PRINTS.items())
        assert found(index, A)
        control = cluster.get_node_from_key(Keys(DEFAULT.id).generation)
        lost = next(node for node in cluster.get_primaries() if node != control)
        cluster.flushall(target_nodes=lost)
        assert index.state().generation == 0
        for ask in (lambda: found(index, A), lambda: RedisIndex(cluster).add(A, PRINTS[A])):
            with pytest.raises(IndexStale):
                ask()
        index.rebuild(PRINTS.items())
        assert found(index, A)

    def test_a_command_that_no_server_was_given_is_not_tried_again(self, cluster: RedisCluster) -> None:
        calls: list[int] = []

        def across_slots() -> object:
            calls.append(1)
            return cluster.execute_command("EVAL", "return 1", 2, "a", "b")

        with pytest.raises(RedisClusterException, match="same key slot"):
            RedisLink(cluster)._retry_failover(across_slots)
        assert len(calls) == 1

    def test_a_cluster_shares_the_buckets_evenly_and_deletes_them_all(self, cluster: RedisCluster) -> None:
        index = RedisIndex(cluster)
        index.rebuild(PRINTS.items())
        sizes = [cluster.dbsize(target_nodes=node) for node in cluster.get_primaries()]
        assert min(sizes) > 0.7 * max(sizes)
        index.clear()
        index.tidy()
        assert list(cluster.scan_iter(match="zw:*:b:*")) == []

    def test_an_answer_that_was_not_waited_for_is_not_taken_for_the_next(
        self, client: redis.Redis, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        index = RedisIndex(client)
        index.rebuild(PRINTS.items())
        expected = found(index, A)

        def interrupt(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        connection = index._link._own_connection()
        with monkeypatch.context() as patch:
            patch.setattr(connection, "read_response", interrupt)
            with pytest.raises(KeyboardInterrupt):
                index.version()
        assert found(index, A) == expected

    def test_a_process_that_was_forked_opens_its_own_connection(self, client: redis.Redis) -> None:
        index = RedisIndex(client)
        index.rebuild(PRINTS.items())
        ours = index._link._own_connection()
        child = os.fork()
        if not child:
            os._exit(0 if index._link._own_connection() is not ours and index.version().generation else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert index._link._own_connection() is ours

    @pytest.mark.usefixtures("loopback")
    def test_a_server_that_does_not_answer_is_named(self) -> None:
        index = RedisIndex(redis.Redis(host="127.0.0.1", port=1, retry=Retry(NoBackoff(), 0)))
        asked: list[Callable[[], object]] = [index.state, index.text_ids, index.clear, index.version, index.tidy]
        for ask in (*asked, lambda: index.add(A, PRINTS[A])):
            with pytest.raises(ServiceUnavailable, match=r"127\.0\.0\.1:1"):
                ask()


class TestKeys:
    def test_two_algorithms_share_a_server_without_meeting(self, client: redis.Redis) -> None:
        first, second = RedisIndex(client), RedisIndex(client, PLAIN.id)
        first.rebuild([(A, PRINTS[A])])
        assert second.state().generation == 0
        expected = found(first, A)
        second.rebuild([(B, fingerprint_text(story(1, sentences=12), PLAIN))])
        second.clear()
        second.tidy()
        assert found(first, A) == expected


def _generations(client: redis.Redis) -> set[int]:
    """The numbers of the generations that any key belongs to."""
    keys = [key.decode("latin-1") for key in client.scan_iter()]
    pattern = rf"{Keys(DEFAULT.id).algorithm}(?:\{{index\}}:|\{{)(\d+):"
    return {int(found[1]) for key in keys if (found := re.match(pattern, key))}
