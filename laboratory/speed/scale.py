"""How index and look-up hold for a large reference corpus: real texts first, then generated ones, up to a size.

`python -m laboratory.speed.scale --chars 2e8 --redis redis://127.0.0.1:6379/0 --folder FOLDER` replaces the index of
the server; take one that serves nothing else. The same arguments make the same corpus.
"""

import argparse
import json
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
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
from laboratory.cases.build import DEFAULT_SEED, SHARED_CORPORA
from laboratory.cases.case_set import read_case_set
from laboratory.cases.corpora import read
from laboratory.memory_matcher import memory_matcher
from laboratory.report import Say
from laboratory.speed.matching_at_scale import Matched, large_matcher, matched
from laboratory.speed.reference_corpus import ReferenceCorpus
from matcher.calibration import DEFAULT as CALIBRATION
from matcher.index.ports import MatchIndex
from matcher.index.redis.redis_index import RedisIndex
from matcher.index.snapshot.snapshot_file import SnapshotFolder
from matcher.index.snapshot.snapshot_index import SnapshotIndex
from matcher.index.snapshot.snapshot_writer import write_snapshot

REAL_FILES = ("single_dev", "editions_dev", "reuse_dev_docs", "wiki_dev", "news_xwlb_dev")
SAMPLE_EVERY_S = 0.25


@dataclass(frozen=True, slots=True)
class Plan:
    """What to build. folder: for temporary files; snapshots: where the snapshot goes, none is made if None."""

    chars: int
    redis_url: str
    folder: Path
    snapshots: Path | None
    corpora: Path
    seed: int
    cases: Path | None = None  # a case set: its works come first, its pages are matched at the end
    every: int = 8  # page of the cases


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
    matched_by_snapshot: Matched | None = None  # pages of the case set
    matched_without_generated: Matched | None = None  # the same, with the works of the case set alone


def real_texts(plan: Plan) -> list[str]:
    """The texts that come first: of a set of cases, or all of the corpora. Raises UnreadableFile, MalformedLine."""
    if plan.cases is not None:
        return [work.text for work in read_case_set(plan.cases).works]
    return [str(record["text"]) for name in REAL_FILES for record in read(plan.corpora, f"{name}.jsonl.gz")]


def scaled(plan: Plan, say: Say) -> Scaled:
    """Build the index and its snapshot and measure both. Raises ServiceUnavailable, UnreadableFile, BadInput."""
    if plan.chars < 1:
        raise BadInput("laboratory.empty-corpus")
    plan.folder.mkdir(parents=True, exist_ok=True)
    client = redis.Redis.from_url(plan.redis_url)
    index = RedisIndex(client, DEFAULT.id, folder=plan.folder)
    index.clear()
    empty = _used(client, "used_memory")
    reference = ReferenceCorpus(real_texts(plan), plan.chars, plan.seed)
    with _peaks(client, plan.snapshots) as peaks:
        say(f"building the index of {plan.chars:,} characters")
        started = time.perf_counter()
        text_ids: list[WorkTextId] = []
        state = index.rebuild(_told(reference, plan.chars, text_ids, say))
        seconds_redis = time.perf_counter() - started
        redis_bytes = _used(client, "used_memory") - empty
        say(f"Redis holds {state.postings:,} postings in {redis_bytes:,} bytes after {seconds_redis:,.0f} s")
        started = time.perf_counter()
        snapshot_bytes = _write_snapshot(plan, index, reference) if plan.snapshots else 0
        seconds_snapshot = time.perf_counter() - started
    pages = reference.pages()
    shared = SnapshotIndex(index, plan.snapshots) if plan.snapshots else None
    return Scaled(
        chars=plan.chars,
        texts=state.texts,
        postings=state.postings,
        seconds_redis=round(seconds_redis, 1),
        seconds_snapshot=round(seconds_snapshot, 1),
        seconds_making_texts=round(reference.seconds, 1),
        redis_bytes=redis_bytes,
        redis_bytes_per_char=round(redis_bytes / plan.chars, 3),
        peak_builder_bytes=peaks.builder,
        peak_redis_bytes=peaks.redis,
        snapshot_bytes=snapshot_bytes,
        peak_bytes=peaks.together,
        redis_speed=_speed(index, pages, state.postings),
        snapshot_speed=_speed(shared, pages, state.postings) if shared else None,
        **_matched(plan, shared, reference, text_ids, say),
    )


def _told(
    reference: ReferenceCorpus, chars: int, text_ids: list[WorkTextId], say: Say
) -> Iterator[tuple[WorkTextId, Fingerprint]]:
    """The entries, whose ids are added to `text_ids`; how far they are is said at every twentieth."""
    done, step = 0, max(1, chars // 20)
    for text in reference.texts():
        text_ids.append(work_text_id(text))
        yield text_ids[-1], fingerprint_text(text)
        if (done + len(text)) // step > done // step:
            say(f"{done + len(text):,} characters")
        done += len(text)


def _matched(
    plan: Plan, shared: SnapshotIndex | None, reference: ReferenceCorpus, text_ids: list[WorkTextId], say: Say
) -> dict[str, Matched]:
    """The pages of the case set against everything, and against the works of the case set alone."""
    if plan.cases is None or shared is None:
        return {}
    say("matching the pages of the case set")
    case_set = read_case_set(plan.cases)
    matchers = large_matcher(shared, reference, text_ids), memory_matcher(work.text for work in case_set.works)
    by_snapshot, without_generated = matched(matchers, case_set, plan.every)
    return {"matched_by_snapshot": by_snapshot, "matched_without_generated": without_generated}


def _write_snapshot(plan: Plan, index: RedisIndex, reference: ReferenceCorpus) -> int:
    assert plan.snapshots is not None
    plan.snapshots.mkdir(parents=True, exist_ok=True)
    path = SnapshotFolder(plan.snapshots, DEFAULT.id).path(index.version())
    write_snapshot(path, reference.entries(), DEFAULT.id, index.version(), plan.folder)
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
    parser = argparse.ArgumentParser(prog="python -m laboratory.speed.scale", description=__doc__)
    parser.add_argument("--chars", type=float, required=True, help="characters of the reference corpus, like 2e8")
    parser.add_argument("--redis", required=True, help="URL of a server whose index may be replaced")
    parser.add_argument("--folder", type=Path, required=True, help="for temporary files, 3.4 bytes a character")
    parser.add_argument("--snapshots", type=Path, help="folder for the snapshot; none is made without it")
    parser.add_argument("--corpora", type=Path, default=SHARED_CORPORA, help="the folder of the shared corpora")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    parser.add_argument("--cases", type=Path, help="a case set: its works first, its pages matched")
    parser.add_argument("--every", type=int, default=8, help="which pages of the case set: every so many")
    given = parser.parse_args()
    plan = Plan(int(given.chars), given.redis, given.folder, given.snapshots, given.corpora, given.seed)
    plan = replace(plan, cases=given.cases, every=max(1, given.every))
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
