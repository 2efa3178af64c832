import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.matches import Change, ChangeKind, Match
from core.obfuscations import Obfuscation
from fingerprint.fingerprinting import fingerprint_text
from matcher.align.token_alignment import align_tokens
from tests.support.corpus_texts import shuffled_sentences, story, with_homophones
from tests.support.examples import examples
from tests.support.matchers import matcher_of

TEXT = story(1)
ADVERTISEMENT = "亲爱的读者请记住本站的网址收藏起来以后每天来看最新的章节更新哦"


MATCHER = matcher_of({"work": TEXT})


def the_match(page: str) -> Match:
    (match,) = MATCHER.match(page, fingerprint_text(page))
    return match


def marks(match: Match) -> list[Change]:
    return [change for span in match.spans for change in span.changes if change.kind is ChangeKind.MOVED]


def find_moved_blocks(order: list[int], size: int = 30) -> list[list[int]]:
    """Return what the kernel says is moved in a page of blocks of a work in this order."""
    aligned_to = np.concatenate([np.arange(block * size, (block + 1) * size, dtype=np.int32) for block in order])
    return align_tokens(aligned_to, 0).moved.tolist()


def longest_chain(order: list[int]) -> int:
    """By definition: how many blocks stand in order at most, in whole pieces."""
    pieces = [[order[0]]]
    for before, block in pairwise(order):
        if block < before or set(range(before + 1, block)) & set(order):
            pieces.append([])
        pieces[-1].append(block)
    most: list[int] = []
    for at, piece in enumerate(pieces):
        most.append(len(piece) + max((most[n] for n in range(at) if pieces[n][-1] < piece[0]), default=0))
    return max(most)


@examples(150)
@given(st.lists(st.integers(0, 39), min_size=1, max_size=14, unique=True))
def test_what_is_not_moved_is_the_longest_chain_in_order(order: list[int]) -> None:
    size = 30
    found = find_moved_blocks(order, size)
    blocks = {at for start, end, _, _ in found for at in range(start // size, end // size)}
    kept = [block for at, block in enumerate(order) if at not in blocks]
    assert kept == sorted(kept)
    assert len(kept) == longest_chain(order)
    for start, end, work_start, work_end in found:
        piece = order[start // size : end // size]
        assert (work_start, work_end) == (piece[0] * size, (piece[-1] + 1) * size)


def test_a_shuffled_page_says_which_pieces_were_moved_with_both_ranges() -> None:
    sentences = [sentence + "。" for sentence in TEXT.split("。") if sentence]
    blocks = ["".join(sentences[start : start + 12]) for start in range(0, 60, 12)]
    page = "".join(blocks[number] for number in (0, 3, 1, 2, 4))
    match = the_match(page)
    assert {found.kind for found in match.obfuscations} <= {Obfuscation.SHUFFLED}
    (mark,) = marks(match)
    there = blocks[3].removesuffix("。")
    assert page[mark.page.start : mark.page.end] == TEXT[mark.work.start : mark.work.end] == there


@pytest.mark.parametrize("size", [1, 4])
def test_each_mark_stands_where_both_texts_begin_alike(size: int) -> None:
    sentences = [sentence + "。" for sentence in TEXT.split("。") if sentence]
    blocks = ["".join(sentences[start : start + size]) for start in range(0, 60, size)]
    random.Random(5).shuffle(blocks)
    page = "".join(blocks)
    found = marks(the_match(page))
    assert found
    for mark in found:
        assert page[mark.page.start : mark.page.start + 5] == TEXT[mark.work.start : mark.work.start + 5]
        assert page[mark.page.end - 5 : mark.page.end] == TEXT[mark.work.end - 5 : mark.work.end]


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


def test_moves_count_nothing_for_similarity_and_no_other_changes_overlap() -> None:
    page = shuffled_sentences(with_homophones(TEXT, 0.1))
    match = the_match(page)
    assert marks(match)
    for span in match.spans:
        others = [change for change in span.changes if change.kind is not ChangeKind.MOVED]
        ends = [0, *(change.page.end for change in others)]
        assert all(change.page.start >= end for change, end in zip(others, ends, strict=False))
    assert the_match(shuffled_sentences(TEXT)).similarity >= 0.99
    assert match.similarity == pytest.approx(the_match(with_homophones(TEXT, 0.1)).similarity, abs=0.01)
