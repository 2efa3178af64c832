"""Cases made of the texts of the quality floor: their truth is exact, their innocents are clean, a seed is a seed."""

import gzip
import json
import random
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from core.errors import BadInput, MalformedLine, UnreadableFile
from core.text import TextRange
from laboratory.cases import build, folder
from laboratory.cases.bench import bench_of
from laboratory.cases.case_set import CaseSet, read_case_set
from laboratory.cases.conditions import EXCERPT_CHARS, FULL, HARD, SIZES
from laboratory.cases.grams import folded
from laboratory.cases.passages import cuts, exact_passage, passage
from laboratory.cases.shelf import Shelf
from laboratory.edits.collected import CONFUSIONS_FILE, TYPOS_FILE
from laboratory.edits.material import Material, default_material
from laboratory.scores.detection_quality import Case

TEXTS = Path(__file__).parents[2] / "quality" / "texts"
CONFUSION = {"char": "后", "kind": "same sound same tone", "similar": "候"}
CLASSES = frozenset(build.CLASSES)


def said(_: str) -> None:
    """Nobody listens."""


def made(seed: int = 7, classes: frozenset[str] = CLASSES) -> CaseSet:
    return build.built(folder.sources(TEXTS, seed), SIZES["tiny"], seed, classes, said)


@cache
def case_set() -> CaseSet:
    return made()


@cache
def shelf() -> Shelf:
    return Shelf([work.text for work in case_set().works])


def of_class(name: str) -> list[Case]:
    return [case for case in case_set().cases if case.case_class == name]


def work_text(case: Case, number: int = 0) -> str:
    own = case.passages[number]
    text = {work.work_id: work.text for work in case_set().works}[own.work_id]
    return text[own.work.start : own.work.end]


def page_text(case: Case, number: int = 0) -> str:
    own = case.passages[number].page
    return case.text[own.start : own.end]


def test_the_same_seed_gives_the_same_files_and_another_one_others():
    assert made().digests() == case_set().digests()
    assert made(8).digests()["pages.jsonl"] != case_set().digests()["pages.jsonl"]


def test_asking_for_fewer_classes_leaves_the_pages_of_the_others_as_they_are():
    assert [case.text for case in made(classes=frozenset({"grey"})).cases] == [case.text for case in of_class("grey")]


def test_edits_write_the_material_of_the_sources_and_leave_the_rest_as_it_is():
    sources = replace(folder.sources(TEXTS, 7), material=Material(homophones=default_material().shapes, origin="other"))
    other = build.built(sources, SIZES["tiny"], 7, CLASSES, said)
    assert other.material == "other"
    differing = {
        (ours.case_class, ours.attack)
        for ours, theirs in zip(case_set().cases, other.cases, strict=True)
        if ours.text != theirs.text
    }
    assert ("full", "homophone") in differing
    assert not {case_class for case_class, _ in differing} & {"negative", "grey"}
    assert ("full", "none") not in differing


def test_texts_of_a_folder_are_edited_with_the_material_of_corpora_that_are_there(tmp_path):
    assert build.sources_of(TEXTS, tmp_path, 7).material is default_material()
    for name, record in ((CONFUSIONS_FILE, CONFUSION), (TYPOS_FILE, {"subs": []})):
        (tmp_path / name).write_bytes(gzip.compress(json.dumps(record, ensure_ascii=False).encode()))
    assert build.sources_of(TEXTS, tmp_path, 7).material.homophones.candidates("后") == "候"


def test_what_is_unchanged_stands_on_the_page_as_in_the_work():
    unchanged = [case for case in case_set().cases if case.passages and case.attack in ("none", "excerpt30")]
    assert len(unchanged) > 20
    for case in (*unchanged, *of_class("grey")):
        assert page_text(case) == work_text(case)


def test_every_passage_lies_within_its_page_and_its_work_and_is_not_empty():
    lengths = {work.work_id: len(work.text) for work in case_set().works}
    for case in case_set().cases:
        for own in case.passages:
            assert 0 <= own.page.start < own.page.end <= len(case.text)
            assert 0 <= own.work.start < own.work.end <= lengths[own.work_id]


def test_an_edited_passage_still_begins_and_ends_where_the_truth_says():
    for case in case_set().cases:
        if (case.case_class, case.attack) == ("full", "advertisement"):
            assert page_text(case)[0] == work_text(case)[0]
            assert page_text(case)[-1] == work_text(case)[-1]


def test_every_condition_has_its_pages():
    size = SIZES["tiny"]
    counts = Counter((case.case_class, case.attack, case.strength) for case in case_set().cases)
    assert {key: counts[("full", key[0], key[1])] for key in {(each.attack, each.strength) for each in FULL}} == {
        (each.attack, each.strength): size.full for each in FULL
    }
    assert all(counts[("hard", each.attack, each.strength)] == size.hard for each in HARD)
    assert sum(counts.values()) == len(case_set().cases)


@pytest.mark.parametrize("chars", EXCERPT_CHARS)
def test_an_excerpt_is_exact_and_has_a_clean_page_around_it(chars):
    excerpts = [case for case in of_class(f"excerpt{chars}") if case.attack == "none"]
    assert excerpts
    for case in excerpts:
        assert sum(not character.isspace() for character in work_text(case)) == chars
        own = case.passages[0].page
        assert own.start > 0
        assert own.end < len(case.text)
        assert not shelf().sharing(case.text[: own.start])
        assert not shelf().sharing(case.text[own.end :])


def test_no_innocent_page_shares_wording_with_a_work():
    innocent = [case for case in of_class("negative") if case.attack != "short-quotations"]
    assert innocent
    for case in innocent:
        assert not case.passages
        assert not shelf().sharing(case.text)


def test_short_quotations_are_shorter_than_a_run():
    quoting = [case for case in of_class("negative") if case.attack == "short-quotations"]
    assert quoting
    assert not any(shelf().has_common_run(case.text) for case in quoting)


def test_a_patchwork_takes_from_as_many_works_as_it_says():
    for case in of_class("patchwork"):
        assert len({own.work_id for own in case.passages}) == case.strength


def test_grey_quotations_are_sentences_of_twenty_to_thirty_five_characters():
    for case in of_class("grey"):
        assert 20 <= folded(work_text(case))[0].size <= 35
    marked = [case for case in of_class("grey") if case.attack == "marked"]
    assert all(case.text[case.passages[0].page.start - 1] in "“「" for case in marked)


def test_a_passage_of_one_source_is_taken_where_no_other_work_has_it():
    numbers = {work.work_id: number for number, work in enumerate(case_set().works)}
    for case in (*of_class("excerpt60"), *of_class("grey")):
        own = case.passages[0]
        assert not shelf().elsewhere(numbers[own.work_id], own.work.start, own.work.end, work_text(case))


def test_cases_are_read_as_they_were_written(tmp_path):
    case_set().write(tmp_path, {"seed": 7})
    read = read_case_set(tmp_path)
    assert read.cases == case_set().cases
    assert read.digests() == case_set().digests()
    manifest = json.loads((tmp_path / "manifest.json").read_text("utf-8"))
    assert manifest["sha256"] == case_set().digests()
    assert manifest["pages"] == len(case_set().cases)
    assert read.material == case_set().material == manifest["material"] == "own"
    (tmp_path / "manifest.json").unlink()
    assert read_case_set(tmp_path).material == ""


def test_cases_that_are_not_there_or_no_cases_are_refused_by_name(tmp_path):
    with pytest.raises(UnreadableFile, match=r"works\.jsonl"):
        read_case_set(tmp_path)
    (tmp_path / "works.jsonl").write_text('{"work_id": "a"}\n', "utf-8")
    with pytest.raises(MalformedLine, match="line 1"):
        read_case_set(tmp_path)


def test_cases_cannot_be_written_where_a_file_stands(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UnreadableFile, match="cannot be written"):
        case_set().write(tmp_path / "file", {})


def test_a_folder_without_enough_texts_makes_no_cases(tmp_path):
    (tmp_path / "one.txt").write_text("天地玄黄，宇宙洪荒。" * 30, "utf-8")
    with pytest.raises(BadInput, match="at least 4"):
        folder.sources(tmp_path, 1)
    with pytest.raises(UnreadableFile, match="no folder"):
        folder.sources(tmp_path / "none", 1)


def test_lines_of_json_are_texts_too_and_a_bad_one_is_named(tmp_path):
    texts = [path.read_text("utf-8") for path in sorted(TEXTS.glob("*.txt"))[:6]]
    lines = [json.dumps({"text": text}, ensure_ascii=False) for text in texts]
    (tmp_path / "texts.jsonl").write_text("\n".join(lines), "utf-8")
    sources = folder.sources(tmp_path, 1)
    assert sorted([*(work.text for work in sources.works), *(each.text for each in sources.outside)]) == sorted(texts)
    (tmp_path / "texts.jsonl").write_text("\n".join([*lines, '{"title": 1}']), "utf-8")
    with pytest.raises(MalformedLine, match=r"line 7.*text"):
        folder.sources(tmp_path, 1)


def test_texts_that_are_all_alike_make_no_innocent_page(tmp_path):
    text = (TEXTS / "essay-01-tea.txt").read_text("utf-8")
    for number in range(6):
        (tmp_path / f"{number}.txt").write_text(text, "utf-8")
    with pytest.raises(BadInput, match="innocent"):
        bench_of(folder.sources(tmp_path, 1), SIZES["tiny"], 1)


def test_cuts_cover_a_text_without_a_gap_and_end_with_sentences():
    text = (TEXTS / "story-01-ferry.txt").read_text("utf-8")
    pieces = cuts(text, 200)
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text
    assert all(text[piece.end - 1] in "。？！：\n”" or len(piece) == 200 for piece in pieces)


def test_passages_of_an_empty_or_blank_text_are_none():
    rng = random.Random(1)
    assert passage("", TextRange(0, 0), 100, rng) is None
    assert passage("\n\n", TextRange(0, 2), 100, rng) is None
    assert exact_passage("", TextRange(0, 0), 10, rng) is None
    assert exact_passage("太短了。", TextRange(0, 4), 10, rng) is None
    assert cuts("", 100) == []
