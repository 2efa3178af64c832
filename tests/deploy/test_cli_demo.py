"""Test what `zhuiwen demo` prints at its end, for people and for programs."""

import json
from pathlib import Path

import pytest

from core.wording import Message
from deploy.cli import demo
from deploy.cli.demo import demo_summary
from deploy.demo.run import DemoResult
from deploy.demo.verification import Verification


def result(verification: Verification) -> DemoResult:
    return DemoResult([], {"授权": 3}, verification, [Path("/r/a.csv")], "http://h/", {"li": "", "wu": "x"}, 87, 40.4)


def test_the_two_kinds_of_pages_add_up_to_those_planned_in_either_language() -> None:
    first, second, *_ = map(str, demo_summary(result(Verification(45, 45, 48, 0, ()))))
    assert first == "93 pages planned: 45 copies, 45 found; 48 unrelated, 0 flagged."
    assert second == "As expected: 45 of 45 copies found, 0 of 48 unrelated pages flagged."
    first = demo_summary(result(Verification(45, 44, 48, 2, ())))[0].in_language("zh-hans")
    assert first == "计划网页 93 个：复制网页 45 个，查出 44 个；正当网页 48 个，误报 2 个。"


def test_programs_read_one_object_and_people_hear_on_stderr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run_demo(say_so: object) -> DemoResult:
        say_so(Message("demo.reports"))  # type: ignore[operator]
        return result(Verification(45, 45, 48, 0, ()))

    monkeypatch.setattr("deploy.demo.run.run_demo", run_demo)
    demo.demo(is_json=True)
    heard = capsys.readouterr()
    assert heard.err == "  writing the reports\n"
    record = json.loads(heard.out)
    assert record["address"] == "http://h/"
    assert record["users"] == [{"name": "li", "password": None}, {"name": "wu", "password": "x"}]
    assert record["pages"] == {"planned": 93, "crawled": 87}
    assert record["copies"] == {"planned": 45, "found": 45}
    assert record["innocent"] == {"planned": 48, "accused": 0}
