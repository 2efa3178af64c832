"""Mark what a test needs of the machine by its fixtures; `make quick` runs those without any.

A fixture that starts a server, a process or a browser is in `NEEDS`, or asks for one that is. A test that does so
itself asks for `loopback`, `processes` or `browsers`. A parameter that names a fixture, alone or in a tuple, counts as
asked for.
"""

from collections.abc import Mapping

import pytest

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


def pytest_configure(config: pytest.Config) -> None:
    for mark, fixtures in NEEDS.items():
        config.addinivalue_line("markers", f"{mark}: set by a fixture: {', '.join(sorted(fixtures))}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        asked = set(getattr(item, "fixturenames", ())) | _named(item)
        for mark, fixtures in NEEDS.items():
            if asked & fixtures:
                item.add_marker(mark)


def _named(item: pytest.Item) -> set[str]:
    """The fixtures that parameters of a test are the names of."""
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    parts = (part for each in given for part in (each if isinstance(each, tuple) else (each,)))
    return {part for part in parts if isinstance(part, str)}
