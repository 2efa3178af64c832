"""The batch that also looks for pages in other words and in translation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matcher.reworded.record import CURRENT
from tests.support.batch_files import read, write
from tests.support.command_line import CommandLine
from tests.support.corpus_texts import story
from tests.support.encoders import needs_encoder
from tests.support.rewritten import AGAIN, ENGLISH, INNOCENT, REWORDED, WORK

if TYPE_CHECKING:
    from pathlib import Path


WORKS = {"渡口": WORK, "same text": WORK, "another": story(1, 100), "Ferry": ENGLISH}


def run(
    zhuiwen: CommandLine,
    folder: Path,
    pages: dict[str, dict[str, str]],
    *options: object,
    works: dict[str, str] = WORKS,
) -> dict[str, Any]:
    rows = [{"work_id": work_id, "title": work_id, "text": text} for work_id, text in works.items()]
    kept, out = write(folder / "works.jsonl", rows), folder / "m.jsonl"
    given = write(folder / "pages.jsonl", [{"page_id": name, **page} for name, page in pages.items()])
    done = zhuiwen("batch", "--works", kept, "--pages", given, "--out", out, *options)
    assert done.code == 0, done.err
    return read(out)


@needs_encoder
def test_pages_in_other_words_and_in_translation_are_named_with_their_sentences(
    zhuiwen: CommandLine, tmp_path: Path
) -> None:
    english = "".join(f"<p>{sentence}.</p>" for sentence in ENGLISH.split(". "))
    pages = {
        "reworded": {"text": INNOCENT + REWORDED},
        "translated": {"html": f"<title>The ferry</title><article>{english}</article>"},
        "copied": {"text": WORK},
        "quoting": {"text": f"{INNOCENT * 2}原文写着“{WORK[14:44]}”。{REWORDED}"},
        "innocent": {"text": INNOCENT},
    }
    found = run(zhuiwen, tmp_path, pages, "--reworded", "--processes", 1)
    assert set(found) == {"reworded", "translated", "copied", "quoting"}
    quoting = [(match["class"], match["work_id"]) for match in found["quoting"]]
    assert quoting == [("quotation", "渡口"), ("reworded", "渡口")], "a sentence that is quoted beside is no copy"
    reworded = {match["work_id"]: match for match in found["reworded"]}
    lead = reworded["渡口"]
    assert (lead["class"], lead["similarity"], lead["containment"], lead["spans"]) == ("reworded", None, None, [])
    assert (lead["also"], lead["algorithm"]) == (["same text"], CURRENT.version)
    assert len(lead["pairs"]) >= 5
    for pair in lead["pairs"]:
        assert len(INNOCENT) <= pair["page_start"] < pair["page_end"] <= len(INNOCENT + REWORDED)
        assert 0 <= pair["work_start"] < pair["work_end"] <= len(WORK)
        assert 0 < pair["strength"] <= 1
    assert [(match["class"], match["work_id"]) for match in found["translated"] if match["spans"] == []] == [
        ("translated", "渡口")
    ]
    assert [match["class"] for match in found["copied"]] == ["identical"]


@needs_encoder
def test_the_work_of_the_page_itself_is_left_out(zhuiwen: CommandLine, tmp_path: Path) -> None:
    found = run(zhuiwen, tmp_path, {"渡口": {"text": REWORDED}}, "--reworded", "--exclude-same-id", "--processes", 1)
    assert [(match["work_id"], match["also"]) for match in found["渡口"] if match["class"] == "reworded"] == [
        ("same text", [])
    ]


def test_without_the_option_nothing_is_compared_by_meaning(zhuiwen: CommandLine, tmp_path: Path) -> None:
    assert run(zhuiwen, tmp_path, {"page": {"text": REWORDED}}) == {}


def test_published_engines_know_no_meaning(zhuiwen: CommandLine) -> None:
    done = zhuiwen("batch", "--works", "w", "--pages", "p", "--out", "o", "--reworded", "--engine", "all")
    assert (done.code, done.complaints) == (2, ["zhuiwen: --reworded only applies to zhuiwen, not to all"])


@needs_encoder
def test_what_a_copied_work_says_alike_counts_against_the_others(zhuiwen: CommandLine, tmp_path: Path) -> None:
    copied = story(7, 100)
    works = {"渡口": WORK, "copied": f"{AGAIN}{INNOCENT * 3}{copied}"}
    page = {"page": {"text": f"{REWORDED}{copied[:120]}"}}
    assert [match["work_id"] for match in run(zhuiwen, tmp_path, page, "--reworded", works=works)["page"]] == ["copied"]
    alone = run(zhuiwen, tmp_path, page, "--reworded", works={**works, "copied": copied})
    assert [match["work_id"] for match in alone["page"]] == ["copied", "渡口"]
