"""Test what the doctor and the status make of how the evidence stands."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from core.settings_loading import load
from deploy.cli.status import lines
from deploy.cli.stored_checks import MAX_AGE_OF_CHECK, _evidence_faults
from webadmin.evidence.services.bundles import EvidenceStatus
from webadmin.evidence.services.status import status_as_json

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SETTINGS = load({})


def check(age: timedelta, *faults: dict[str, str]) -> Any:
    return SimpleNamespace(started_at=NOW - age, bundles=48, files=5, read_bytes=3_000_000, faults=list(faults))


FILE_FAULTS = (
    {"digest": "b", "state": "missing", "file": "委托书.pdf", "kind": "holderpaper"},
    {"digest": "c", "state": "changed", "file": "a\u202eb", "kind": "noticefile"},
    {"digest": "b", "state": "missing", "file": "委托书.pdf", "kind": "noticefile"},
)


def standing(**changes: Any) -> EvidenceStatus:
    sound: dict[str, Any] = {
        "bundles": 48, "changed": 0, "missing": 0, "unbundled_versions": 0, "undrawn": 0,
        "unstamped_days": 0, "waiting_stamps": 0,
        "last_error": "", "last_check": check(timedelta(hours=10)), "oldest": NOW - timedelta(days=30),
    }  # fmt: skip
    return EvidenceStatus(**sound | changes)


def test_the_doctor_says_nothing_of_evidence_that_is_sound_or_not_there_yet() -> None:
    assert _evidence_faults(standing(), NOW) == []
    assert _evidence_faults(standing(bundles=0, last_check=None, oldest=None), NOW) == []
    assert _evidence_faults(standing(last_check=None, oldest=NOW - MAX_AGE_OF_CHECK), NOW) == []


@pytest.mark.parametrize(
    ("changes", "finding", "said"),
    [
        ({"changed": 1, "missing": 2}, "evidence.damaged", "3 of 48"),
        ({"waiting_stamps": 2, "last_error": "it does not answer"}, "evidence.stamps", "it does not answer"),
        ({"last_check": check(MAX_AGE_OF_CHECK + timedelta(hours=1))}, "evidence.unchecked", "2026-11-19 11:00"),
        ({"last_check": None}, "evidence.unchecked", "2026-10-22"),
        ({"last_check": check(timedelta(hours=1), *FILE_FAULTS)}, "evidence.files", "(2): 委托书.pdf, a[U+202E]b"),
    ],
)
def test_the_doctor_names_what_is_wrong_with_the_evidence(changes: dict[str, Any], finding: str, said: str) -> None:
    [found] = _evidence_faults(standing(**changes), NOW)
    assert found.id == finding
    assert said in str(found.problem)
    assert str(found.remedy)


def test_the_status_tells_bundles_stamps_and_the_last_check() -> None:
    stands = standing(
        changed=1, missing=2, unbundled_versions=3, undrawn=4, unstamped_days=5, waiting_stamps=6,
        last_error="no answer",
        last_check=check(timedelta(hours=10), {"digest": "a", "state": "changed"}),
    )  # fmt: skip
    values = status_as_json(stands, ["https://a.example/", "https://b.example/"], "")
    bundles, stamps, last = map(str, lines(values, SETTINGS))
    assert bundles == "evidence: 48 bundles, 1 changed, 2 missing; pending: 3 bundles, 4 screenshots"
    assert stamps == "time stamps: 5 past days have no stamp; authorities: 2; responses pending: 6 (no answer)"
    assert last.endswith("48 bundles and 5 stored files checked, 1 changed or missing")
    _, stamps, last = map(str, lines(status_as_json(standing(last_check=None), [], ""), SETTINGS))
    assert stamps == "time stamps: 0 past days have no stamp; no authority is set (ZHUIWEN_TSA_URLS)"
    assert last == "last evidence check: none yet; checks run every night"
