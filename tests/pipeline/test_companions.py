"""Several processes of one run: their counts come together, and none of them outlives it."""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from core.pages import CrawlCounts
from pipeline import companions
from pipeline.companions import CountsBook, accompanied
from tests.crawler.crawl_process import wait_until

RUN = 7


@pytest.fixture
def client(redis_url: str) -> Iterator["redis.Redis"]:
    with redis.Redis.from_url(redis_url) as client:
        client.delete(f"zw:counts:{{{RUN}}}:counts", f"zw:counts:{{{RUN}}}:lives")
        yield client


def test_the_counts_of_all_processes_are_added_those_of_a_killed_one_too(client: "redis.Redis") -> None:
    killed, book = CountsBook(client, RUN), CountsBook(client, RUN)
    killed.write(CrawlCounts(fetched=5, rejected={"robots": 1}, faults=["b"]))
    client.zadd(f"zw:counts:{{{RUN}}}:lives", {killed._own: client.time()[0] - companions.SILENT_S - 1})
    own = CrawlCounts(fetched=2, rejected={"robots": 2, "mojibake": 1}, faults=["a", "b"], finish_reason="finished")
    book.write(own)
    total = book.settled(own)
    assert (total.fetched, total.rejected, total.faults) == (7, {"robots": 3, "mojibake": 1}, ["a", "b"])
    assert total.finish_reason == "finished"
    assert CountsBook(client, RUN + 1).total(own) == own, "another run's counts are its own"


def test_the_total_waits_for_a_process_that_lives_and_has_not_ended(
    client: "redis.Redis", monkeypatch: pytest.MonkeyPatch
) -> None:
    book, other = CountsBook(client, RUN), CountsBook(client, RUN)
    other.write(CrawlCounts(fetched=1))
    waits: list[float] = []

    def end_after_two(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            other.write(CrawlCounts(fetched=4, finish_reason="finished"))

    monkeypatch.setattr(companions.time, "sleep", end_after_two)
    assert book.settled(CrawlCounts(fetched=1)).fetched == 5
    assert len(waits) == 2


def test_a_redis_that_was_emptied_or_is_away_costs_no_counts(client: "redis.Redis") -> None:
    book, other = CountsBook(client, RUN), CountsBook(client, RUN)
    other.write(CrawlCounts(fetched=3))
    own = CrawlCounts(fetched=2)
    assert book.total(own).fetched == 5
    client.delete(f"zw:counts:{{{RUN}}}:counts")
    assert book.total(own).fetched == 5
    other.beat()
    assert CountsBook(client, RUN).total(own).fetched == 5
    away = CountsBook(redis.Redis(port=1), RUN)
    away.write(own)
    assert away.settled(own) == own


def test_further_processes_end_with_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = "import pathlib, os, sys, time\n" + (
        f"pathlib.Path({str(tmp_path)!r}, str(os.getpid())).write_text(' '.join(sys.argv[1:]))\ntime.sleep(600)\n"
    )
    (tmp_path / "sleeper.py").write_text(module)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with accompanied("sleeper", 7, 2):
        wait_until(lambda: len(list(tmp_path.glob("[0-9]*"))) == 2)
        pids = [int(path.name) for path in tmp_path.glob("[0-9]*")]
    assert {path.read_text() for path in tmp_path.glob("[0-9]*")} == {"7 --companion --attended"}
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_a_further_process_leaves_its_end_to_whoever_attends_it(
    client: "redis.Redis", monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, told = threading.Semaphore(0), list[int]()
    before = signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    monkeypatch.setattr(companions, "WATCH_S", 0.02)

    def ended() -> bool:
        asked.release()
        return False

    try:
        with companions.watched(ended, CountsBook(client, RUN), os.getppid()):
            assert all(asked.acquire(timeout=60) for _ in range(5))
            assert not told, "a second signal would cut the crawl off"
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_further_process_stops_when_its_run_was_put_back_or_given_up(
    client: "redis.Redis", monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on = True
    told: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: told.append(number))
    monkeypatch.setattr(companions, "WATCH_S", 0.02)
    book = CountsBook(client, RUN)
    try:
        with companions.watched(lambda: goes_on, book):
            wait_until(lambda: client.zscore(f"zw:counts:{{{RUN}}}:lives", book._own) is not None)
            assert not told
            goes_on = False
            wait_until(lambda: told == [signal.SIGTERM])
    finally:
        signal.signal(signal.SIGTERM, before)
