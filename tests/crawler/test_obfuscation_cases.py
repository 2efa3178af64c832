"""Obfuscated pages as folders of files, one kind each: what is read is the text, and the kind is told of.

A folder of tests/crawler/cases/obfuscations has page.html, what it refers to, and expected.json: `kind` and `text`,
the lines of the main text.
"""

import pytest

from core.marks import rebuild_text
from core.obfuscations import Obfuscation
from crawler.obfuscation.repairs import Repair, repairs
from crawler.reading import read_page
from tests.crawler.case_folders import Case, cases
from tests.crawler.texts import Beside

CASES = cases("obfuscations")
URL = "https://novel.example/1/2.html"
# What has to be looked at needs faces that only this machine may have: test_drawn_obfuscations.py draws its pages.
DRAWN = {Obfuscation.FONT, Obfuscation.PICTURE_TEXT, Obfuscation.TEXT_PICTURE}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_text_of_an_obfuscated_page_is_read_and_its_kind_is_told(case: Case) -> None:
    reading = read_page(case.body, {"Content-Type": "text/html; charset=utf-8"}, URL, context=Beside(case.files))
    assert (reading.text, [str(one.kind) for one in reading.obfuscations]) == (case.text, [case.expected["kind"]])
    assert reading.raw_text != reading.text, "the text as it stood is kept beside it"
    assert rebuild_text(reading.raw_text or reading.text, reading.text, reading.marks) == reading.text
    kinds = {mark.kind for mark in reading.marks}
    assert kinds == {case.expected["kind"]} or (not reading.raw_text and not kinds)


def test_every_obfuscation_that_is_undone_has_a_case() -> None:
    undone = {kind for kind in Obfuscation if kind.repair}
    assert {str(kind) for kind in undone - DRAWN} <= {case.expected["kind"] for case in CASES}


def test_every_repair_that_a_record_names_does_something() -> None:
    assert len(repairs()) == len({kind.repair for kind in Obfuscation if kind.repair})
    for repair in repairs():
        assert isinstance(repair, Repair)
        assert repair.in_tree is not None or repair.in_text is not None
