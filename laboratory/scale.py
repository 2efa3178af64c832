"""How index and look-up hold for a large mother corpus: real texts first, then generated ones, up to a size.

Run as `python -m laboratory.scale --chars 200000000 --redis redis://127.0.0.1:6379/0 --folder FOLDER`. The index of the
server is replaced; take one that serves nothing else. The same arguments make the same corpus.
"""

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import redis
from numpy.typing import NDArray

from core.errors import BadInput, ZhuiwenError
from core.ids import WorkTextId, work_text_id
from fingerprint.algorithms import DEFAULT
from fingerprint.fingerprinting import fingerprint_text
from fingerprint.record import Fingerprint
from laboratory import cases
from laboratory.build import DEFAULT_SEED, SHARED_CORPORA
from laboratory.chain_text import ChainText
from laboratory.corpora import read
from laboratory.randomness import generator, number, one_of
from matcher.calibration import DEFAULT as CALIBRATION
from matcher.ports import MatchIndex
from matcher.redis_index import RedisIndex
from matcher.snapshot import SnapshotIndex, snapshot_path
from matcher.snapshot_writing import write_snapshot

REAL_FILES = ("single_dev", "editions_dev", "reuse_dev_docs", "wiki_dev", "news_xwlb_dev")
CHAIN_CHARS = 8_000_000  # of real text that the generator follows: 128 MB
PAGE_CHARS = 2_500
PAGES = 400
SAMPLE_EVERY_S = 0.25
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to build. folder: for temporary files; snapshots: where the snapshot goes, none is made if None."""

    chars: int
    redis_url: str
    folder: Path
    snapshots: Path | None
    corpora: Path
    seed: int
    cases: Path | None = None  # a folder of laboratory.build, whose works come first in place of the corpora


@dataclass(frozen=True, slots=True)
class Speed:
    """Look-ups of pages of PAGE_CHARS characters, of which half the texts are real works' and half generated ones'."""

    pages_per_s: float
    median_us: float
    hits_per_page: float
    hashes_per_page: float


@dataclass(frozen=True, slots=True)
class Scaled:
    """What was measured. Bytes at their highest: of this process its proportional set, of Redis its resident set."""

    chars: int
    texts: int
    postings: int
    seconds_redis: float
    seconds_snapshot: float
    seconds_making_texts: float  # within the two: drawing and reading the texts, which are made anew for each
    redis_bytes: int
    redis_bytes_per_char: float
    peak_builder_bytes: int
    peak_redis_bytes: int
    snapshot_bytes: int
    peak_bytes: int  # of builder, Redis and snapshot together
    redis_speed: Speed
    snapshot_speed: Speed | None


class Mother:
    """The texts of a mother corpus of a size; they can be read any number of times."""

    def __init__(self, real: Sequence[str], chars: int, seed: int) -> None:
        """real: texts that come first, and that generated ones are like."""
        self.chars = chars
        self.seconds = 0.0  # spent on making texts
        self._seed = seed
        self.real = list(dict.fromkeys(real))
        self._chain = ChainText(self.real, CHAIN_CHARS)

    def texts(self) -> Iterator[str]:
        """All texts: the real ones and then generated ones, as long as real ones are, `chars` characters in all."""
        left, made = self.chars, 0
        while left > 0:
            started = time.perf_counter()
            text = self.real[made] if made < len(self.real) else self.generated(made)
            text = text[:left]
            self.seconds += time.perf_counter() - started
            yield text
            left -= len(text)
            made += 1

    def generated(self, row: int) -> str:
        """The generated text of that number, as long as some real one is."""
        drawn = number(self._seed, "text", row)
        return self._chain.text(len(self.real[drawn % len(self.real)]), drawn)

    def entries(self) -> Iterator[tuple[WorkTextId, Fingerprint]]:
        """Every text's id and fingerprint."""
        for text in self.texts():
            yield work_text_id(text), fingerprint_text(text)

    def pages(self) -> list[NDArray[np.uint64]]:
        """The distinct hashes of PAGES pages, one half cut from real works, the other from texts in no work."""
        rng = generator(self._seed, "pages")
        long = [text for text in self.real if len(text) >= PAGE_CHARS] or self.real
        pages = []
        for page in range(PAGES):
            text = one_of(rng, long) if page % 2 else self._chain.text(PAGE_CHARS, number(self._seed, "page", page))
            pages.append(np.unique(fingerprint_text(text[:PAGE_CHARS]).hashes))
        return pages


def real_texts(plan: Plan) -> list[str]:
    """The texts that come first: of a set of cases, or all of the corpora. Raises UnreadableFile, MalformedLine."""
    if plan.cases is not None:
        return [work.text for work in cases.read(plan.cases).works]
    return [str(record["text"]) for name in REAL_FILES for record in read(plan.corpora, f"{name}.jsonl.gz")]


def scaled(plan: Plan, say: Say) -> Scaled:
    """Build the index and its snapshot and measure both. Raises ServiceUnavailable, UnreadableFile, BadInput."""
    if plan.chars < 1:
        raise BadInput("a mother corpus has at least one character")
    plan.folder.mkdir(parents=True, exist_ok=True)
    client = redis.Redis.from_url(plan.redis_url)
    index = RedisIndex(client, DEFAULT.id, folder=plan.folder)
    index.clear()
    empty = _used(client, "used_memory")
    mother = Mother(real_texts(plan), plan.chars, plan.seed)
    with _peaks(client, plan.snapshots) as peaks:
        say(f"building the index of {plan.chars:,} characters")
        started = time.perf_counter()
        state = index.rebuild(_told(mother, plan.chars, say))
        seconds_redis = time.perf_counter() - started
        redis_bytes = _used(client, "used_memory") - empty
        say(f"Redis holds {state.postings:,} postings in {redis_bytes:,} bytes after {seconds_redis:,.0f} s")
        started = time.perf_counter()
        snapshot_bytes = _write_snapshot(plan, index, mother) if plan.snapshots else 0
        seconds_snapshot = time.perf_counter() - started
    pages = mother.pages()
    shared = SnapshotIndex(index, plan.snapshots) if plan.snapshots else None
    return Scaled(
        chars=plan.chars,
        texts=state.texts,
        postings=state.postings,
        seconds_redis=round(seconds_redis, 1),
        seconds_snapshot=round(seconds_snapshot, 1),
        seconds_making_texts=round(mother.seconds, 1),
        redis_bytes=redis_bytes,
        redis_bytes_per_char=round(redis_bytes / plan.chars, 3),
        peak_builder_bytes=peaks.builder,
        peak_redis_bytes=peaks.redis,
        snapshot_bytes=snapshot_bytes,
        peak_bytes=peaks.together,
        redis_speed=_speed(index, pages, state.postings),
        snapshot_speed=_speed(shared, pages, state.postings) if shared else None,
    )


def _told(mother: Mother, chars: int, say: Say) -> Iterator[tuple[WorkTextId, Fingerprint]]:
    """The entries; how far they are is said at every twentieth."""
    done, step = 0, max(1, chars // 20)
    for text in mother.texts():
        yield work_text_id(text), fingerprint_text(text)
        if (done + len(text)) // step > done // step:
            say(f"{done + len(text):,} characters")
        done += len(text)


def _write_snapshot(plan: Plan, index: RedisIndex, mother: Mother) -> int:
    assert plan.snapshots is not None
    plan.snapshots.mkdir(parents=True, exist_ok=True)
    path = snapshot_path(plan.snapshots, DEFAULT.id, index.version())
    write_snapshot(path, mother.entries(), DEFAULT.id, index.version(), plan.folder)
    return path.stat().st_size


def _speed(index: MatchIndex, pages: Sequence[NDArray[np.uint64]], postings: int) -> Speed:
    """Look-ups with the cap that a matcher has at that size."""
    cap = CALIBRATION.cap(postings)
    index.lookup(pages[0], cap)
    times, hits = [], 0
    for page in pages:
        started = time.perf_counter()
        hits += index.lookup(page, cap).queries.size
        times.append(time.perf_counter() - started)
    return Speed(
        round(len(pages) / sum(times), 1),
        round(1e6 * float(np.median(times)), 1),
        round(hits / len(pages), 1),
        round(sum(page.size for page in pages) / len(pages), 1),
    )


class _Peaks:
    """The most memory that was seen."""

    def __init__(self) -> None:
        self.builder = self.redis = self.together = 0

    def see(self, builder: int, server: int, snapshot: int) -> None:
        self.builder, self.redis = max(self.builder, builder), max(self.redis, server)
        self.together = max(self.together, builder + server + snapshot)


@contextmanager
def _peaks(client: redis.Redis, snapshots: Path | None) -> Iterator[_Peaks]:
    """Watch this process, Redis and the snapshots' folder."""
    peaks, ended = _Peaks(), threading.Event()

    def watch() -> None:
        while not ended.wait(SAMPLE_EVERY_S):
            held = sum(path.stat().st_size for path in snapshots.glob("*")) if snapshots and snapshots.exists() else 0
            peaks.see(_proportional_set(), _used(client, "used_memory_rss"), held)

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield peaks
    finally:
        ended.set()
        watching.join()


def _used(client: redis.Redis, name: str) -> int:
    information: dict[str, Any] = client.info("memory")
    return int(information[name])


def _proportional_set() -> int:
    """Bytes of this process' own memory: what it maps of files, the snapshot among them, is counted with the file."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/smaps_rollup").read_text().splitlines()[1:])
    return 1024 * int(fields["Pss_Anon"].split()[0])


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m laboratory.scale", description="Measure a large mother corpus.")
    parser.add_argument("--chars", type=float, required=True, help="characters of the mother corpus, like 2e8")
    parser.add_argument("--redis", required=True, help="URL of a server whose index may be replaced")
    parser.add_argument("--folder", type=Path, required=True, help="for temporary files, 3.4 bytes a character")
    parser.add_argument("--snapshots", type=Path, help="folder for the snapshot; none is made without it")
    parser.add_argument("--corpora", type=Path, default=SHARED_CORPORA, help="the folder of the shared corpora")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    given = parser.parse_args()
    plan = Plan(int(given.chars), given.redis, given.folder, given.snapshots, given.corpora, given.seed)
    say = partial(print, file=sys.stderr, flush=True)
    try:
        result = scaled(plan, say)
    except ZhuiwenError as error:
        say(f"error: {error}")
        return 2
    print(json.dumps(asdict(result), indent=2))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
