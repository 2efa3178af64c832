"""Test what is stored of a text for look-ups: the index filled with it answers as one filled with the text."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadInput
from core.ids import WorkTextId
from matcher.reworded.background import load_background
from matcher.reworded.chunks import ChunkIndex, TextCells
from matcher.reworded.meanings import MeaningIndex, TextMeanings
from matcher.reworded.stored import CELLS_ID, MEANINGS_ID, pack_codes
from tests.support.encoders import encoder, needs_encoder
from tests.support.rewritten import ENGLISH, INNOCENT, REWORDED, WORK

A, B = WorkTextId("a"), WorkTextId("b")


@pytest.mark.parametrize("text", [WORK * 5, "", "甲", "𠀀" * 700, "，" * 301, ENGLISH])
def test_cells_come_back_as_they_were(text: str) -> None:
    made = TextCells.from_text(text)
    back = TextCells.from_bytes(made.to_bytes())
    assert (back.chars, back.is_latin) == (made.chars, made.is_latin) == (len(text), text == ENGLISH)
    assert np.array_equal(back.keys, made.keys)
    assert np.array_equal(back.cells, made.cells)
    assert made.to_bytes()[0] == CELLS_ID
    assert len(made.to_bytes()) <= 5 * len(text) + 40


def test_an_index_of_stored_cells_answers_as_one_of_texts() -> None:
    of_texts, of_cells = ChunkIndex(), ChunkIndex()
    for name, text in ((A, INNOCENT * 3), (B, WORK * 2)):
        of_texts.add_cells(name, TextCells.from_text(text))
        assert of_cells.add_cells(name, TextCells.from_bytes(TextCells.from_text(text).to_bytes()))
    assert of_cells.find(REWORDED) == of_texts.find(REWORDED) != []
    assert not of_cells.add_cells(A, TextCells.from_text(WORK))


@needs_encoder
def test_meanings_come_back_as_they_were_and_are_found_by() -> None:
    background = load_background()
    made = TextMeanings.from_text(WORK * 6, encoder(), background)
    back = TextMeanings.from_bytes(made.to_bytes())
    assert all(
        np.array_equal(getattr(back, name), getattr(made, name))
        and getattr(back, name).dtype == getattr(made, name).dtype
        for name in ("codes", "nearness", "places")
    )
    assert made.to_bytes()[0] == MEANINGS_ID
    assert len(made.to_bytes()) <= 5 * len(WORK * 6)
    of_text, of_stored = MeaningIndex(background.axes), MeaningIndex(background.axes)
    encoded = encoder().encode([WORK * 6])[0]
    of_text.add_meanings(A, TextMeanings.from_windows(encoded.units, background.windows(encoded), background.axes))
    assert of_stored.add_meanings(A, back)
    page = background.windows(encoder().encode([ENGLISH])[0])
    whole = [(0, page.units)]
    assert of_stored.find(page, whole) == of_text.find(page, whole) != [[]]


@needs_encoder
def test_a_long_text_is_read_piece_by_piece_with_its_offsets(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join([WORK, INNOCENT, WORK])
    whole = TextMeanings.from_text(text, encoder(), load_background())
    monkeypatch.setattr("matcher.reworded.meanings.PART_CHARS", 100)
    pieces = TextMeanings.from_text(text, encoder(), load_background())
    assert np.array_equal(pieces.places, whole.places)
    assert np.abs(pieces.codes.astype(int) - whole.codes).max() <= 1


@given(st.integers(0, 10_000), st.integers(1, 255))
def test_a_changed_byte_is_refused(place: int, change: int) -> None:
    payload = bytearray(TextCells.from_text(WORK).to_bytes())
    payload[place % len(payload)] ^= change
    with pytest.raises(BadInput):
        TextCells.from_bytes(bytes(payload))


@pytest.mark.parametrize("kind", [TextCells, TextMeanings])
@pytest.mark.parametrize("size", [0, 1, 13, 14, 20])
def test_what_was_cut_off_is_refused(kind: type[TextCells] | type[TextMeanings], size: int) -> None:
    with pytest.raises(BadInput):
        kind.from_bytes(TextCells.from_text(WORK).to_bytes()[:size])


@pytest.mark.parametrize(
    "body",
    [b"", struct.pack("<IIB", 300, 2, 0), struct.pack("<IIBHII", 300, 2, 0, 1, 7, 8)],
    ids=["none", "few", "sum"],
)
def test_a_body_that_contradicts_itself_is_refused(body: bytes) -> None:
    with pytest.raises(BadInput):
        TextCells.from_bytes(pack_codes(CELLS_ID, 1, bytes(8), body))
