"""The figures of the whole chain on the demo: `python -m deploy.demo.bench`, or `make bench`.

Runs the demo in a temporary home folder on free ports, so that nothing else should run on the machine, and prints
Markdown tables: pages per second, the share of each stage, the memory of each process.
"""

import os
import platform
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psutil

from deploy.demo import presence

PORTS = ("MONGO_PORT", "REDIS_PORT", "WEB_PORT")
MEBIBYTE = 1024 * 1024


def main() -> int:
    """Measure and print; the exit code is that of a demo that found what it should have."""
    with tempfile.TemporaryDirectory(prefix="zhuiwen-bench-") as folder:
        os.environ.update(_environment(Path(folder)))
        from deploy.demo.run import run_demo
        from deploy.home import prepare
        from deploy.services import down, status

        home = prepare(os.environ)
        try:
            result = run_demo(_say)
            memory = [(row.name, row.pid) for row in status(home) if row.pid]
            _print_chain(result.pages, result.chain_s)
            _print_stages()
            _print_memory(memory)
        finally:
            down(prepare(os.environ), _say)
    return 1 if result.verification.faults else 0


def _environment(home: Path) -> dict[str, str]:
    ports = {f"ZHUIWEN_{name}": str(_free_port()) for name in PORTS}
    return {"ZHUIWEN_HOME": str(home), "ZHUIWEN_DEMO_PORT": str(presence.FIRST_PORT + 900), **ports}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _print_chain(pages: int, chain_s: float) -> None:
    print(f"\n{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores\n")
    print("| pages | from the first crawl to the last match | pages/s |\n| --- | --- | --- |")
    print(f"| {pages} | {chain_s:.1f} s | {pages / chain_s:.1f} |")


def _print_stages() -> None:
    """Stages one after the other in this process, on what the demo stored: no queue and no second core helps."""
    stages = _stage_seconds()
    whole = sum(stages.values())
    print("\n| stage | s | share |\n| --- | --- | --- |")
    for name, seconds in stages.items():
        print(f"| {name} | {seconds:.2f} | {seconds / whole:.0%} |")


def _stage_seconds() -> dict[str, float]:
    from django.conf import settings

    from core.ids import VersionId
    from core.ports import Outcome
    from fingerprint.fingerprinting import fingerprint_text
    from pipeline.wiring import live
    from webadmin.models import CrawlRun, PageRecord

    ports = live(settings.ZHUIWEN)
    runs = list(CrawlRun.objects.filter(state=CrawlRun.State.FINISHED))
    extract = sum(run.counts["seconds_extract"] for run in runs)
    store = sum(run.counts["seconds_store"] for run in runs)
    crawl = sum(
        (run.finished_at - run.started_at).total_seconds() for run in runs if run.finished_at and run.started_at
    )
    ids = list(PageRecord.objects.values_list("version_id", flat=True))
    versions = [version for version in (ports.pages.version(VersionId(each)) for each in ids) if version]
    prints, fingerprint = _timed(lambda: [fingerprint_text(version.reading.text) for version in versions])

    def match() -> list[object]:
        pairs = zip(versions, prints, strict=True)
        return [ports.matcher.match(v.reading.text, made, partial(ports.cases.sources, v.site_id)) for v, made in pairs]

    match()  # kernels are loaded and works are cached, as in a worker that runs
    matches, matching = _timed(match)
    now = ports.clock.now()

    def record() -> list[object]:
        pairs = zip(versions, matches, strict=True)
        return [
            ports.cases.record(Outcome(v, True, v.fetched_at, None, found, ports.algorithm.id, 0, now))
            for v, found in pairs
        ]

    _, recording = _timed(record)
    return {
        "crawl (HTTP, links)": crawl - extract - store,
        "extraction": extract,
        "fingerprint": fingerprint,
        "match": matching,
        "store (pages)": store,
        "store (outcomes and cases)": recording,
    }


def _timed(call: Callable[[], list]) -> "tuple[list, float]":  # type: ignore[type-arg]
    started = time.perf_counter()
    return call(), time.perf_counter() - started


def _print_memory(processes: list[tuple[str, int]]) -> None:
    """Proportional set size: memory that processes share counts once, divided among them."""
    print("\n| process | processes | MiB (PSS) |\n| --- | --- | --- |")
    for name, pid in processes:
        family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
        pss = sum(process.memory_full_info().pss for process in family)
        print(f"| {name} | {len(family)} | {pss / MEBIBYTE:.0f} |")


def _say(line: str) -> None:
    print(f"  {line}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
