"""What `make chaos` draws from a seed, and how it tells what was lost from what was doubled."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import psutil
import pytest

from core.states import Verdict
from laboratory.chaos import faults as chaos_faults
from laboratory.chaos import scenario
from laboratory.chaos.__main__ import FULL, SAMPLE, compared, main, require_kills, require_pages
from laboratory.chaos.clock import movable_clock
from laboratory.chaos.installation import Installation
from laboratory.chaos.people import NotYet
from laboratory.chaos.plan import KINDS, VICTIMS, Fault, acts, faults, page, page_count, site_count, works
from laboratory.chaos.site import document
from tests.support.embedded import wait_until

PAGES = {"pages": ["/a", "/b"], "bundles": ["x", "x", "y"]}


@pytest.mark.parametrize("seed", range(8))
def test_nobody_decides_a_case_before_the_work_is_there_that_opens_it(seed: int) -> None:
    options = replace(SAMPLE, seed=seed)
    present: set[object] = set()
    for act in acts(options):
        if act.kind == "work":
            present.add(act.subject[0])
        elif act.kind == "verdict":
            site, number = int(act.subject[0]), int(act.subject[1])
            assert page(options, site, number).work in present


def test_no_two_pages_of_a_site_have_one_text_which_would_be_one_case() -> None:
    for site in range(site_count(SAMPLE)):
        texts = [page(SAMPLE, site, number).text for number in range(page_count(SAMPLE, site))]
        assert len(set(texts)) == len(texts)


def test_two_runs_that_hold_the_same_in_any_order_have_lost_and_doubled_nothing() -> None:
    assert compared(PAGES, {"pages": ["/b", "/a"], "bundles": ["y", "x", "x"]}) == (0, 0)


def test_what_is_missing_is_lost_and_what_is_there_twice_is_doubled_and_both_are_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert compared(PAGES, {"pages": ["/b"], "bundles": ["x", "x", "x", "y"]}) == (1, 1)
    said = capsys.readouterr().err.splitlines()
    assert "  - /a" in said
    assert "  + x" in said


def test_a_thing_that_changed_is_lost_as_it_was_and_one_too_many_as_it_is() -> None:
    assert compared({"cases": ["/a confirmed"]}, {"cases": ["/a open"]}) == (1, 1)


def test_a_kind_that_a_run_does_not_tell_of_is_lost_as_a_whole() -> None:
    assert compared(PAGES, {"pages": ["/a", "/b"]}) == (3, 0)


def test_a_quiet_run_without_all_pages_and_a_disturbed_one_without_a_kill_say_nothing() -> None:
    require_pages({"pages": ["site 0 /", "site 0 /p/0", "site 0 /p/1"]}, 2)
    with pytest.raises(subprocess.SubprocessError, match="of 2 pages a quiet run stored 1"):
        require_pages({"pages": ["site 0 /", "site 0 /p/0"]}, 2)
    require_kills(SAMPLE, Counter({"kill web": 1}))
    require_kills(replace(SAMPLE, faults=("stall",)), Counter())
    with pytest.raises(subprocess.SubprocessError, match="no victim was killed"):
        require_kills(SAMPLE, Counter({"stall redis": 1}))


def test_what_never_becomes_quiet_ends_at_the_deadline_although_it_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = count()
    monkeypatch.setattr(scenario, "patiently", lambda call, *_: call())
    with pytest.raises(NotYet, match="left at the end"):
        scenario._wait_until_quiet(lambda: {"messages": 1 + next(numbers)}, deadline=0.0)


def test_a_disk_on_which_more_was_written_meanwhile_is_looked_at_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[int] = []

    def refusing_first(_: Path, size_bytes: int) -> None:
        asked.append(size_bytes)
        if len(asked) < 3:
            raise subprocess.CalledProcessError(32, "mount")

    monkeypatch.setattr(chaos_faults, "resized", refusing_first)
    assert chaos_faults._filled(tmp_path)
    assert len(asked) == 3


@pytest.mark.parametrize("options", [SAMPLE, FULL])
def test_a_seed_draws_the_same_acts_and_faults_each_time_and_another_seed_others(options: object) -> None:
    assert isinstance(options, type(SAMPLE))
    other = replace(options, seed=options.seed + 1)
    for drawn in (acts, lambda given: faults(given, has_sql_server=True)):
        assert drawn(options) == drawn(options)
        assert drawn(options) != drawn(other)


@pytest.mark.parametrize("has_sql_server", [True, False])
def test_each_service_is_killed_as_often_as_the_others(has_sql_server: bool) -> None:
    drawn = faults(FULL, has_sql_server=has_sql_server)
    killed = Counter(fault.victim for fault in drawn if fault.kind == "kill")
    assert killed.total() == FULL.kills
    assert set(killed) == set(VICTIMS) - (set() if has_sql_server else {"sql"})
    assert max(killed.values()) - min(killed.values()) <= 1
    assert [fault.at_s for fault in drawn] == sorted(fault.at_s for fault in drawn)


def test_a_full_run_has_every_kind_of_fault_and_one_of_kills_alone_no_other() -> None:
    assert {fault.kind for fault in faults(FULL, has_sql_server=True)} == set(KINDS)
    assert {fault.kind for fault in faults(replace(FULL, faults=("kill",)), has_sql_server=True)} == {"kill"}


def test_people_enter_every_work_once_crawl_every_site_decide_and_send_a_notice_about_each() -> None:
    drawn = acts(FULL)
    kinds = Counter(act.kind for act in drawn)
    assert sorted(act.subject for act in drawn if act.kind == "work") == [(number,) for number in range(len(works()))]
    assert kinds["work"] == len(works())
    assert kinds["notice"] == site_count(FULL)
    decided = [act for act in drawn if act.kind == "verdict"]
    assert {act.subject[0] for act in decided} == set(range(site_count(FULL)))
    assert {Verdict(str(act.subject[2])) for act in decided} == {Verdict.CONFIRMED, Verdict.FALSE_ALARM}
    for act in decided:
        assert page(FULL, int(act.subject[0]), int(act.subject[1])).work is not None, "only copies have cases"


def test_every_page_of_a_site_is_linked_from_its_lists_and_nothing_else_is_there() -> None:
    count = page_count(SAMPLE, 0)
    assert sum(page_count(SAMPLE, site) for site in range(site_count(SAMPLE))) == SAMPLE.pages
    start = document(SAMPLE, 0, "/") or ""
    lists = [document(SAMPLE, 0, f"/list/{number}") or "" for number in range(start.count('href="/list/'))]
    assert all(f'href="/p/{number}"' in "".join(lists) for number in range(count))
    assert document(SAMPLE, 0, f"/p/{count}") is None
    assert document(SAMPLE, 0, "/p/x") is None


def test_a_kind_of_fault_that_nobody_knows_is_refused_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--faults", "kill,flood"]) == 2
    assert capsys.readouterr().err == "--faults flood: choose of kill,stall,disk,clock,failover\n"


_TELLS_TIME = """
import sys, time
while line := sys.stdin.readline():
    began = time.monotonic()
    time.sleep(0.05)
    print(time.time(), time.monotonic() - began, flush=True)
"""


@pytest.mark.usefixtures("processes")
def test_the_clock_of_a_process_moves_while_it_runs_and_nothing_else_does(tmp_path: Path) -> None:
    clock = movable_clock(tmp_path)
    if clock is None:
        pytest.skip("needs a C compiler: apt-get install gcc libc6-dev")
    command = [sys.executable, "-c", _TELLS_TIME]
    with subprocess.Popen(
        command, env={**os.environ, **clock.environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def is_moved_by(by_s: float) -> bool:
            process.stdin.write("\n")
            process.stdin.flush()
            shown, slept = map(float, process.stdout.readline().split())
            assert 0.05 <= slept < 600
            return abs(shown - time.time() - by_s) < 600

        assert is_moved_by(0.0)
        for by_s in (10_800.0, -10_800.0, 0.0):
            clock.move(by_s)
            wait_until(partial(is_moved_by, by_s), "the clock is moved")
        process.stdin.close()


@pytest.mark.usefixtures("processes")
def test_where_a_victim_does_not_live_another_is_killed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(chaos_faults, "PRESENCE_S", 0.0)
    said: list[str] = []
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as worker:
        installation = Installation(tmp_path, {}, "")
        living = {"worker": [psutil.Process(worker.pid)]}
        monkeypatch.setattr(installation, "processes", lambda victim: living.get(victim, []))
        done = chaos_faults.Faults(installation, 1, None, None, said.append)
        done.run([Fault(0.0, "kill", "crawler")], lambda: False)
        worker.terminate()  # too late where it was killed
        assert worker.wait() == -signal.SIGKILL
    assert done.done == {"kill worker": 1}
