from pathlib import Path

import pytest

from laboratory.cases.build import sources_of
from laboratory.measures import look_alikes
from tests.support.corpus_texts import story


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "texts"
    folder.mkdir()
    for seed in range(8):
        (folder / f"{seed}.txt").write_text(story(seed, 120), "utf-8")
    return folder


def test_lists_of_look_alikes_share_more_than_random_pairs_at_every_level(texts: Path, tmp_path: Path) -> None:
    pairs = look_alikes.lists(sources_of(texts, tmp_path, 1), 1)
    random, by_eye = (look_alikes.reached(pairs[name]) for name in ("random", "shapes, by eye"))
    assert random[0] > 0.9 > by_eye[0]
    assert all(of_list > 1.4 * by_chance for of_list, by_chance in zip(by_eye[1], random[1], strict=True))
    assert random[1] == sorted(random[1])


def test_the_command_writes_a_line_for_each_list(
    texts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert look_alikes.main(["--texts", str(texts), "--corpora", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines[1:]] == [
        "random",
        "shapes, listed",
        "shapes, by eye",
        "sounds, listed",
        "taken as chance",
    ]


def test_the_command_says_what_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert look_alikes.main(["--corpora", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err
