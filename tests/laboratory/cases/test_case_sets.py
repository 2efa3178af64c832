"""Cases made of the texts of the quality floor: their truth is exact, their innocents are clean, a seed is a seed."""

import json
from functools import cache
from pathlib import Path

import pytest

from core.errors import BadInput, MalformedLine, UnreadableFile
from laboratory.cases import build, folder
from laboratory.cases.case_set import CaseSet, read_case_set
from laboratory.cases.conditions import EXCERPT_CHARS, SIZES
from laboratory.cases.grams import folded
from laboratory.cases.shelf import Shelf
from laboratory.scores.detection_quality import Case

TEXTS = Path(__file__).parents[2] / "quality" / "texts"
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


def work_text(case: Case) -> str:
    own = case.passages[0]
    text = {work.work_id: work.text for work in case_set().works}[own.work_id]
    return text[own.work.start : own.work.end]


def page_text(case: Case) -> str:
    own = case.passages[0].page
    return case.text[own.start : own.end]


def test_the_same_seed_gives_the_same_files_and_another_one_others():
    assert made().digests() == case_set().digests()
    assert made(8).digests()["pages.jsonl"] != case_set().digests()["pages.jsonl"]


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


def test_no_innocent_page_shares_wording_with_a_work_and_quotes_less_than_a_run():
    for case in of_class("negative"):
        is_quoting = case.attack == "short-quotations"
        assert not case.passages
        assert not (shelf().has_common_run(case.text) if is_quoting else shelf().sharing(case.text))
    for case in of_class("grey"):
        assert 20 <= folded(work_text(case))[0].size <= 35
    for case in of_class("patchwork"):
        assert len({own.work_id for own in case.passages}) == case.strength


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


def test_cases_and_texts_that_are_not_there_are_refused_by_name(tmp_path):
    with pytest.raises(UnreadableFile, match=r"works\.jsonl"):
        read_case_set(tmp_path)
    with pytest.raises(UnreadableFile, match="is not a folder"):
        folder.sources(tmp_path / "none", 1)
    with pytest.raises(BadInput, match="at least 4"):
        folder.sources(tmp_path, 1)
    (tmp_path / "works.jsonl").write_text('{"work_id": "a"}\n', "utf-8")
    with pytest.raises(MalformedLine, match="line 1"):
        read_case_set(tmp_path)
