"""What `zhuiwen demo` prints at its end."""

from pathlib import Path

import pytest

from core.settings import WebSettings
from deploy.cli.demo import HEADS, _show, told
from deploy.demo.run import DemoResult
from deploy.demo.verification import Verification


def result(verification: Verification) -> DemoResult:
    return DemoResult([], {"授权": 3}, verification, [Path("/r/a.csv")], "http://h/", {"li": ""}, 87, 40.4)


def test_the_two_kinds_of_pages_add_up_to_those_planned() -> None:
    first, second, *_ = told(result(Verification(45, 45, 48, 0, ())))
    assert first == "93 pages planned: 45 copies, all found; 48 innocent, none accused."
    assert second == "As expected: 45 of 45 copies found, 0 of 48 innocent pages accused."


def test_what_did_not_go_as_planned_is_counted() -> None:
    first = told(result(Verification(45, 44, 48, 2, ("x",))))[0]
    assert first == "93 pages planned: 45 copies, 44 found; 48 innocent, 2 accused."


@pytest.mark.parametrize("language", ["zh-hans", "en"])
def test_the_heads_of_the_table_are_in_the_language_of_its_cells(
    language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _show(result(Verification(45, 45, 48, 0, ())), language)
    assert capsys.readouterr().out.split()[: len(HEADS[language])] == list(HEADS[language])


def test_every_language_that_can_be_set_has_heads() -> None:
    assert WebSettings().language in HEADS
    assert {len(heads) for heads in HEADS.values()} == {6}
