"""Test what `zhuiwen status` says of the memory that processes hold."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from deploy.services.state import held_mb

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
    process.stdout.readline()
    yield process.pid
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def test_memory_shared_by_forks_counts_once_and_a_dead_process_holds_none(family: int) -> None:
    held = held_mb(family)
    assert held is not None
    assert HELD_MB <= held < HELD_MB * 1.5
    assert held_mb(2**30) is None
