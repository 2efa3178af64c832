from dataclasses import replace

import numpy as np
import pytest

from core.ids import WorkTextId
from matcher.reworded.background import SentenceWindows
from matcher.reworded.chunks import FoundChunk
from matcher.reworded.meanings import (
    BLOCKS_AT_ONCE,
    CODE_SCALE,
    GROUP,
    GROUPS_AT_ONCE,
    RIVALS,
    MeaningIndex,
    TextMeanings,
)
from matcher.reworded.sentences import Units, blocks

A, B = WorkTextId("a"), WorkTextId("b")
AXES = np.eye(512, 96, dtype=np.float32)
CHARS = 30


def text(seed: int, units: int) -> tuple[Units, SentenceWindows]:
    """Vectors at random along the axes; every sentence CHARS long."""
    vectors = np.zeros((2 * units - 1, 512), np.float32)
    vectors[:, :96] = np.random.default_rng(seed).normal(size=(2 * units - 1, 96))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    places = np.arange(units, dtype=np.int32)[:, None] * CHARS + np.array([0, CHARS - 1], np.int32)
    return places, SentenceWindows(vectors, np.full(len(vectors), 0.3, np.float32))


def find(index: MeaningIndex, page: SentenceWindows, start: int, end: int) -> list[FoundChunk]:
    (found,) = index.find(page, [(start, end)])
    return found


@pytest.fixture
def index() -> MeaningIndex:
    filled = MeaningIndex(AXES)
    filled.add_meanings(A, TextMeanings.from_windows(*text(1, 100), AXES))
    filled.add_meanings(B, TextMeanings.from_windows(*text(2, 45), AXES))
    return filled


def test_a_block_is_found_where_it_stands(index: MeaningIndex) -> None:
    best, *others = find(index, text(1, 100)[1], 40, 56)
    assert (best.text_id, best.start, best.end) == (A, 40 * CHARS, 56 * CHARS - 1)
    assert all(best.score > 2 * other.score for other in others)


def test_many_blocks_of_a_page_are_found_as_each_alone(index: MeaningIndex) -> None:
    page = text(1, 100)[1]
    several = blocks(page.units, 16, 8)
    assert len(several) > BLOCKS_AT_ONCE
    together = index.find(page, several)
    for (start, end), found in zip(several, together, strict=True):
        (alone,) = index.find(page.subset(start, end), [(0, end - start)])
        assert [(chunk.text_id, chunk.start, chunk.end) for chunk in found] == [
            (chunk.text_id, chunk.start, chunk.end) for chunk in alone
        ]
        assert [chunk.score for chunk in found] == pytest.approx([chunk.score for chunk in alone], rel=1e-4)
        assert (found[0].text_id, found[0].start // CHARS // GROUP) == (A, start // GROUP)


def test_more_groups_than_are_compared_at_once_are_compared_by_their_definition() -> None:
    index, long = MeaningIndex(AXES), text(4, GROUP * GROUPS_AT_ONCE + 20)
    block = replace(text(5, 16)[1], nearness=np.linspace(0, 0.2, 31, dtype=np.float32))
    index.add_meanings(A, TextMeanings.from_windows(*long, AXES))
    sentences = long[1].vectors[: long[1].units]
    csls = (
        2 * block.vectors @ np.round(sentences * CODE_SCALE).T / CODE_SCALE - np.float16(0.3) - block.nearness[:, None]
    )
    padded = np.pad(csls, ((0, 0), (0, -csls.shape[1] % GROUP)), constant_values=-9)
    groups = padded.reshape(len(csls), -1, GROUP).max(axis=2)
    gains = np.maximum(groups - np.maximum(np.sort(groups)[:, -RIVALS, None], 0), 0).sum(axis=0)
    chunks = gains + np.append(gains[1:], 0)
    best = find(index, block, 0, 16)[0]
    assert best.start == int(chunks.argmax()) * GROUP * CHARS
    assert best.score == pytest.approx(chunks.max(), rel=1e-4)


def test_the_last_group_of_a_text_ends_with_it(index: MeaningIndex) -> None:
    best = find(index, text(2, 45)[1], 40, 45)[0]
    assert (best.text_id, best.start) in {(B, 40 * CHARS), (B, 32 * CHARS)}
    assert best.end == 45 * CHARS - 1


def test_a_removed_text_is_found_no_more_and_one_added_later_is(index: MeaningIndex) -> None:
    page = text(1, 100)[1]
    index.remove(A)
    assert all(chunk.text_id == B for chunk in find(index, page, 40, 56))
    assert index.add_meanings(A, TextMeanings.from_windows(*text(1, 100), AXES))
    assert find(index, page, 40, 56)[0].text_id == A
    assert not index.add_meanings(A, TextMeanings.from_windows(*text(3, 10), AXES))


def test_nothing_is_found_in_nothing(index: MeaningIndex) -> None:
    nothing = SentenceWindows(np.zeros((0, 512), np.float32), np.zeros(0, np.float32))
    assert find(MeaningIndex(AXES), text(1, 10)[1], 0, 10) == []
    assert index.find(nothing, []) == []
    assert not index.add_meanings(WorkTextId("c"), TextMeanings.from_windows(np.zeros((0, 2), np.int32), nothing, AXES))
