import numpy as np
import pytest

from core.ids import WorkTextId
from matcher.reworded.background import Windows
from matcher.reworded.meanings import GROUP, MemoryMeaningIndex
from matcher.reworded.sentences import Units

A, B = WorkTextId("a"), WorkTextId("b")
AXES = np.eye(512, 96, dtype=np.float32)
CHARS = 30


def text(seed: int, units: int) -> tuple[Units, Windows]:
    """Vectors at random along the axes; every sentence CHARS long."""
    vectors = np.zeros((2 * units - 1, 512), np.float32)
    vectors[:, :96] = np.random.default_rng(seed).normal(size=(2 * units - 1, 96))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    places = np.arange(units, dtype=np.int32)[:, None] * CHARS + np.array([0, CHARS - 1], np.int32)
    return places, Windows(vectors, np.full(len(vectors), 0.3, np.float32))


@pytest.fixture
def index() -> MemoryMeaningIndex:
    filled = MemoryMeaningIndex(AXES)
    filled.add(A, *text(1, 100))
    filled.add(B, *text(2, 45))
    return filled


def test_a_block_is_found_where_it_stands(index: MemoryMeaningIndex) -> None:
    best, *others = index.find(text(1, 100)[1].between(40, 56))
    assert (best.text_id, best.start, best.end) == (A, 40 * CHARS, 56 * CHARS - 1)
    assert all(best.score > 2 * other.score for other in others)


def test_the_last_group_of_a_text_ends_with_it(index: MemoryMeaningIndex) -> None:
    best = index.find(text(2, 45)[1].between(40, 45))[0]
    assert (best.text_id, best.start) in {(B, 40 * CHARS), (B, 32 * CHARS)}
    assert best.end == 45 * CHARS - 1


def test_a_removed_text_is_found_no_more_and_one_added_later_is(index: MemoryMeaningIndex) -> None:
    block = text(1, 100)[1].between(40, 56)
    index.remove(A)
    assert all(chunk.text_id == B for chunk in index.find(block))
    assert index.add(A, *text(1, 100))
    assert index.find(block)[0].text_id == A
    assert not index.add(A, *text(3, 10))


def test_a_sentence_takes_a_hundred_bytes(index: MemoryMeaningIndex) -> None:
    assert 98 <= index.nbytes / 145 <= 98 + 8 / GROUP + 8
    before = index.nbytes
    index.find(text(1, 100)[1].between(0, 16))
    assert index.nbytes == before


def test_what_no_text_says_is_found_with_less_than_half_the_score(index: MemoryMeaningIndex) -> None:
    said = index.find(text(1, 100)[1].between(40, 56))[0].score
    assert all(chunk.score < said / 2 for chunk in index.find(text(9, 16)[1]))


def test_nothing_is_found_in_nothing(index: MemoryMeaningIndex) -> None:
    nothing = Windows(np.zeros((0, 512), np.float32), np.zeros(0, np.float32))
    assert MemoryMeaningIndex(AXES).find(text(1, 10)[1]) == []
    assert index.find(nothing) == []
    assert not index.add(WorkTextId("c"), np.zeros((0, 2), np.int32), nothing)
