"""From a page that copies to a file for a lawyer, over the command line, the real stores and a real authority."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pagestore.connection import connect
from tests.support.command_line import CommandLine
from tests.support.time_stamp_authority import LocalAuthority, serving_stamps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


WORKS = Path(__file__).parents[2] / "deploy" / "demo" / "works"
SCALE = (WORKS / "一杆秤.txt").read_text("utf-8")

# What a crawler and the workers do with one page, and with a day that ended, in one process.
STORE_MATCH_AND_STAMP = """
from datetime import UTC, datetime, timedelta
from pipeline.app import SETTINGS
from webadmin.evidence.services.making import create_bundles, stamp_days
from webadmin.evidence.services.authorities import configured_authorities
from pipeline.steps import compare_pages
from webadmin.cases.models import Case
from webadmin.wiring import live_ports
from webadmin.evidence.services.making import live_evidence
from core.clock import ManualClock
from core.pages import Fetched, Reading
url, text = sys.argv[1], sys.stdin.read()
ports, now = live_ports(SETTINGS), datetime.now(UTC)
fetched = Fetched("1", url, url, url, 200, (("Content-Type", "text/html"),), text.encode(), now)
stored = ports.pages.put(fetched, Reading(title="转载", text=text))
compare_pages([stored.version_id], ports)
case, = Case.objects.filter(version_id=stored.version_id).values_list("pk", flat=True)
assert create_bundles(stored.version_id, live_evidence(SETTINGS)) == 1
if sys.argv[2] == "stamped":
    assert stamp_days(configured_authorities(SETTINGS.evidence), ManualClock(now + timedelta(days=1))).stamps == 1
print(case)
"""


@pytest.fixture(scope="module")
def stamping(authority: LocalAuthority) -> Iterator[str]:
    with serving_stamps(authority) as url:
        yield url


@pytest.fixture(scope="module")
def installed(with_stores: Callable[..., CommandLine], authority: LocalAuthority, stamping: str) -> CommandLine:
    command = with_stores(
        ZHUIWEN_TSA_URLS=stamping,
        ZHUIWEN_TSA_ROOTS=str(authority.folder / "root.pem"),
        ZHUIWEN_ALLOW_PRIVATE_TSA="1",
        ZHUIWEN_ALLOW_PRIVATE_HOSTS="127.0.0.1:8801",
    )
    for done in (
        command("work", "add", WORKS / "一杆秤.txt", "--rights-holder", "青梧文学"),
        command("site", "add", "http://127.0.0.1:8801/", "--name", "落霞", "--rights-holder", "青梧文学"),
        command("index", "rebuild"),
    ):
        assert done.code == 0, done.err
    return command


@pytest.fixture(scope="module")
def unstamped_case(installed: CommandLine) -> str:
    return matched(installed, "b", "unstamped")


@pytest.fixture(scope="module")
def case(installed: CommandLine, unstamped_case: str) -> str:
    return matched(installed, "a", "stamped")


def matched(command: CommandLine, name: str, state: str) -> str:
    text = f"转载来的文章，{name}。\n{SCALE.replace('红木', '虹木')}"
    url = f"http://127.0.0.1:8801/{name}.html"
    return command.in_django(STORE_MATCH_AND_STAMP, url, state, stdin=text.encode())


def test_a_case_without_stamps_is_exported_and_said_to_have_none(
    installed: CommandLine, unstamped_case: str, tmp_path: Path
) -> None:
    out = tmp_path / "case.zip"
    done = installed("evidence", "export", unstamped_case, "--out", out, "--no-seal")
    assert done.code == 0, done.err
    assert "not every bundle has a time stamp yet" in done.err
    assert installed("evidence", "verify", out).code == 3


def test_digests_are_listed_for_a_platform(installed: CommandLine, case: str, tmp_path: Path) -> None:
    out = tmp_path / "digests.csv"
    done = installed("evidence", "digests", case, "--csv", out)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"{out}: bundles 1\n"
    by_case = installed("evidence", "digests", case, "--json").json()
    of_site = installed("evidence", "digests", "--site", "落霞", "--json").json()
    assert by_case == [each for each in of_site if each["case"] == int(case)]
    of_both = installed("evidence", "digests", "--site", "落霞", "--work", "一杆秤", "--json").json()
    assert of_both == of_site
    export = tmp_path / "case.zip"
    assert installed("evidence", "export", case, "--out", export, "--no-seal").code == 0
    with zipfile.ZipFile(export) as archive:
        content = archive.read(f"bundles/{by_case[0]['file']}")
    assert sha256(content).hexdigest() == by_case[0]["sha256"]
    assert by_case[0]["sha256"] in out.read_text("utf-8-sig")
    for wrong, sentence in (
        ((), "choose cases, matters (M3), --site or --work"),
        (("x", "--json"), "neither a case nor a matter"), ((case,), "choose an output"),
        (("99999", "--json"), "there is no case 99999"), (("M99999", "--json"), "there is no matter 99999"),
        ((case, "--csv", str(tmp_path / "no" / "x.csv")), "cannot be written"),
    ):  # fmt: skip
        done = installed("evidence", "digests", *wrong)
        assert (done.code, len(done.complaints)) == (2, 1)
        assert sentence in done.err


def test_an_export_holds_on_another_machine_and_a_changed_one_does_not(
    installed: CommandLine, case: str, tmp_path: Path
) -> None:
    out = tmp_path / "case.zip"
    done = installed("evidence", "export", case, "--out", out)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"{out}: bundles 1,")
    alone = subprocess.run([sys.executable, "-m", "bundles.verify", out], capture_output=True, text=True, check=False)
    assert alone.returncode == 0, alone.stderr
    assert "whole export stamped" in alone.stdout
    with zipfile.ZipFile(out) as archive:
        said = json.loads(archive.read("case.json"))
    assert said["facts"]["work"]["title"] == "一杆秤"
    assert [event["event"] for event in said["history"]] == ["first_seen"]
    content = bytearray(out.read_bytes())
    content[len(content) // 3] ^= 1
    out.write_bytes(bytes(content))
    changed = installed("evidence", "verify", out)
    assert changed.code == 1
    assert len(changed.complaints) == 2


def test_what_cannot_be_exported_is_said_in_one_sentence(installed: CommandLine, case: str, tmp_path: Path) -> None:
    for arguments in (
        ("9999", "--out", tmp_path / "x.zip"),
        ("eins", "--out", tmp_path / "x.zip"),
        (case, "--out", tmp_path / "none" / "x.zip"),
        (case, "--out", tmp_path),
    ):
        done = installed("evidence", "export", *arguments)
        assert done.code == 2, done
        assert len(done.complaints) == 1
    away = CommandLine(installed.home, {**installed.environment, "ZHUIWEN_TSA_URLS": "http://127.0.0.1:9/tsa"})
    done = away("evidence", "export", case, "--out", tmp_path / "x.zip")
    assert (done.code, "--no-seal" in done.complaints[0]) == (1, True), "the way round is said"
    assert list(tmp_path.iterdir()) == []


CHECK = """
from pipeline.app import SETTINGS
from webadmin.evidence.services.making import check_stored
from webadmin.backups.services.status_notes import note_evidence_status
from webadmin.evidence.services.making import live_evidence
from core.redis_names import EVIDENCE_NOTE
from pipeline.connections import redis_client
check_stored(live_evidence(SETTINGS))
note_evidence_status(redis_client(SETTINGS), SETTINGS)  # as the sweeper does
print(redis_client(SETTINGS).get(EVIDENCE_NOTE).decode())
"""


def checked(command: CommandLine) -> dict[str, Any]:
    """Return how the evidence stands after the nightly check ran."""
    values: dict[str, Any] = json.loads(command.in_django(CHECK))
    return values


def doctor_of(command: CommandLine) -> dict[str, str]:
    """Return what the doctor finds of the evidence, by id."""
    found = json.loads(command("doctor", "--json").out)
    return {each["id"]: each["problem"] for each in found if each["id"].startswith("evidence.")}


def test_a_changed_byte_in_the_store_is_reported_until_it_is_restored(installed: CommandLine, case: str) -> None:
    sound = checked(installed)
    assert (sound["bundles"], sound["changed"], sound["missing"], sound["last_check"]["faults"]) == (2, 0, 0, [])
    assert doctor_of(installed) == {}
    parts: Any = connect(installed.environment["ZHUIWEN_MONGO_URL"])["evidence_parts"]
    [name] = sorted({each["_id"].partition("/")[0] for each in parts.find({}, {"_id": 1})})[:1]
    part = parts.find_one({"_id": f"{name}/0000"})
    spoilt = bytearray(part["data"])
    spoilt[len(spoilt) // 2] ^= 1
    parts.update_one({"_id": part["_id"]}, {"$set": {"data": bytes(spoilt)}})
    try:
        found = checked(installed)
        assert (found["changed"], found["last_check"]["faults"]) == (1, [{"digest": name, "state": "changed"}])
        assert doctor_of(installed)["evidence.damaged"] == "1 of 2 evidence bundles are changed or missing"
        lines = installed("status").out.splitlines()
        assert any(line.startswith("evidence: 2 bundles, 1 changed, 0 missing; pending: 0") for line in lines)
        assert any("2 bundles and 0 stored files checked, 1 changed or missing" in line for line in lines)
    finally:
        parts.update_one({"_id": part["_id"]}, {"$set": {"data": part["data"]}})
    assert checked(installed)["changed"] == 0
    assert doctor_of(installed) == {}


def test_the_status_says_which_authorities_there_are_and_which_answer_is_waited_for(
    installed: CommandLine, case: str, authority: LocalAuthority
) -> None:
    checked(installed)
    assert "authorities: 1; no response is pending" in installed("status").out
    none = CommandLine(installed.home, {**installed.environment, "ZHUIWEN_TSA_URLS": ""})
    checked(none)
    assert "no authority is set (ZHUIWEN_TSA_URLS)" in none("status").out
    rootless = CommandLine(installed.home, {**installed.environment, "ZHUIWEN_TSA_ROOTS": "/nowhere.pem"})
    checked(rootless)
    assert "/nowhere.pem cannot be read" in rootless("status").out
    assert "/nowhere.pem cannot be read" in doctor_of(rootless)["evidence.authorities"]
