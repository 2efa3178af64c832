"""An archive of pages against works, by the batch format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.batch_files import read, write
from tests.support.command_line import CommandLine

DEMO = Path(__file__).parents[2] / "deploy" / "demo" / "works"
SCALE = (DEMO / "一杆秤.txt").read_text("utf-8")
PIANO = (DEMO / "搬琴.txt").read_text("utf-8")
OTHER = (DEMO / "换绳人.txt").read_text("utf-8")


def works(folder: Path, *more: dict[str, Any] | str) -> Path:
    rows = [
        {"work_id": "scale", "title": "一杆秤", "text": SCALE},
        {"work_id": "piano", "title": "搬琴", "text": PIANO},
    ]
    return write(folder / "works.jsonl", [*rows, *more])


def test_each_copy_is_written_with_its_spans_and_innocent_pages_are_not(zhuiwen: CommandLine, tmp_path: Path) -> None:
    excerpt = SCALE[300:700]
    paragraphs = "".join(f"<p>{line}</p>" for line in PIANO.splitlines())
    page = f"<html><head><title>x</title></head><body><div>{paragraphs}</div></body></html>"
    pages = write(
        tmp_path / "pages.jsonl",
        [
            {"page_id": "whole", "text": f"转载：\n{SCALE}"},
            {"page_id": "excerpt", "text": OTHER[:400] + excerpt + OTHER[400:]},
            {"page_id": "innocent", "text": OTHER},
            {"page_id": "html", "html": page},
            {"page_id": "menu", "html": "<html><body><nav><a href='/'>首页</a></nav></body></html>"},
        ],
    )
    done = zhuiwen("batch", "--works", works(tmp_path), "--pages", pages, "--out", tmp_path / "m.jsonl")
    assert (done.code, done.out.startswith("5 pages compared with 2 works: 3 with a match, 1 without text")) == (
        0,
        True,
    )
    found = read(tmp_path / "m.jsonl")
    assert {page: [match["work_id"] for match in matches] for page, matches in found.items()} == {
        "whole": ["scale"],
        "excerpt": ["scale"],
        "html": ["piano"],
    }
    (match,) = found["excerpt"]
    assert set(match) == {"work_id", "similarity", "containment", "class", "spans", "also"}
    (span,) = match["spans"]
    assert set(span) == {"page_start", "page_end", "work_start", "work_end", "similarity"}
    assert abs(span["page_start"] - 400) + abs(span["page_end"] - 800) < 20
    assert abs(span["work_start"] - 300) + abs(span["work_end"] - 700) < 20
    (whole,) = found["whole"][0]["spans"]
    assert whole["page_end"] - whole["page_start"] > 0.95 * len(SCALE)


def test_changes_are_written_when_asked_for_and_undo_to_the_work(zhuiwen: CommandLine, tmp_path: Path) -> None:
    sentences = [sentence + "。" for sentence in SCALE.replace("\n", "").split("。") if sentence]
    half = len(sentences) // 2
    page = "".join(sentences[half:] + sentences[:half]).replace("秤", "称")
    pages = write(tmp_path / "pages.jsonl", [{"page_id": "page", "text": page}])
    files = "--works", works(tmp_path), "--pages", pages, "--out", tmp_path / "m.jsonl"
    assert zhuiwen("batch", *files, "--changes").code == 0
    (span,) = read(tmp_path / "m.jsonl")["page"][0]["spans"]
    (moved,) = (each for each in span["changes"] if each["kind"] == "moved")
    assert min(moved["page_end"] - moved["page_start"], moved["work_end"] - moved["work_start"]) > len(page) // 4
    others = [each for each in span["changes"] if each["kind"] not in {"moved", "noise"}]
    assert {
        (page[each["page_start"] : each["page_end"]], SCALE[each["work_start"] : each["work_end"]]) for each in others
    } == {("称", "秤")}


def test_malformed_lines_are_named_by_number_and_skipped_and_the_code_is_1(
    zhuiwen: CommandLine, tmp_path: Path
) -> None:
    pages = write(
        tmp_path / "p.jsonl",
        [*("{", '{"page_id": 5, "text": "x"}'), {"page_id": "a"}, *({"page_id": "b", "text": SCALE},) * 2],
    )
    source = works(tmp_path, "not json", {"work_id": "scale", "title": "again", "text": SCALE})
    done = zhuiwen("batch", "--works", source, "--pages", pages, "--out", tmp_path / "m.jsonl")
    assert done.code == 1
    assert [line.split(": ")[1] for line in done.complaints if ", line" in line] == [
        f"{source}, line 3",
        f"{source}, line 4",
        f"{pages}, line 1",
        f"{pages}, line 2",
        f"{pages}, line 3",
        f"{pages}, line 5",
    ]
    assert f'{pages}, line 5: the "page_id" b was already used on an earlier line' in done.err
    assert "lines skipped: 6" in done.out
    (record,) = zhuiwen("batch", "--works", source, "--pages", pages, "--out", tmp_path / "n.jsonl", "--json").json()
    assert (record["engine"], record["pages"], record["works"], record["skipped"]) == ("zhuiwen", 1, 2, 6)
    assert list(read(tmp_path / "m.jsonl")) == ["b"]


def test_a_page_is_not_compared_with_the_work_of_its_own_id_when_asked(zhuiwen: CommandLine, tmp_path: Path) -> None:
    pages = write(tmp_path / "p.jsonl", [{"page_id": "scale", "text": SCALE}, {"page_id": "piano", "text": PIANO}])
    source = works(tmp_path, {"work_id": "reprint", "title": "一杆秤", "text": SCALE})
    arguments = ("batch", "--works", source, "--pages", pages, "--out", tmp_path / "m.jsonl")
    assert zhuiwen(*arguments).code == 0
    both = read(tmp_path / "m.jsonl")["scale"]
    assert [(match["work_id"], match["also"]) for match in both] == [("scale", ["reprint"])]
    assert zhuiwen(*arguments, "--exclude-same-id").code == 0
    found = read(tmp_path / "m.jsonl")
    assert [(match["work_id"], match["also"]) for match in found["scale"]] == [("reprint", [])]
    assert "piano" not in found


def test_the_output_is_never_one_of_the_inputs(zhuiwen: CommandLine, tmp_path: Path) -> None:
    source = works(tmp_path)
    before = source.read_bytes()
    done = zhuiwen("batch", "--works", source, "--pages", source, "--out", source)
    assert (done.code, source.read_bytes()) == (2, before)
    assert "is also read" in done.err
    done = zhuiwen("batch", "--works", source, "--pages", source, "--out", tmp_path / "none" / "m.jsonl")
    assert (done.code, "cannot be written" in done.err) == (2, True)
