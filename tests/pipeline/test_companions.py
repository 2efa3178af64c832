"""Several processes of one run: their counts come together, and none of them outlives it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.pages import CrawlCounts
from core.politeness import Budget, Politeness
from crawler.shared.settings import can_be_shared
from pipeline import companions
from pipeline.companions import CountsBook, accompanied
from tests.crawler.crawl_process import plan_of, wait_until


def _write_as(folder: Path, pid: int, counts: dict[str, object]) -> None:
    (folder / f"counts-{pid}.json").write_text(json.dumps(counts), encoding="utf-8")


def _dead_pid() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_the_counts_of_all_processes_are_added_those_of_a_killed_one_too(tmp_path: Path) -> None:
    book = CountsBook(tmp_path)
    _write_as(tmp_path, _dead_pid(), {"fetched": 5, "rejected": {"robots": 1}, "faults": ["b"], "finish_reason": ""})
    own = CrawlCounts(fetched=2, rejected={"robots": 2, "mojibake": 1}, faults=["a", "b"], finish_reason="finished")
    book.write(own)
    total = book.settled(own)
    assert (total.fetched, total.rejected, total.faults) == (7, {"robots": 3, "mojibake": 1}, ["a", "b"])
    assert total.finish_reason == "finished"
    book.clear()
    assert book.total(own).fetched == 2


def test_the_total_waits_for_a_process_that_lives_and_has_not_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = CountsBook(tmp_path)
    _write_as(tmp_path, os.getppid(), {"fetched": 1, "finish_reason": ""})
    waits: list[float] = []

    def end_after_two(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            _write_as(tmp_path, os.getppid(), {"fetched": 4, "finish_reason": "finished"})

    monkeypatch.setattr(companions.time, "sleep", end_after_two)
    assert book.settled(CrawlCounts(fetched=1)).fetched == 5
    assert len(waits) == 2


def test_further_processes_end_with_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = "import pathlib, os, sys, time\n" + (
        f"pathlib.Path({str(tmp_path)!r}, str(os.getpid())).write_text(' '.join(sys.argv[1:]))\ntime.sleep(600)\n"
    )
    (tmp_path / "sleeper.py").write_text(module)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with accompanied("sleeper", 7, 2):
        wait_until(lambda: len(list(tmp_path.glob("[0-9]*"))) == 2)
        pids = [int(path.name) for path in tmp_path.glob("[0-9]*")]
    assert {path.read_text() for path in tmp_path.glob("[0-9]*")} == {"7 --companion"}
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_a_site_with_a_budget_is_crawled_by_one_process() -> None:
    assert can_be_shared(plan_of("http://a.example/"))
    assert not can_be_shared(plan_of("http://a.example/", politeness=Politeness(budget=Budget(pages_a_day=5))))
