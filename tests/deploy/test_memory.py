"""What `zhuiwen status` says of the memory that processes hold."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.services import memory

HELD_MB, CHILDREN = 200, 4

FAMILY = f"""
import os, signal, sys
held = bytearray(os.urandom(1000)) * {HELD_MB * 1000}
for _ in range({CHILDREN}):
    if os.fork() == 0:
        break
else:
    print("ready", flush=True)
signal.pause()
"""


@pytest.fixture
def family(processes: None) -> Iterator[int]:
    """The process id of a parent whose children share its memory."""
    process = subprocess.Popen([sys.executable, "-c", FAMILY], stdout=subprocess.PIPE, process_group=0)
    assert process.stdout is not None
    process.stdout.readline()
    yield process.pid
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def test_pages_that_forked_processes_share_count_once(family: int) -> None:
    held = memory.held_mb([family])[family]
    assert held is not None
    assert HELD_MB <= held < HELD_MB * 1.5


def test_a_process_that_may_not_be_looked_at_closely_counts_in_full_and_one_that_is_gone_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_PROC", tmp_path)
    for pid, parent, name in ((10, 1, "a"), (11, 10, "b) S 7 (c")):
        (tmp_path / str(pid)).mkdir()
        (tmp_path / str(pid) / "stat").write_text(f"{pid} ({name}) S {parent} 0 0")
        (tmp_path / str(pid) / "statm").write_text("9000 1000 0 0 0 0 0")
    assert memory.held_mb([10, 99]) == {10: 8.2, 99: None}
