"""The measurement of raw responses measures what it is told to, and says in one sentence what it cannot reach."""

from pathlib import Path

import pytest

from core.ids import digest
from laboratory.speed.raw_bodies import CHARS, main, new_bodies


def test_each_place_is_measured_one_at_a_time_and_many_at_once(
    mongo_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--mongo", mongo_url, "--raw", f"file://{tmp_path}", "--bodies", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines[:2]] == ["database, 1 at once", "database, 32 at once"]
    assert len(lines) == 4
    assert len(list(tmp_path.glob("??/*.gz"))) == 1 + 2 * 3


def test_a_place_that_cannot_be_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--raw", "ftp://kept", "--bodies", "1"]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_bodies_are_new_and_of_the_length_of_a_page() -> None:
    bodies = new_bodies(2)
    assert len(bodies) == 2
    assert all(len(body) == 3 * CHARS and digest(body) == name for name, body in bodies.items())
