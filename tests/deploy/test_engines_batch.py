"""The batch with other engines than the product's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.shares import cut_share
from fingerprint.engines.catalogue import ENGINES
from tests.support.batch_files import read, write
from tests.support.command_line import CommandLine
from tests.support.corpus_texts import story

if TYPE_CHECKING:
    from pathlib import Path


WORKS = {f"work-{seed}": story(seed, 120)[:2_500] for seed in range(1, 6)}
EXCERPT = story(9)[:600] + WORKS["work-2"][400:900] + story(9)[600:1_200]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    works = [{"work_id": work_id, "title": work_id, "text": text} for work_id, text in WORKS.items()]
    pages = [
        {"page_id": "copy", "text": WORKS["work-3"]},
        {"page_id": "work-4", "text": WORKS["work-4"]},
        {"page_id": "excerpt", "text": EXCERPT},
        {"page_id": "innocent", "text": story(99)[:2_000]},
        {"page_id": "empty", "text": ""},
    ]
    return write(tmp_path / "works.jsonl", [*works]), write(tmp_path / "pages.jsonl", [*pages])


def arguments(files: tuple[Path, Path], out: Path, engine: str) -> tuple[object, ...]:
    return ("batch", "--works", files[0], "--pages", files[1], "--out", out, "--engine", engine)


def test_an_engine_without_spans_writes_the_format_with_what_it_has(
    zhuiwen: CommandLine, files: tuple[Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "m.jsonl"
    done = zhuiwen(*arguments(files, out, "exact-md5"))
    assert done.code == 0
    assert "5 pages compared with 5 works: 2 with a match" in done.out
    assert done.out.rstrip().endswith("exact-md5 does not report spans")
    assert read(out) == {
        page: [{"work_id": work, "similarity": 1.0, "containment": None, "class": None, "spans": [], "also": []}]
        for page, work in (("copy", "work-3"), ("work-4", "work-4"))
    }
    assert zhuiwen(*arguments(files, tmp_path / "m.jsonl", "exact-sha"), "--exclude-same-id").code == 0
    assert list(read(tmp_path / "m.jsonl")) == ["copy"], "the work of the page's own id is left out"


def test_an_engine_with_spans_writes_them_and_how_much_of_the_page_they_hold(
    zhuiwen: CommandLine, files: tuple[Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "m.jsonl"
    done = zhuiwen(*arguments(files, out, "winnowing-8-8"))
    assert (done.code, "does not report spans" in done.out) == (0, False)
    (match,) = read(out)["excerpt"]
    (span,) = match["spans"]
    assert (match["work_id"], match["class"], span["similarity"]) == ("work-2", None, None)
    assert EXCERPT[span["page_start"] : span["page_end"]] == WORKS["work-2"][span["work_start"] : span["work_end"]]
    length = span["page_end"] - span["page_start"]
    assert match["containment"] == cut_share(length / len(EXCERPT))
    assert length > 450


def test_all_writes_a_file_for_every_engine_and_a_table_of_pages_matched(
    zhuiwen: CommandLine, files: tuple[Path, Path], tmp_path: Path
) -> None:
    write(tmp_path / "pages.jsonl", [*files[1].read_text("utf-8").splitlines(), "no JSON"])
    done = zhuiwen(*arguments(files, tmp_path / "m.jsonl", "all"))
    assert done.code == 1
    assert sum("line 6" in line for line in done.complaints) == 1
    head, *rows, summary = (line.split("\t") for line in done.out.splitlines())
    assert head == ["engine", "pages matched", "spans", "file"]
    assert [row[0] for row in rows] == ["zhuiwen", *ENGINES]
    assert summary[0].startswith("5 pages compared with 5 works")
    assert not (tmp_path / "m.jsonl").exists()
    for name, matched, _, file in rows:
        assert file == str(tmp_path / f"m.{name}.jsonl")
        assert len(read(tmp_path / f"m.{name}.jsonl")) == int(matched)
    table = {row[0]: row[1:3] for row in rows}
    assert table["zhuiwen"] == ["3", "yes"]
    assert table["exact-md5"] == ["2", "no"]
    assert table["winnowing-8-8"] == ["3", "yes"]
    assert read(tmp_path / "m.zhuiwen.jsonl")["copy"][0]["class"] == "identical"


def test_an_engine_that_does_not_exist_is_refused_before_anything_is_read(zhuiwen: CommandLine, tmp_path: Path) -> None:
    done = zhuiwen(*arguments((tmp_path / "none", tmp_path / "none"), tmp_path / "m.jsonl", "soundex"))
    assert done.code == 2
    assert done.complaints == ["zhuiwen: there is no engine soundex; see zhuiwen engines"]
