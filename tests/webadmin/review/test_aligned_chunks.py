"""Passages cut into pairs that say the same on both sides."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.webadmin.review.test_comparison import span, spans_of, texts
from webadmin.review.pages.case_page.comparison import ComparisonColumn, CopiedBlock, PassagePiece, compare


def copied_pieces(column: ComparisonColumn) -> list[PassagePiece]:
    return [piece for block in column.blocks if isinstance(block, CopiedBlock) for piece in block.pieces]


def by_pair(column: ComparisonColumn) -> dict[int, str]:
    found: dict[int, str] = {}
    for piece in copied_pieces(column):
        for pair in piece.pairs:
            found[pair] = found.get(pair, "") + piece.text
    return found


def pairs(page: str, work: str, *changes: list[Any]) -> list[tuple[str, str]]:
    """Return what stands beside what, in order of the page."""
    comparison = compare(page, work, [span(page, work, (0, len(page)), (0, len(work)), *changes)])
    of_page, of_work = by_pair(comparison.page), by_pair(comparison.work)
    assert of_page.keys() == of_work.keys()
    return [(of_page[pair], of_work[pair]) for pair in sorted(of_page)]


def test_each_line_of_the_page_stands_beside_the_line_that_it_was_taken_from() -> None:
    work, page = "甲甲\n乙乙\n丙丙\n丁丁", "甲甲\n乙（广告）乙\n丁丁"
    assert pairs(page, work, ["inserted", 4, 8, 4, 4], ["deleted", 10, 10, 6, 9]) == [
        ("甲甲\n", "甲甲\n"),
        ("乙（广告）乙\n", "乙乙\n丙丙\n"),
        ("丁丁", "丁丁"),
    ]


def test_a_long_line_is_cut_behind_sentences_and_a_change_never_is() -> None:
    text = ("江面起了雾" * 30 + "。") * 8
    change = ["replaced", 140, 160, 140, 160]
    made = pairs(text, text, change)
    assert [page for page, _ in made] == [work for _, work in made]
    assert len(made) > 4
    assert all(page.endswith("。") for page, _ in made)
    assert len(pairs("甲" * 5_000, "乙" * 5_000, ["replaced", 0, 5_000, 0, 5_000])) == 1


@pytest.mark.parametrize(
    ("page", "changes", "is_moved"),
    [
        ("甲甲\n丙丙\n乙乙\n丁丁\n戊戊\n", [["moved", 3, 6, 6, 9]], "丙丙\n"),
        ("甲甲\n乙乙\n丁丁\n丙丙\n戊戊\n", [["moved", 6, 9, 9, 12]], "丁丁\n"),
        ("丁丁\n乙乙\n丙丙\n甲甲\n戊戊\n", [["moved", 0, 3, 9, 12], ["moved", 9, 12, 0, 3]], "丁丁\n甲甲\n"),
    ],
    ids=["up", "the last but one", "changed places"],
)
def test_a_moved_piece_stands_beside_its_text_and_the_rest_goes_on(
    page: str, changes: list[list[Any]], is_moved: str
) -> None:
    work = "甲甲\n乙乙\n丙丙\n丁丁\n戊戊\n"
    assert pairs(page, work, *changes) == [(line, line) for line in page.splitlines(keepends=True)]
    pieces = copied_pieces(compare(page, work, [span(page, work, (0, 15), (0, 15), *changes)]).page)
    assert "".join(piece.text for piece in pieces if piece.is_moved) == is_moved


def test_what_was_put_in_before_does_not_shift_what_stands_beside_what() -> None:
    sentence = "江面起了雾，" * 20 + "渡口的灯熄了。"
    work, advert = sentence * 12, "请记住本站的新网址，免费阅读最新章节，" * 3
    page = work[:150] + advert + work[150:]
    made = pairs(page, work, ["inserted", 150, 150 + len(advert), 150, 150])
    assert len(made) > 5
    assert [of_page.replace(advert, "") for of_page, _ in made] == [of_work for _, of_work in made]


def test_a_change_that_has_lines_in_it_is_never_cut() -> None:
    work, page = "甲甲\n删删删\n删删乙乙", "甲甲\n乙乙"
    made = compare(page, work, [span(page, work, (0, 5), (0, 11), ["deleted", 3, 3, 3, 9])]).work
    assert [piece.text for piece in copied_pieces(made) if piece.links] == ["删删删\n删删"]
    work, advert = "".join(chr(0x4E00 + number) for number in range(100)), "（请记住\n本站的新网址）"
    page, end = work[:5] + advert + work[5:], 5 + len(advert)
    made = compare(page, work, [span(page, work, (0, len(page)), (0, 100), ["inserted", 5, end, 5, 5])]).page
    assert [piece.text for piece in copied_pieces(made) if piece.links] == [advert]


@given(st.data(), texts, texts)
def test_any_changes_leave_every_character_in_its_passage(data: Any, page: str, work: str) -> None:
    spans = data.draw(spans_of(page, work, bounded=True))
    comparison = compare(page, work, spans)
    for column in (comparison.page, comparison.work):
        assert all(piece.pairs for piece in copied_pieces(column))
