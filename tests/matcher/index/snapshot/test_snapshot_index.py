"""Snapshots: what they hold, when they answer, and what becomes of broken ones."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import redis

from core.errors import AlgorithmMismatch, IndexStale, UnreadableFile
from core.ids import WorkTextId
from fingerprint.algorithms import ALGORITHMS, DEFAULT, Algorithm
from fingerprint.fingerprinting import Fingerprint, fingerprint_text
from matcher.index.ports import IndexVersion
from matcher.index.redis.redis_index import RedisIndex
from matcher.index.snapshot.snapshot_file import HEADER_BYTES, Snapshot
from matcher.index.snapshot.snapshot_index import BYTES_PER_PAUSE_S, SnapshotIndex
from matcher.index.snapshot.snapshot_writer import write_snapshot
from tests.support.corpus_texts import story
from tests.support.index_texts import IDS, MANY, PRINTS, found, occurrences

A, B, C = IDS[:3]
VERSION = IndexVersion(3, 17, "ab")


@pytest.fixture
def source(client: redis.Redis) -> RedisIndex:
    index = RedisIndex(client)
    index.rebuild(PRINTS.items())
    return index


@pytest.fixture
def snapshot_index(source: RedisIndex, tmp_path: Path) -> SnapshotIndex:
    snapshot_index = SnapshotIndex(source, tmp_path)
    assert snapshot_index.refresh(PRINTS.get)
    return snapshot_index


def snapshots(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix != ".lock")


class TestWhatIsThere:
    def test_the_newest_whole_snapshot_is_told_with_its_size_and_whether_it_answers(
        self, snapshot_index: SnapshotIndex, source: RedisIndex, tmp_path: Path
    ) -> None:
        (path,) = snapshots(tmp_path)
        there = snapshot_index.file()
        assert (there.version, there.is_current) == (source.version(), True)
        assert (there.size_bytes, there.written_s) == (path.stat().st_size, path.stat().st_mtime)
        (tmp_path / f"{source.algorithm_id}-9-9-x.snapshot").write_bytes(b"no snapshot")
        assert snapshot_index.file() == there
        source.remove(A)
        behind = snapshot_index.file()
        assert (behind.version, behind.is_current) == (there.version, False)


class TestWhenItAnswers:
    def test_an_unchanged_index_is_answered_from_the_snapshot(
        self, snapshot_index: SnapshotIndex, source: RedisIndex
    ) -> None:
        for text_id in IDS:
            assert found(snapshot_index, text_id) == found(source, text_id)
            assert snapshot_index.uses_snapshot

    def test_a_change_counts_at_once_for_a_process_that_has_the_snapshot_open(
        self, snapshot_index: SnapshotIndex, source: RedisIndex
    ) -> None:
        assert any(row[1] == A for row in found(snapshot_index, A))
        source.remove(A)
        assert not any(row[1] == A for row in found(snapshot_index, A))
        assert not snapshot_index.uses_snapshot
        source.add(A, PRINTS[A])
        assert any(row[1] == A for row in found(snapshot_index, A))

    def test_every_process_takes_up_the_newest_snapshot(
        self, snapshot_index: SnapshotIndex, source: RedisIndex, tmp_path: Path
    ) -> None:
        other = SnapshotIndex(source, tmp_path)
        source.remove(A)
        assert snapshot_index.refresh(PRINTS.get)
        for index in (snapshot_index, other):
            assert not any(row[1] == A for row in found(index, A))
            assert index.uses_snapshot
        assert len(snapshots(tmp_path)) == 1

    def test_an_index_that_was_lost_and_made_anew_is_not_taken_for_the_old_one(
        self, client: redis.Redis, snapshot_index: SnapshotIndex, source: RedisIndex
    ) -> None:
        before = source.version()
        client.flushdb()
        with pytest.raises(IndexStale):
            found(snapshot_index, A)
        source.rebuild([(B, PRINTS[B])])
        after = source.version()
        assert (before.generation, before.revision) == (after.generation, after.revision)
        assert not any(row[1] == A for row in found(snapshot_index, A))
        assert not snapshot_index.uses_snapshot

    def test_an_index_that_is_not_there_has_no_snapshot(self, client: redis.Redis, tmp_path: Path) -> None:
        snapshot_index = SnapshotIndex(RedisIndex(client), tmp_path)
        assert not snapshot_index.refresh(PRINTS.get)
        with pytest.raises(IndexStale):
            found(snapshot_index, A)

    def test_a_snapshot_of_what_was_meanwhile_changed_answers_nothing(self, source: RedisIndex, tmp_path: Path) -> None:
        snapshot_index = SnapshotIndex(source, tmp_path)

        def entry(text_id: WorkTextId) -> Fingerprint | None:
            source.remove(C)
            return PRINTS[text_id]

        assert not snapshot_index.refresh(entry)
        assert not any(row[1] == C for row in found(snapshot_index, C))
        assert not snapshot_index.uses_snapshot
        assert snapshot_index.refresh(PRINTS.get)

    @pytest.mark.parametrize("algorithm", [DEFAULT, ALGORITHMS[4]], ids=["default", "with windows"])
    def test_a_refresh_asks_for_new_texts_only(self, client: redis.Redis, tmp_path: Path, algorithm: Algorithm) -> None:
        prints = {text_id: fingerprint_text(story(seed), algorithm) for seed, text_id in enumerate(IDS)}
        source = RedisIndex(client, algorithm.id)
        source.rebuild(list(prints.items())[:3])
        snapshot_index = SnapshotIndex(source, tmp_path)
        snapshot_index.refresh(prints.get)
        source.add(IDS[3], prints[IDS[3]])
        source.remove(A)
        asked: list[WorkTextId] = []

        def entry(text_id: WorkTextId) -> Fingerprint | None:
            asked.append(text_id)
            return prints[text_id]

        assert snapshot_index.refresh(entry)
        assert asked == [IDS[3]]
        for text_id in IDS:
            hashes = np.unique(prints[text_id].hashes)
            expected = source.lookup(hashes, MANY)
            hits = snapshot_index.lookup(hashes, MANY)
            assert snapshot_index.uses_snapshot
            assert occurrences(hits) == occurrences(expected)
            assert hits.counts.tolist() == expected.counts.tolist()

    def test_it_is_due_again_later_the_larger_it_is(self, snapshot_index: SnapshotIndex, tmp_path: Path) -> None:
        (path,) = snapshots(tmp_path)
        written, pause = path.stat().st_mtime, path.stat().st_size / BYTES_PER_PAUSE_S
        assert not snapshot_index.is_due(written + 0.9 * pause)
        assert snapshot_index.is_due(written + 1.1 * pause)
        assert snapshot_index.is_due(written - 1), "written while the clock was ahead"
        path.unlink()
        assert snapshot_index.is_due(written)


class TestTheFile:
    def write(self, folder: Path) -> Path:
        path = folder / "some.snapshot"
        write_snapshot(path, PRINTS.items(), DEFAULT.id, VERSION)
        return path

    def test_of_a_text_given_twice_the_first_counts(self, tmp_path: Path) -> None:
        path = tmp_path / "some.snapshot"
        write_snapshot(path, [(A, PRINTS[A]), (A, PRINTS[B])], DEFAULT.id, VERSION)
        assert Snapshot(path).stream_range(A) == (0, PRINTS[A].tokens.size)
        assert Snapshot(path).tokens.size == PRINTS[A].tokens.size

    def test_texts_without_a_stream_have_a_place(self, tmp_path: Path) -> None:
        path = tmp_path / "some.snapshot"
        empty = fingerprint_text("nothing here to read")
        silent = fingerprint_text("")
        write_snapshot(path, [(A, silent), (B, PRINTS[B]), (C, silent), (WorkTextId("x"), empty)], DEFAULT.id, VERSION)
        snapshot = Snapshot(path)
        assert snapshot.stream_range(A) == (0, 0)
        assert snapshot.stream_range(B) == (0, PRINTS[B].tokens.size)
        assert np.array_equal(snapshot.tokens[slice(*snapshot.stream_range(B))], PRINTS[B].tokens)
        assert snapshot.stream_range(WorkTextId("no such text")) is None
        assert snapshot.stream_range(C) == (PRINTS[B].tokens.size, PRINTS[B].tokens.size)

    def test_a_fingerprint_of_another_algorithm_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "some.snapshot"
        with pytest.raises(AlgorithmMismatch):
            write_snapshot(path, [(A, fingerprint_text("字", ALGORITHMS[2]))], DEFAULT.id, VERSION)
        assert not list(tmp_path.iterdir())

    def test_a_writer_that_fails_leaves_what_was_there(self, tmp_path: Path) -> None:
        path = self.write(tmp_path)
        before = path.read_bytes()

        def entries() -> Iterator[tuple[WorkTextId, Fingerprint]]:
            yield A, PRINTS[A]
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            write_snapshot(path, entries(), DEFAULT.id, VERSION)
        assert path.read_bytes() == before
        assert list(tmp_path.iterdir()) == [path]

    @pytest.mark.parametrize("place", ["magic", "header", "tokens", "last", "cut", "longer", "empty"])
    def test_a_damaged_one_is_refused(self, tmp_path: Path, place: str) -> None:
        path = self.write(tmp_path)
        raw = bytearray(path.read_bytes())
        flipped = {"magic": 0, "header": 100, "tokens": HEADER_BYTES + 5, "last": len(raw) - 1}
        if place in flipped:
            raw[flipped[place]] ^= 1
        else:
            raw = {"cut": raw[:-1], "longer": raw + b"\0", "empty": bytearray()}[place]
        path.write_bytes(raw)
        with pytest.raises(UnreadableFile, match="cannot be used as a snapshot"):
            Snapshot(path)

    def test_a_damaged_one_is_passed_over(
        self, snapshot_index: SnapshotIndex, source: RedisIndex, tmp_path: Path
    ) -> None:
        (path,) = snapshots(tmp_path)
        os.truncate(path, path.stat().st_size - 8)
        for _ in range(2):
            assert found(snapshot_index, A) == found(source, A)
            assert not snapshot_index.uses_snapshot

    def test_what_a_killed_writer_left_is_cleared_away(
        self, snapshot_index: SnapshotIndex, source: RedisIndex, tmp_path: Path
    ) -> None:
        (tmp_path / f"{DEFAULT.id}-1-1-ffff.snapshot.4711.part").write_bytes(b"x" * 100)
        source.remove(A)
        snapshot_index.refresh(PRINTS.get)
        assert len(snapshots(tmp_path)) == 1
