"""What a test needs of the machine: its marks follow from its fixtures; `make quick` holds tests without any to that.

A fixture that starts a server, a process or a browser is in `NEEDS`, or asks for one that is. A test that does so
itself asks for `loopback`, `processes` or `browsers`. A parameter that names a fixture, alone or in a tuple, counts as
asked for.
"""

import multiprocessing.util
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from functools import wraps
from typing import Any

import pytest

from tests.support import embedded

NEEDS: Mapping[str, frozenset[str]] = {
    "service": frozenset(
        {
            "mongo_server",
            "mongo_url",
            "redis_url",
            "redis_cluster_url",
            "live_server",
            "s3_process",
            "s3_server",
            "loopback",
        }
    ),
    "process": frozenset({"processes"}),
    "browser": frozenset({"browsers"}),
    "slow": frozenset({"long_computation"}),
}
_SPAWN = "tests.spawn"  # of multiprocessing, which has no event of its own
_WATCHED = {
    **dict.fromkeys(("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", _SPAWN), "processes"),
    **dict.fromkeys(("socket.connect", "socket.sendto"), "loopback"),
}
_DONE = {"processes": "starts a process", "loopback": "connects to a socket"}


@pytest.fixture(scope="session")
def processes() -> None:
    """For a test or fixture that starts processes."""


@pytest.fixture(scope="session")
def loopback() -> None:
    """For a test or fixture that connects to a socket: mostly a server of its own, on loopback."""


@pytest.fixture(scope="session")
def browsers() -> None:
    """For a test or fixture that starts Chromium."""


@pytest.fixture(scope="session")
def long_computation() -> None:
    """For a test that computes for seconds, mostly on real texts: `make quick` leaves it out."""


class Guard:
    """Notes which fixtures a test should have asked for, and stops what it does without them."""

    def __init__(self) -> None:
        self._elders: frozenset[int] | None = None  # threads of tests before; None: anything may be done
        self.missing: set[str] = set()

    def begin(self) -> None:
        self._elders = frozenset(each.ident or 0 for each in threading.enumerate()) - {threading.get_ident()}

    def end(self) -> None:
        self._elders = None
        missing, self.missing = self.missing, set()
        if missing:
            pytest.fail(" ".join(map(_sentence, sorted(missing))), pytrace=False)

    def watch(self, event: str, _: tuple[Any, ...]) -> None:
        fixture = _WATCHED.get(event)
        if fixture is None or self._elders is None or threading.get_ident() in self._elders:
            return
        self.missing.add(fixture)
        pytest.fail(_sentence(fixture))


GUARD = pytest.StashKey[Guard]()


def pytest_configure(config: pytest.Config) -> None:
    for mark, fixtures in NEEDS.items():
        config.addinivalue_line("markers", f"{mark}: set by a fixture: {', '.join(sorted(fixtures))}")
    guard = config.stash[GUARD] = Guard()
    sys.addaudithook(guard.watch)
    multiprocessing.util.spawnv_passfds = _audited(multiprocessing.util.spawnv_passfds)  # type: ignore[attr-defined]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        asked = set(getattr(item, "fixturenames", ())) | _named(item)
        for mark, fixtures in NEEDS.items():
            if asked & fixtures:
                item.add_marker(mark)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    return (yield from _guarded(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    return (yield from _guarded(item))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    return (yield from _guarded(item))


def _guarded(item: pytest.Item) -> Iterator[None]:
    guard = item.config.stash[GUARD]
    # Where tests are chosen by their marks, which is what the marks have to be right for. With servers that somebody
    # named, nobody leaves out what connects, and threads of earlier tests talk to them.
    is_watched = item.config.option.markexpr and embedded.GIVEN not in os.environ
    if is_watched and not any(item.get_closest_marker(mark) for mark in NEEDS):
        guard.begin()
    try:
        return (yield)
    finally:
        guard.end()


def _named(item: pytest.Item) -> set[str]:
    """The fixtures that parameters of a test are the names of."""
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    parts = (part for each in given for part in (each if isinstance(each, tuple) else (each,)))
    return {part for part in parts if isinstance(part, str)}


def _audited(spawn: Any) -> Any:
    @wraps(spawn)
    def spawn_audited(*arguments: Any) -> Any:
        sys.audit(_SPAWN)
        return spawn(*arguments)

    return spawn_audited


def _sentence(fixture: str) -> str:
    return f"This test {_DONE[fixture]}: let it ask for the fixture `{fixture}`, so that `make quick` leaves it out."
