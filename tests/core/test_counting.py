"""Figures of what counts: the spans as the matcher writes them, and the letters that they stand on."""

from dataclasses import replace

import pytest

from core.counting import MatchSides, TextLetters, deduct_excluded
from core.matches import Change, ChangeKind, Match, Span
from core.taken import Places
from core.text import TextRange
from tests.support.records import match

WORK = "江面起了雾，对岸的码头像一行字。看得见读不出。"


def of(page: str, work: str, *spans: Span, similarity: float = 1.0) -> tuple[Match, MatchSides]:
    letters = TextLetters.from_text(work)
    found = replace(
        match("t"), spans=spans, similarity=similarity, page_containment=1.0, work_containment=1.0,
        matched_chars=len(letters), taken=Places.from_starts(letters.places), longest_equal_run_chars=len(letters),
    )  # fmt: skip
    return found, MatchSides(TextLetters.from_text(page), letters)


def span(page: tuple[int, int], work: tuple[int, int], *changes: Change) -> Span:
    return Span(TextRange(*page), TextRange(*work), 1.0, changes)


def test_a_match_of_which_all_counts_is_the_same_match() -> None:
    found, sides = of(WORK, WORK, span((0, len(WORK)), (0, len(WORK))))
    assert deduct_excluded(found, sides) is found
    elsewhere = replace(sides, work_left_out=Places.from_starts([500]))
    assert deduct_excluded(found, elsewhere) is found


def test_a_passage_that_moved_is_left_out_with_its_characters() -> None:
    half = len(WORK) // 2
    page = WORK[half:] + WORK[:half]
    moved = Change(ChangeKind.MOVED, TextRange(0, len(WORK) - half), TextRange(half, len(WORK)))
    found, sides = of(page, WORK, span((0, len(WORK)), (0, len(WORK)), moved))
    gone = sides.work.find([TextLetters.from_text(WORK[:half])])
    left = deduct_excluded(found, replace(sides, work_left_out=gone))
    assert left.taken == Places(found.taken.bits & ~gone.bits)
    assert left.matched_chars == len(left.taken)
    assert left.similarity == 1.0


def test_the_longest_run_that_is_left_out_is_none() -> None:
    page = WORK.replace("像", "象")
    like = Change(ChangeKind.HOMOPHONE, *[TextRange(WORK.index("像"), WORK.index("像") + 1)] * 2)
    found, sides = of(page, WORK, span((0, len(WORK)), (0, len(WORK)), like))
    gone = sides.work.find([TextLetters.from_text("起了雾对岸")])
    assert deduct_excluded(found, replace(sides, work_left_out=gone)).longest_equal_run_chars == len(
        "一行字看得见读不出"
    )
    gone = sides.page.find([TextLetters.from_text("看得")])
    assert deduct_excluded(found, replace(sides, page_left_out=gone)).longest_equal_run_chars == len(
        "江面起了雾对岸的码头"
    )


def test_changes_inside_what_is_left_out_count_no_more() -> None:
    homophone = Change(ChangeKind.HOMOPHONE, TextRange(0, 2), TextRange(0, 2))
    found, sides = of(WORK, WORK, span((0, len(WORK)), (0, len(WORK)), homophone), similarity=0.9)
    outside = deduct_excluded(
        found, replace(sides, work_left_out=sides.work.find([TextLetters.from_text("看得见读不出")]))
    )
    assert outside.similarity < 0.9, "the same changes in less text"
    inside = deduct_excluded(
        found, replace(sides, work_left_out=sides.work.find([TextLetters.from_text("江面起了雾")]))
    )
    assert inside.similarity == pytest.approx(1.0, abs=0.03)


def test_a_span_that_stands_in_noise_alone_takes_nothing() -> None:
    found, sides = of(WORK, WORK, span((0, 6), (0, 6)), span((6, len(WORK)), (6, len(WORK))))
    left = deduct_excluded(found, replace(sides, page_left_out=sides.page.find([TextLetters.from_text("江面起了雾")])))
    assert left.taken == Places(found.taken.bits & ~Places.from_starts(range(6)).bits)
    assert left.page_containment == 1.0, "the noise is no part of the page"
