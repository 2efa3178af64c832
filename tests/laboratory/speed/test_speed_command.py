"""`zhuiwen bench speed` as its users meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, zhuiwen
from tests.support.redis_server import redis_server_path

__all__ = ["zhuiwen"]

TEXTS = Path(__file__).parents[2] / "quality" / "texts"


def test_a_folder_is_measured_with_a_redis_of_its_own_and_shown_and_written(
    zhuiwen: CommandLine, tmp_path: Path
) -> None:
    if redis_server_path() is None:
        pytest.skip("no redis-server binary on this machine")
    figures = tmp_path / "speed.json"
    size = ("--works-chars", "3e4", "--pages", 10, "--rounds", 1, "--parts", "fingerprints,matching")
    done = zhuiwen("bench", "speed", "--texts", TEXTS, *size, "--json", figures)
    assert done.code == 0, done.err
    rows = [line.split("\t") for line in done.out.splitlines()]
    assert any(row[:1] == ["snapshot"] and len(row) == 11 for row in rows)
    assert any(row[0].startswith("matching, Redis") and row[-1] for row in rows)
    assert any("datasketch MinHash, update" in cell for row in rows for cell in row)
    read = json.loads(figures.read_text("utf-8"))
    assert [each["index"] for each in read["matching"]["speeds"]] == ["memory", "Redis", "snapshot"]
    assert "matching: 6 of 6" in done.err


def test_each_mistake_is_one_sentence_and_exit_code_two(zhuiwen: CommandLine, tmp_path: Path) -> None:
    mistakes = [
        ("--texts", tmp_path / "nowhere", "--parts", "long"),
        ("--texts", TEXTS, "--parts", "all"),
        ("--texts", TEXTS, "--works-chars", "nan"),
        ("--texts", TEXTS, "--long-chars", 0),
        ("--texts", TEXTS, "--redis", "nonsense"),
    ]
    for mistake in mistakes:
        done = zhuiwen("bench", "speed", *mistake)
        assert done.code == 2, mistake
        assert done.complaints[-1].startswith("zhuiwen: "), mistake
