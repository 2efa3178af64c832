import random

import pytest

from core.ids import WorkTextId
from matcher.reworded.chunks import CELL_CHARS, ChunkIndex, TextCells, cell_keys
from tests.support.rewritten import INNOCENT, REWORDED, WORK

A, B, C = (WorkTextId(name) for name in "abc")


def noise(seed: int, chars: int) -> str:
    rng = random.Random(seed)
    return "".join(chr(rng.randrange(0x4E00, 0x6000)) for _ in range(chars))


@pytest.fixture
def index() -> ChunkIndex:
    filled = ChunkIndex()
    filled.add_cells(A, TextCells.from_text(noise(1, 3_000) + WORK + noise(2, 3_000)))
    filled.add_cells(B, TextCells.from_text(noise(3, 5_000) + INNOCENT))
    return filled


def test_a_rewritten_passage_is_found_in_its_place(index: ChunkIndex) -> None:
    best, *others = index.find(REWORDED)
    assert best.text_id == A
    assert best.start < 3_000 + len(WORK)
    assert best.end > 3_000
    assert best.end - best.start == 2 * CELL_CHARS
    assert all(best.score > 2 * other.score for other in others)


def test_a_removed_text_is_found_no_more_and_one_added_later_is(index: ChunkIndex) -> None:
    index.remove(A)
    assert all(chunk.text_id != A for chunk in index.find(REWORDED))
    assert index.add_cells(C, TextCells.from_text(WORK))
    assert index.find(REWORDED)[0].text_id == C
    assert index.add_cells(A, TextCells.from_text(WORK + noise(4, 900)))
    assert {chunk.text_id for chunk in index.find(REWORDED)[:2]} == {A, C}


def test_answers_do_not_depend_on_the_order_of_look_ups_and_additions() -> None:
    texts = {WorkTextId(str(seed)): noise(seed, 2_000) for seed in range(6)} | {A: WORK}
    at_once, one_by_one = ChunkIndex(), ChunkIndex()
    for text_id, text in texts.items():
        at_once.add_cells(text_id, TextCells.from_text(text))
        one_by_one.add_cells(text_id, TextCells.from_text(text))
        one_by_one.find(REWORDED)
    assert at_once.find(REWORDED) == one_by_one.find(REWORDED)
    assert at_once.nbytes == one_by_one.nbytes


def test_a_removed_text_takes_no_room(index: ChunkIndex) -> None:
    alone = ChunkIndex()
    alone.add_cells(B, TextCells.from_text(noise(3, 5_000) + INNOCENT))
    assert not index.add_cells(A, TextCells.from_text("别的文字")), "a text is added once"
    index.remove(A)
    assert index.nbytes == alone.nbytes


def test_scripts_are_one_and_punctuation_is_none() -> None:
    keys, cells = cell_keys("後來，臺灣")
    assert keys.tolist() == cell_keys("后来台湾")[0].tolist()
    assert set(cells.tolist()) == {0}
