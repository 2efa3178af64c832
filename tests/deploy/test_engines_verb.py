"""The list of engines on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.engines.catalogue import ENGINES
from tests.support.command_line import CommandLine, zhuiwen

if TYPE_CHECKING:
    from tests.support.command_line import Done

__all__ = ["zhuiwen"]


def lines(done: Done) -> list[str]:
    assert (done.code, done.complaints) == (0, [])
    return done.out.splitlines()


def test_plain_gives_one_name_a_line_and_the_products_own_first(zhuiwen: CommandLine) -> None:
    assert lines(zhuiwen("engines", "--plain")) == ["zhuiwen", *ENGINES]


def test_the_table_says_of_each_engine_what_it_is_and_whether_it_gives_spans(zhuiwen: CommandLine) -> None:
    head, own, *others = (line.split("\t") for line in lines(zhuiwen("engines")))
    assert head == ["engine", "spans", "what it is"]
    assert own[:2] == ["zhuiwen", "yes"]
    assert "default" in own[2]
    assert others == [[name, "yes" if entry.gives_spans else "no", entry.summary_en] for name, entry in ENGINES.items()]


def test_the_help_lists_the_verb_after_the_one_that_takes_the_names(zhuiwen: CommandLine) -> None:
    shown = zhuiwen("--help").out
    assert shown.index("batch") < shown.index("engines")


def test_programs_read_the_same_engines(zhuiwen: CommandLine) -> None:
    own, *others = zhuiwen("engines", "--json").json()
    assert (own["name"], own["gives_spans"]) == ("zhuiwen", True)
    assert [each["name"] for each in others] == list(ENGINES)
