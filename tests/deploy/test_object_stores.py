"""`status`, `doctor` and the command line on S3 stores that are there, away, or refuse their user."""

from pathlib import Path

import pytest

from core import disk
from core.settings_loading import load
from deploy import doctor
from deploy.cli.app import run
from deploy.findings import Context
from deploy.home import Home, prepare
from deploy.services import InstallationState, ServiceStatus, status
from tests.support.s3_server import SECRET, Answer, S3Server


def home_with(folder: Path, s3_server: S3Server, **settings: str) -> Home:
    return prepare({"ZHUIWEN_HOME": str(folder / "home"), **s3_server.environ(), **settings})


def rows(home: Home) -> dict[str, ServiceStatus]:
    return {each.name: each for each in status(home) if each.name in ("evidence", "raw")}


def test_a_store_that_answers_is_external_and_is_written_to(tmp_path: Path, s3_url: str, s3_server: S3Server) -> None:
    home = home_with(tmp_path, s3_server, ZHUIWEN_EVIDENCE_URL=s3_url, ZHUIWEN_RAW_URL=f"{s3_url}/raw")
    found = rows(home)
    assert {name: row.state for name, row in found.items()} == {
        "evidence": InstallationState.EXTERNAL,
        "raw": InstallationState.EXTERNAL,
    }
    assert found["raw"].address == f"s3://{s3_url.split('/')[2]} ({s3_server.endpoint_url.removeprefix('http://')})"
    assert doctor.check_object_writes(Context(home, {})) == []
    assert doctor.check_object_writes(Context(home, {})) == [], "the object that is tried with may be there"


def test_a_user_who_may_read_alone_is_named(tmp_path: Path, s3_url: str, s3_server: S3Server) -> None:
    home = home_with(tmp_path, s3_server, ZHUIWEN_EVIDENCE_URL=s3_url)
    s3_server.fault = lambda environ: ("403 No", "AccessDenied") if environ["REQUEST_METHOD"] == "PUT" else None
    assert rows(home)["evidence"].state is InstallationState.EXTERNAL
    [finding] = doctor.check_object_writes(Context(home, {}))
    assert finding.id == "evidence.write"
    assert "can be read but not written to" in str(finding.problem)
    assert "AccessDenied" in str(finding.remedy)
    assert SECRET not in f"{finding.problem}{finding.remedy}"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (("403 No", "InvalidAccessKeyId"), "rejects the key of ZHUIWEN_S3_ACCESS_KEY"),
        (("404 No", "NoSuchBucket"), "the bucket"),
        (("503 No", "SlowDown"), "check ZHUIWEN_RAW_URL"),
    ],
)
def test_what_a_store_says_is_the_remedy_and_one_cause_one_finding(
    tmp_path: Path, s3_url: str, s3_server: S3Server, answer: Answer, words: str
) -> None:
    home = home_with(tmp_path, s3_server, ZHUIWEN_RAW_URL=s3_url)
    s3_server.fault = lambda _: answer
    row = rows(home)["raw"]
    assert row.state is InstallationState.UNREACHABLE
    assert words in str(row.remedy)
    found = {each.id for each in doctor.examine(Context(home, {}), [doctor.check_services, doctor.check_object_writes])}
    assert "service.raw" in found
    assert "raw.write" not in found


def test_a_folder_of_raw_responses_is_one_whose_space_is_watched(tmp_path: Path) -> None:
    folder = Path("/dev/shm")
    settings = load({"ZHUIWEN_HOME": str(tmp_path), "ZHUIWEN_RAW_URL": f"file://{folder}"})
    assert folder in list(disk._data_folders(settings))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("s3_endpoint_url", "https://key:hush@s3.example"),
        ("s3_endpoint_url", "s3.example"),
        ("raw_url", "s3://key:hush@kept"),
        ("raw_url", "s3://UPPER"),
        ("raw_url", "mongodb://host/x"),
        ("evidence_url", "s3://kept/../other"),
        ("s3_addressing", "neither"),
    ],
)
def test_a_setting_that_cannot_be_is_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str, value: str
) -> None:
    monkeypatch.setenv("ZHUIWEN_HOME", str(tmp_path))
    assert run(("config", "set", name, value)) != 0
    said = capsys.readouterr().err
    assert said.count("\n") == 1


def test_keys_stand_in_the_file_of_secrets_and_are_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from io import StringIO

    monkeypatch.setenv("ZHUIWEN_HOME", str(tmp_path))
    for name in ("s3_access_key", "s3_secret_key"):
        monkeypatch.setattr("sys.stdin", StringIO(f"{SECRET}\n"))
        assert run(("config", "set", name)) == 0
        assert f'{name} = "{SECRET}"' in (tmp_path / "secrets.toml").read_text("utf-8")
    assert run(("config", "list")) == 0
    shown = capsys.readouterr()
    assert SECRET not in shown.out + shown.err
    assert run(("config", "set", "s3_secret_key", SECRET)) != 0, "a command line may be read by others"
