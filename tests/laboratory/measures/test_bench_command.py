"""`zhuiwen bench quality` as its users meet it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.command_line import CommandLine, zhuiwen

if TYPE_CHECKING:
    from tests.support.command_line import Done

__all__ = ["zhuiwen"]

TEXTS = Path(__file__).parents[2] / "quality" / "texts"


def bench(zhuiwen: CommandLine, *arguments: object) -> Done:
    return zhuiwen("bench", "quality", "--size", "tiny", *map(str, arguments))


def test_a_folder_of_texts_is_measured_shown_and_written(zhuiwen: CommandLine, tmp_path: Path) -> None:
    figures, page = tmp_path / "q.json", tmp_path / "q.html"
    classes = "patchwork,negative,excerpt"
    done = bench(zhuiwen, "--texts", TEXTS, "--classes", classes, "--json", figures, "--html", page, "--seed", 5)
    assert done.code == 0, done.err
    lines = [line.split("\t") for line in done.out.splitlines()]
    assert any(line[0] == "zhuiwen" and len(line) == 10 for line in lines)
    assert any(line[:3] == ["excerpt60", "mix", "0.1"] for line in lines)
    record = json.loads(figures.read_text("utf-8"))
    assert record["settings"]["seed"] == 5
    assert len(record["settings"]["sha256"]["pages.jsonl"]) == 64
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_each_mistake_is_one_sentence_and_exit_code_two(zhuiwen: CommandLine, tmp_path: Path) -> None:
    mistakes = [
        ("--corpora", tmp_path),
        ("--cases", tmp_path),
        ("--texts", TEXTS, "--size", "huge"),
        ("--texts", TEXTS, "--classes", "grey", "--json", tmp_path / "no" / "q.json"),
    ]
    for mistake in mistakes:
        done = bench(zhuiwen, *mistake)
        assert done.code == 2, mistake
        assert done.complaints[-1].startswith("zhuiwen: ")
        assert done.complaints[-1].count("\n") == 0
