"""Both texts cut into copied and uncopied: nothing lost, nothing twice, whatever the spans are."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from core.matches import ChangeKind
from tests.support import admin_data
from webadmin.review.pages.case_page.change_summary import count_changes
from webadmin.review.pages.case_page.comparison import (
    ComparisonColumn,
    CopiedBlock,
    MissingBlock,
    SourcedBlock,
    SourceLink,
    compare,
)
from webadmin.review.pages.case_page.other_sources import SourcePlace, with_sources

ALPHABET = "甲乙丙丁 \n\u200b\u202e<&\ud800a"
texts = st.text(alphabet=ALPHABET, max_size=60)
offsets = st.tuples(st.integers(0, 70), st.integers(0, 70)).map(sorted)


@st.composite
def spans_of(draw: Any, page: str, work: str, bounded: bool) -> list[dict[str, Any]]:
    """Any spans, overlapping as they like; bounded ones stay inside their texts."""
    made = []
    for _ in range(draw(st.integers(0, 5))):
        page_range, work_range = draw(offsets), draw(offsets)
        if bounded:
            page_range = [min(at, len(page)) for at in page_range]
            work_range = [min(at, len(work)) for at in work_range]
        changes = []
        for _ in range(draw(st.integers(0, 4))):
            kind = str(draw(st.sampled_from(list(ChangeKind))))
            changes.append([kind, *_inside(draw, page_range), *_inside(draw, work_range)])
        made.append(span(page, work, tuple(page_range), tuple(work_range), *changes))
    return made


def _inside(draw: Any, of: list[int]) -> list[int]:
    return sorted([draw(st.integers(*of)), draw(st.integers(*of))])


def span(page: str, work: str, at: tuple[int, int], of: tuple[int, int], *changes: list[Any]) -> dict[str, Any]:
    return {
        "page": list(at),
        "work": list(of),
        "similarity": 0.9,
        "page_excerpt": page[slice(*at)],
        "work_excerpt": work[slice(*of)],
        "changes": list(changes),
    }


def linked_keys(column: ComparisonColumn) -> set[str]:
    return {
        link.key
        for block in column.blocks
        if isinstance(block, CopiedBlock)
        for piece in block.pieces
        for link in piece.links
    }


def copied(column: ComparisonColumn) -> list[tuple[tuple[int, ...], str]]:
    return [(block.passages, block.text) for block in column.blocks if isinstance(block, CopiedBlock)]


@given(st.data(), texts, texts)
def test_every_character_of_both_texts_comes_out_exactly_once(data: Any, page: str, work: str) -> None:
    spans = data.draw(spans_of(page, work, bounded=False))
    comparison = compare(page, work, spans)
    assert comparison.page.text == page
    assert comparison.work.text == work


@given(st.data(), texts, texts)
def test_a_character_is_copied_exactly_where_a_span_covers_it(data: Any, page: str, work: str) -> None:
    spans = data.draw(spans_of(page, work, bounded=True))
    column, at = compare(page, work, spans).work, 0
    ordered = sorted(spans, key=lambda each: tuple(each["page"]))
    for block in column.blocks:
        assert not isinstance(block, MissingBlock)
        covering = tuple(number for number, each in enumerate(ordered, 1) if each["work"][0] <= at < each["work"][1])
        if block.text:
            assert covering == (block.passages if isinstance(block, CopiedBlock) else ())
        at += len(block.text)


def test_a_change_is_linked_on_both_sides_and_gaps_stand_where_text_is_missing() -> None:
    page, work = "前言甲已丙！广告丁", "甲乙丙戊丁"
    comparison = compare(
        page,
        work,
        [
            span(page, work, (2, 9), (0, 5),
                 ["homophone", 3, 4, 1, 2], ["inserted", 5, 8, 3, 3], ["deleted", 8, 8, 3, 4])
        ],
    )  # fmt: skip
    assert linked_keys(comparison.page) == linked_keys(comparison.work) == {"1-1", "1-2", "1-3"}
    assert [(link.kind, link.work, link.page) for link in comparison.links] == [
        ("homophone", "乙", "已"),
        ("inserted", "", "！广告"),
        ("deleted", "戊", ""),
    ]
    block = comparison.page.blocks[1]
    assert isinstance(block, CopiedBlock)
    gaps = [piece for piece in block.pieces if not piece.text]
    assert [gap.links[0].kind for gap in gaps] == [ChangeKind.DELETED]


def test_changes_are_counted_by_kind_with_the_commonest_pairs_first() -> None:
    page, work = admin_data.page_text(1), admin_data.WORK_TEXT
    counts = count_changes(compare(page, work, admin_data.spans(1)).links)
    by_kind = {str(item.kind): item for item in counts}
    assert by_kind["homophone"].examples[0].work == "雾"
    assert by_kind["homophone"].examples[0].count == work.count("雾") - page.count("雾")
    assert by_kind["deleted"].count == 1
    assert [item.count for item in counts] == sorted((item.count for item in counts), reverse=True)


def test_kinds_with_many_pairs_say_how_many_are_not_shown() -> None:
    page, work = "一二三四五六", "甲乙丙丁戊己"
    changes = [["replaced", at, at + 1, at, at + 1] for at in range(6)]
    (counted,) = count_changes(compare(page, work, [span(page, work, (0, 6), (0, 6), *changes)]).links)
    assert (counted.count, len(counted.examples), counted.more) == (6, 4, 2)


@given(st.text(alphabet="甲乙丙丁", max_size=60), st.lists(offsets, max_size=6), st.lists(offsets, max_size=3))
def test_text_of_other_works_loses_no_character(page: str, others: list[list[int]], own: list[list[int]]) -> None:
    work = "戊" * 70
    column = compare(page, work, [span(page, work, (at[0], at[1]), (0, 1)) for at in own]).page
    places = sorted(
        (SourcePlace(*at, SourceLink("别的书", "/")) for at in others), key=lambda place: (place.start, place.end)
    )
    cut = with_sources(column, places)
    assert cut.text == page
    assert [block for block in cut.blocks if isinstance(block, CopiedBlock)] == [
        block for block in column.blocks if isinstance(block, CopiedBlock)
    ]
    by_other = {place for at in others for place in range(*at)}
    at = 0
    for block in cut.blocks:
        assert not isinstance(block, MissingBlock)
        if not isinstance(block, CopiedBlock):
            assert block.text
            covered = [place in by_other for place in range(at, at + len(block.text))]
            assert covered == [isinstance(block, SourcedBlock)] * len(block.text)
        at += len(block.text)
