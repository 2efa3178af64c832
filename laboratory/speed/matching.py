"""Measures the speed of matching pages in one process with each index, and the memory of the indexes.

The texts of the works are in this process, as in a worker that has loaded all of them.
"""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np

from core.errors import BrokenInvariant
from core.garbage import freeze_loaded_objects
from core.ids import work_text_id
from core.matches import Match
from fingerprint.fingerprinting import fingerprint_text
from laboratory.measures.running import Progress
from laboratory.report import Say
from laboratory.speed.clock import NO_TIME, Stopwatch, Taken, best
from laboratory.speed.machine import own_bytes
from laboratory.speed.redis_server import MeasuredRedis
from laboratory.speed.texts import Material
from matcher.corpus import MemoryCorpus, WorkEntry
from matcher.index.memory import MemoryIndex
from matcher.index.ports import MatchIndex
from matcher.index.snapshot.snapshot_index import SnapshotIndex
from matcher.matching import Matcher, PageToMatch

MEMORY, SNAPSHOT, REDIS = "memory", "snapshot", "Redis"
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 (where snapshots belong; a folder of our own is made in it)
Pages = Sequence[PageToMatch]


@dataclass(frozen=True, slots=True)
class MatchingSpeed:
    """The speed of one matcher on all pages, in its best rounds.

    taken: without fingerprinting the pages; the processor time is that of this process and Redis, redis_s that of Redis
    alone. median_ms, slowest_ms: wall time of a page in the best round; the first page of a joint look-up includes the
    look-up. 99 of 100 pages take less than p99_ms. build: time of building the index from fingerprints. matched_pages:
    number of pages with a match.
    """

    index: str
    pages: int
    rounds: int
    taken: Taken
    redis_s: float
    median_ms: float
    p99_ms: float
    slowest_ms: float
    build: Taken
    matched_pages: int

    @property
    def processor_pages_per_s(self) -> float:
        return self.pages / max(self.taken.processor_s, 1e-9)

    @property
    def wall_pages_per_s(self) -> float:
        return self.pages / max(self.taken.wall_s, 1e-9)


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes for the whole reference corpus, None if not measured. Memory in the process is measured by its growth."""

    works_chars: int
    redis_bytes: int | None
    snapshot_bytes: int | None
    texts_bytes: int  # texts and fingerprints in the process
    memory_index_bytes: int
    matcher_bytes: int  # added by matching all pages through the snapshot, or else the memory index


@dataclass(frozen=True, slots=True)
class Matching:
    """Speeds by index, and memory. fingerprints: of all pages, best round. without_redis: why Redis is missing."""

    speeds: tuple[MatchingSpeed, ...]
    fingerprints: Taken
    memory: Memory
    without_redis: str


@dataclass(slots=True)
class _Entrant:
    """One index with its matcher and the results of its rounds."""

    name: str
    index: MatchIndex
    matcher: Matcher
    build: Taken
    redis: MeasuredRedis | None
    rounds: list[Taken]
    redis_s: list[float]
    page_times: list[list[float]]
    answers: list[tuple[Match, ...]]


def measured(material: Material, rounds: int, redis: MeasuredRedis | str, say: Say, progress: Progress) -> Matching:
    """Build the indexes, and match all pages with each, alternately.

    redis: an empty server, or the reason why there is none; then only the memory index is measured. Raises
    BrokenInvariant if the indexes give different answers.
    """
    say(f"fingerprinting {material.works_chars:,} characters of works")
    corpus = _corpus(material.works)
    texts_bytes = sum(entry.nbytes for entry in corpus.values())
    before = own_bytes()
    entrants = [_in_memory(corpus)]
    memory_index_bytes = _growth(before)
    redis_bytes = snapshot_bytes = None
    with _snapshot_folder() as folder:
        if isinstance(redis, MeasuredRedis):
            say("filling Redis and writing the snapshot")
            used = redis.used_bytes()
            entrants.append(_in_redis(corpus, redis))
            redis_bytes = redis.used_bytes() - used
            entrants.append(_in_snapshot(corpus, redis, folder))
            snapshot_bytes = sum(path.stat().st_size for path in folder.glob("*.snapshot"))
        pages, fingerprints = _fingerprinted(material.pages, rounds)
        matcher_bytes = _run(entrants, pages, rounds, progress)
    _require_agreement(entrants)
    memory = Memory(material.works_chars, redis_bytes, snapshot_bytes, texts_bytes, memory_index_bytes, matcher_bytes)
    return Matching(
        tuple(_speed(each, len(pages)) for each in entrants),
        fingerprints,
        memory,
        redis if isinstance(redis, str) else "",
    )


def _corpus(works: Sequence[str]) -> MemoryCorpus:
    return MemoryCorpus((work_text_id(text), WorkEntry(text, fingerprint_text(text))) for text in works)


def _entrant(name: str, index: MatchIndex, corpus: MemoryCorpus, build: Taken, redis: MeasuredRedis | None) -> _Entrant:
    return _Entrant(name, index, Matcher(index, corpus), build, redis, [], [], [], [])


def _in_memory(corpus: MemoryCorpus) -> _Entrant:
    watch, index = Stopwatch(), MemoryIndex()
    for text_id, entry in corpus.items():
        index.add(text_id, entry.fingerprint)
    index.lookup(np.zeros(1, np.uint64), 1)  # sorts the postings
    return _entrant(MEMORY, index, corpus, watch.taken(), None)


def _in_redis(corpus: MemoryCorpus, server: MeasuredRedis) -> _Entrant:
    watch, before = Stopwatch(), server.processor_s()
    server.index.rebuild((text_id, entry.fingerprint) for text_id, entry in corpus.items())
    build = watch.taken() + Taken(server.processor_s() - before, 0.0)
    return _entrant(REDIS, server.index, corpus, build, server)


def _in_snapshot(corpus: MemoryCorpus, server: MeasuredRedis, folder: Path) -> _Entrant:
    watch, index = Stopwatch(), SnapshotIndex(server.index, folder)
    if not index.refresh(lambda text_id: corpus[text_id].fingerprint):
        raise BrokenInvariant("laboratory.no-snapshot")
    return _entrant(SNAPSHOT, index, corpus, watch.taken(), server)


@contextmanager
def _snapshot_folder() -> Iterator[Path]:
    """Yield a temporary folder, in shared memory if there is any."""
    with TemporaryDirectory(prefix="zhuiwen-speed-", dir=SHARED_MEMORY if SHARED_MEMORY.is_dir() else None) as name:
        yield Path(name)


def _fingerprinted(pages: Sequence[str], rounds: int) -> tuple[Pages, Taken]:
    times = []
    for _ in range(rounds):
        watch = Stopwatch()
        made = [fingerprint_text(page) for page in pages]
        times.append(watch.taken())
    return list(map(PageToMatch, pages, made)), best(times) if times else NO_TIME


def _run(entrants: Sequence[_Entrant], pages: Pages, rounds: int, progress: Progress) -> int:
    """Run the rounds alternately. Return the number of bytes that the last matcher added in its first round."""
    total, done, grown = len(entrants) * (rounds + 1), 0, 0
    for entrant in entrants:
        before = own_bytes()
        entrant.answers = list(entrant.matcher.match_pages(pages))  # also a warm-up, which is not timed
        grown = _growth(before)
        done += 1
        progress(done, total)
    freeze_loaded_objects()  # as a worker does when it starts
    for _ in range(rounds):
        for entrant in entrants:
            _round(entrant, pages)
            done += 1
            progress(done, total)
    return grown


def _round(entrant: _Entrant, pages: Pages) -> None:
    before = entrant.redis.processor_s() if entrant.redis else 0.0
    times, watch = [], Stopwatch()
    started = perf_counter()
    for _ in entrant.matcher.match_pages(pages):
        ended = perf_counter()
        times.append(ended - started)
        started = ended
    taken = watch.taken()
    redis_s = entrant.redis.processor_s() - before if entrant.redis else 0.0
    if isinstance(entrant.index, SnapshotIndex) and not entrant.index.uses_snapshot:
        raise BrokenInvariant("laboratory.silent-snapshot")
    entrant.rounds.append(taken + Taken(redis_s, 0.0))
    entrant.redis_s.append(redis_s)
    entrant.page_times.append(times)


def _require_agreement(entrants: Sequence[_Entrant]) -> None:
    for entrant in entrants[1:]:
        if entrant.answers != entrants[0].answers:
            raise BrokenInvariant("laboratory.other-answer", index=entrant.name, first=entrants[0].name)


def _speed(entrant: _Entrant, pages: int) -> MatchingSpeed:
    times = 1e3 * np.array(min(entrant.page_times, key=sum))
    return MatchingSpeed(
        entrant.name,
        pages,
        len(entrant.rounds),
        best(entrant.rounds),
        min(entrant.redis_s),
        round(float(np.median(times)), 3),
        round(float(np.percentile(times, 99)), 3),
        round(float(times.max()), 3),
        entrant.build,
        sum(map(bool, entrant.answers)),
    )


def _growth(before: int) -> int:
    gc.collect()
    return max(0, own_bytes() - before)
