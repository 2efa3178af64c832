"""Nothing leaves the product but what the operator asked for: a whole run in a network where everything is seen."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.whole_run import NOWHERE, SITE
from tests.support.closed_network import require_namespaces, run_inside

pytestmark = [pytest.mark.end_to_end, pytest.mark.usefixtures("processes")]
ROOT = Path(__file__).parents[2]
DEADLINE_S = 1_200.0


def outcome(folder: Path, *options: str) -> dict[str, Any]:
    require_namespaces()
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("ZHUIWEN_", "DJANGO_"))}
    # A home of its own: what an earlier run or another program has kept there would not be asked for again.
    of_its_own = {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "ZHUIWEN_HOME": str(folder / "home")}
    environ = inherited | of_its_own | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    command = (sys.executable, "-m", "tests.end_to_end.whole_run", str(folder), *options)
    printed = run_inside(folder, *command, environ=environ, timeout_s=DEADLINE_S)
    told: dict[str, Any] = json.loads(printed.splitlines()[-1])
    return told


def test_what_is_asked_for_in_the_closed_network_is_seen(tmp_path: Path) -> None:
    seen = outcome(tmp_path, "--calls-out")
    assert NOWHERE in seen["names"]
    assert seen["places"] == ["tcp 192.0.2.7:443"]


@pytest.mark.timeout(DEADLINE_S)
def test_a_whole_run_asks_for_the_site_that_the_operator_named_and_for_nothing_else(tmp_path: Path) -> None:
    run = outcome(tmp_path)
    told = run["told"]
    assert told.pop("number of cases") == 1, told
    failed = {verb: said for verb, said in told.items() if said[0] not in (0, None)}
    assert set(failed) <= {"discover", "doctor"}, failed
    assert "no search endpoint is set" in failed["discover"][1]
    assert run.get("drawn", True)
    assert run.get("loaded", 1) >= 1
    assert run["names"] == [SITE]
    assert run["places"] == []
