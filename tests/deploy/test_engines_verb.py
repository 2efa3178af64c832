"""The list of engines on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deploy.cli import engines as verb
from deploy.cli.app import run
from fingerprint.engines.catalogue import ENGINES
from tests.support.command_line import CommandLine
from webadmin.ui.console.words import CHINESE, ENGLISH

if TYPE_CHECKING:
    from tests.support.command_line import Done


def lines(done: Done) -> list[str]:
    assert (done.code, done.complaints) == (0, [])
    return done.out.splitlines()


def test_engines_are_listed_for_people_and_programs_the_products_own_first(zhuiwen: CommandLine) -> None:
    assert lines(zhuiwen("engines", "--plain")) == ["zhuiwen", *ENGINES]
    head, own, *others = (line.split("\t") for line in lines(zhuiwen("engines")))
    assert head == ["engine", "spans", "description"]
    assert own[:2] == ["zhuiwen", "yes"]
    assert "default" in own[2]
    assert others == [
        [name, "yes" if entry.gives_spans else "no", str(entry.summary)] for name, entry in ENGINES.items()
    ]
    own, *others = zhuiwen("engines", "--json").json()
    assert (own["name"], own["gives_spans"]) == ("zhuiwen", True)
    assert [each["name"] for each in others] == list(ENGINES)


@pytest.mark.parametrize("code", [CHINESE, ENGLISH])
@pytest.mark.parametrize("name", ["zhuiwen", *ENGINES])
def test_every_engine_is_told_whole_in_the_language_of_the_command(
    name: str, code: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ZHUIWEN_LANGUAGE", code)
    assert run(["engines", name]) == 0
    shown = capsys.readouterr().out
    entry = ENGINES.get(name)
    summary, parameters, departures = (
        (entry.summary, entry.parameters, entry.departures)
        if entry
        else (verb.OWN_SUMMARY, verb.OWN_PARAMETERS, verb.OWN_DEPARTURES)
    )
    for words in (summary, *parameters.values(), *departures):
        assert words.in_language(code) in shown
    head = {CHINESE: ("参数\t值\t含义", "来源："), ENGLISH: ("parameter\tvalue\tmeaning", "source: ")}
    assert all(part in shown for part in head[code])
    assert all(f"\n{parameter}\t" in shown for parameter in parameters)


def test_a_name_that_does_not_exist_is_answered_by_those_that_do(zhuiwen: CommandLine) -> None:
    done = zhuiwen("engines", "soundex")
    assert (done.code, done.out) == (2, "")
    assert done.complaints == [f"zhuiwen: there is no engine soundex; choose from {', '.join(['zhuiwen', *ENGINES])}"]
