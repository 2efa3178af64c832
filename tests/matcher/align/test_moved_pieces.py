import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ids import WorkTextId
from core.matches import Change, ChangeKind, Match
from core.obfuscations import Obfuscation
from core.text import TextRange
from fingerprint.fingerprinting import fingerprint_text
from matcher.align.token_alignment import ELSEWHERE, align_tokens
from matcher.corpus import MemoryCorpus, WorkEntry
from matcher.index.memory import MemoryIndex
from matcher.matching import Matcher
from tests.support.corpus_texts import shuffled_sentences, story, with_homophones
from tests.support.examples import examples

TEXT = story(1)
ADVERTISEMENT = "亲爱的读者请记住本站的网址收藏起来以后每天来看最新的章节更新哦"


def matcher_of(text: str) -> Matcher:
    index, corpus = MemoryIndex(), MemoryCorpus()
    corpus[WorkTextId("work")] = WorkEntry(text, fingerprint_text(text))
    index.add(WorkTextId("work"), corpus[WorkTextId("work")].fingerprint)
    return Matcher(index, corpus)


MATCHER = matcher_of(TEXT)


def the_match(page: str) -> Match:
    (match,) = MATCHER.match(page, fingerprint_text(page))
    return match


def marks(match: Match) -> list[Change]:
    return [change for span in match.spans for change in span.changes if change.kind is ChangeKind.MOVED]


def marked(order: list[int], size: int = 30) -> list[list[int]]:
    """What the kernel marks in a page of blocks of a work in this order."""
    aligned_to = np.concatenate([np.arange(block * size, (block + 1) * size, dtype=np.int32) for block in order])
    return [row[1:].tolist() for row in align_tokens(aligned_to, 0).gaps if row[0] == ELSEWHERE]


def expected_marks(order: list[int], size: int = 30) -> list[list[int]]:
    """By definition: where a block is behind the one before it, or skips one that stands elsewhere on the page."""
    return [
        [at * size, at * size, block * size, block * size]
        for at, (before, block) in enumerate(pairwise(order), 1)
        if block < before or set(range(before + 1, block)) & set(order)
    ]


@examples(150)
@given(st.lists(st.integers(0, 39), min_size=1, max_size=14, unique=True))
def test_a_piece_is_marked_that_stands_behind_or_skips_what_stands_elsewhere(order: list[int]) -> None:
    assert marked(order) == expected_marks(order)


def test_what_is_skipped_and_stands_nowhere_moves_nothing() -> None:
    assert marked([0, 1, 5, 6, 20]) == []
    assert marked([5, 6, 20, 0]) == [[90, 90, 0, 0]]


def test_a_piece_that_was_taken_forward_is_marked_on_both_sides_of_it() -> None:
    assert marked([0, 3, 1, 2, 4]) == [[30, 30, 90, 90], [60, 60, 30, 30], [120, 120, 120, 120]]


def test_a_shuffled_page_has_marks_at_the_beginnings_of_its_pieces_on_both_sides() -> None:
    sentences = [sentence + "。" for sentence in TEXT.split("。") if sentence]
    blocks = ["".join(sentences[start : start + 12]) for start in range(0, 60, 12)]
    order = [0, 3, 1, 4, 2]
    page = "".join(blocks[number] for number in order)
    match = the_match(page)
    assert Obfuscation.SHUFFLED in {found.kind for found in match.obfuscations}
    assert {found.kind for found in match.obfuscations} <= {Obfuscation.SHUFFLED}
    places, at = [], 0
    for number in order:
        places.append((at, TEXT.index(blocks[number])))
        at += len(blocks[number])
    assert [(mark.page, mark.work) for mark in marks(match)] == [
        (TextRange(start, start), TextRange(there, there)) for start, there in places[1:]
    ]


@pytest.mark.parametrize("size", [1, 4])
def test_each_mark_stands_where_both_texts_begin_alike(size: int) -> None:
    sentences = [sentence + "。" for sentence in TEXT.split("。") if sentence]
    blocks = ["".join(sentences[start : start + size]) for start in range(0, 60, size)]
    random.Random(5).shuffle(blocks)
    page = "".join(blocks)
    found = marks(the_match(page))
    assert len(found) >= 0.8 * (len(blocks) - 1)
    for mark in found:
        assert page[mark.page.start : mark.page.start + 5] == TEXT[mark.work.start : mark.work.start + 5]


@pytest.mark.parametrize(
    "page",
    [
        TEXT,
        TEXT[:900] + ADVERTISEMENT + TEXT[900:],
        TEXT[:900] + TEXT[1100:],
        with_homophones(TEXT, 0.3),
        ADVERTISEMENT.join(TEXT[start : start + 300] for start in range(0, len(TEXT), 300)),
    ],
    ids=["copy", "advertisement", "cut", "homophones", "many advertisements"],
)
def test_a_page_in_the_order_of_the_work_has_no_mark(page: str) -> None:
    assert marks(the_match(page)) == []


def test_marks_neither_overlap_changes_nor_count_for_similarity() -> None:
    page = shuffled_sentences(with_homophones(TEXT, 0.1))
    match = the_match(page)
    assert marks(match)
    for span in match.spans:
        ends = [0, *(change.page.end for change in span.changes)]
        assert all(change.page.start >= end for change, end in zip(span.changes, ends, strict=False))
        assert all(
            len(change.page) == len(change.work) == 0 for change in span.changes if change.kind is ChangeKind.MOVED
        )
    assert the_match(shuffled_sentences(TEXT)).similarity >= 0.99
    assert match.similarity == pytest.approx(the_match(with_homophones(TEXT, 0.1)).similarity, abs=0.01)


def test_a_mark_comes_before_the_change_that_begins_there() -> None:
    sentences = [sentence + "。" for sentence in TEXT.split("。") if sentence]
    half = len(sentences) // 2
    later, earlier = "".join(sentences[half:]), "".join(sentences[:half])
    span = the_match(later + "\u200b".join(earlier)).spans[0]
    kinds = [change.kind for change in span.changes]
    (at,) = (number for number, kind in enumerate(kinds) if kind is ChangeKind.MOVED)
    assert span.changes[at].page == TextRange(len(later), len(later))
    assert span.changes[at + 1].page.start >= len(later)
    assert span.changes[at + 1].work.start < len(later)
