"""The batch by other fingerprints than the one in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fingerprint.algorithms import ALGORITHMS, DEFAULT
from fingerprint.fingerprinting import fingerprint_text
from tests.support.batch_files import read, write
from tests.support.command_line import CommandLine, zhuiwen
from tests.support.corpus_texts import story

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["zhuiwen"]

WORKS = {f"work-{seed}": story(seed, 100) for seed in range(1, 4)}
OFFSETS = fingerprint_text(WORKS["work-2"]).offsets
PAGES = {
    "copy": WORKS["work-1"],
    "out-of-phase": WORKS["work-2"][OFFSETS[45] : 1_000],
    "innocent": story(99),
}


def arguments(folder: Path, *options: object) -> tuple[object, ...]:
    rows = [{"work_id": work_id, "title": work_id, "text": text} for work_id, text in WORKS.items()]
    works = write(folder / "works.jsonl", rows)
    pages = write(folder / "pages.jsonl", [{"page_id": page_id, "text": text} for page_id, text in PAGES.items()])
    return ("batch", "--works", works, "--pages", pages, "--out", folder / "m.jsonl", *options)


def found(folder: Path) -> dict[str, list[str]]:
    return {page: [match["work_id"] for match in own] for page, own in read(folder / "m.jsonl").items()}


@pytest.mark.parametrize("algorithm", sorted(ALGORITHMS))
def test_a_batch_by_any_algorithm_finds_copies(zhuiwen: CommandLine, tmp_path: Path, algorithm: int) -> None:
    assert zhuiwen(*arguments(tmp_path, "--algorithm", algorithm)).code == 0
    assert found(tmp_path) == {"copy": ["work-1"], "out-of-phase": ["work-2"]}


def test_the_plain_published_index_finds_what_is_in_phase(zhuiwen: CommandLine, tmp_path: Path) -> None:
    assert zhuiwen(*arguments(tmp_path, "--algorithm", 3, "--page-step", 32)).code == 0
    assert found(tmp_path) == {"copy": ["work-1"]}


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--algorithm", 99), "there is no algorithm 99; choose one of 1, 2, 3, 4, 5"),
        (("--page-step", 1), f"--page-step only applies to windows as seeds; algorithm {DEFAULT.id} only has anchors"),
        (
            ("--algorithm", 3, "--engine", "nshash"),
            "--algorithm and --page-step only apply to zhuiwen, not to nshash",
        ),
    ],
)
def test_what_does_not_go_together_is_one_sentence(
    zhuiwen: CommandLine, tmp_path: Path, options: tuple[object, ...], complaint: str
) -> None:
    done = zhuiwen(*arguments(tmp_path, *options))
    assert done.code != 0
    assert complaint in " ".join((done.out + done.err).split())
    assert not (tmp_path / "m.jsonl").exists()


def test_a_step_of_nothing_is_refused(zhuiwen: CommandLine, tmp_path: Path) -> None:
    assert zhuiwen(*arguments(tmp_path, "--algorithm", 3, "--page-step", 0)).code != 0
