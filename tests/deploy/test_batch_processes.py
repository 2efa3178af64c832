"""A batch that several processes compare."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from core.errors import BadInput, RetryLater
from deploy.cli.archive import write_comparison
from deploy.cli.comparers import make_comparer
from deploy.cli.comparing_processes import compare_in_order
from tests.support.batch_files import write

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork"),
    pytest.mark.usefixtures("processes"),
]

DEMO = Path(__file__).parents[2] / "deploy" / "demo" / "works"
TEXTS = {path.stem: path.read_text("utf-8") for path in sorted(DEMO.glob("*.txt"))}
PAGES = 400


def write_pages(path: Path) -> Path:
    texts = list(TEXTS.values())
    rows: list[dict[str, Any] | str] = []
    for number in range(PAGES):
        text = texts[number % len(texts)]
        start = number * 7 % max(1, len(text) - 300)
        given = {"html": f"<p>{text[start:]}</p>"} if number % 50 == 9 else {"text": text[start : start + 300]}
        rows.append({"page_id": f"page-{number % (PAGES - 3)}", **given})
    rows.insert(70, "no json")
    rows.insert(200, {"page_id": "empty"})
    return write(path, rows)


def test_the_lines_and_the_faults_are_those_of_one_process(tmp_path: Path) -> None:
    pages, seen = write_pages(tmp_path / "pages.jsonl"), []
    for processes in (1, 3):
        faults: list[BadInput] = []
        out = tmp_path / f"{processes}.jsonl"
        summary = write_comparison(
            out,
            make_comparer("zhuiwen", TEXTS, with_changes=True),
            pages,
            exclude_same_id=False,
            processes=processes,
            complain=faults.append,
            on_progress=lambda _: None,
        )
        seen.append((out.read_bytes(), summary, [str(fault) for fault in faults]))
    assert seen[0] == seen[1]
    assert seen[0][1].skipped == 5
    assert seen[0][1].matched > PAGES // 2


def _fails_at_five(batch: int) -> int:
    if batch == 5:
        raise BadInput("batch.no-engine", engine="five")
    return os.getpid()


def test_a_fault_of_one_process_is_raised_here() -> None:
    with closing(compare_in_order(_fails_at_five, range(100), 2)) as results, pytest.raises(BadInput, match="five"):
        list(results)


def _ends_at_five(batch: int) -> int:
    if batch == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return batch


def test_a_process_that_is_killed_ends_the_batch_with_a_sentence() -> None:
    with (
        closing(compare_in_order(_ends_at_five, range(100), 2)) as results,
        pytest.raises(RetryLater, match="ran out of memory"),
    ):
        list(results)


def test_no_more_is_read_than_is_compared_soon() -> None:
    read = []

    def batches() -> Iterator[int]:
        for number in range(1000):
            read.append(number)
            yield number

    with closing(compare_in_order(str, batches(), 2)) as results:
        assert [next(results) for _ in range(10)] == [str(number) for number in range(10)]
    assert len(read) < 40


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_a_batch_that_is_ended(tmp_path: Path, number: signal.Signals) -> None:
    pages = tmp_path / "pages"
    os.mkfifo(pages)
    works = tmp_path / "works.jsonl"
    rows = (json.dumps({"work_id": name, "text": text}, ensure_ascii=False) for name, text in TEXTS.items())
    works.write_text("\n".join(rows), "utf-8")
    command = [sys.executable, "-m", "deploy.cli", "batch", "--processes", "2", "--works", works]
    with _interrupts_heeded():
        batch = subprocess.Popen(
            [*command, "--pages", pages, "--out", tmp_path / "out.jsonl"],
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    with pages.open("w", encoding="utf-8") as fed:
        text = next(iter(TEXTS.values()))
        for page in range(32 * 20):
            fed.write(json.dumps({"page_id": str(page), "text": text[:300]}, ensure_ascii=False) + "\n")
        fed.flush()
        while len(_of_session(batch.pid)) < 3:
            time.sleep(0.01)
        os.killpg(batch.pid, number) if number == signal.SIGINT else batch.send_signal(number)
        told = batch.stderr.read().decode()  # until the last process has closed it
    batch.wait()
    assert batch.returncode
    assert "Traceback" not in told
    while _of_session(batch.pid):  # what is being killed closes its files before it ends
        time.sleep(0.01)
    if number != signal.SIGKILL:
        assert sorted(path.name for path in tmp_path.iterdir()) == ["pages", "works.jsonl"]


@contextmanager
def _interrupts_heeded() -> Iterator[None]:
    """As in a terminal: what a shell has started in the background ignores them, and hands that on."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _of_session(session: int) -> list[int]:
    """The processes of a session that have not ended."""
    return [pid for pid in psutil.pids() if _is_alive_in(session, pid)]


def _is_alive_in(session: int, pid: int) -> bool:
    try:
        return os.getsid(pid) == session and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except (ProcessLookupError, psutil.NoSuchProcess):
        return False
