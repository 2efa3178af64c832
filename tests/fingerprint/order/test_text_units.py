"""What the signs of a text tell of the order in which it was written."""

import numpy as np
import pytest

from fingerprint.order.text_units import Block, Signs
from fingerprint.readings import code_points
from fingerprint.tables import TABLES_2026

TALK = "老人说：「船来了。」\n孩子问：「在哪里？」\n没有人回答。\n"


def block_of(text: str) -> Block:
    offsets = np.array([place for place, sign in enumerate(text) if "\u4e00" <= sign <= "\u9fff"], np.int32)
    return Block(code_points(text), offsets, np.zeros(offsets.size, np.uint16), TABLES_2026.simplified)


def test_units_begin_behind_their_signs() -> None:
    block = block_of("　老人说：「船，来了。」\n孩子問？")
    assert block.lines.tolist() == [0, 6, 9]
    assert block.sentences.tolist() == [0, 6, 9]
    assert block.clauses.tolist() == [0, 3, 4, 6, 9]


def test_a_part_has_the_units_that_lie_in_it_and_signs_in_simplified_form() -> None:
    part = block_of("老人說。孩子問。他們走了。").part(3, 6)
    assert part.sentences.tolist() == [0, 3]
    assert "".join(map(chr, part.characters)) == "孩子问"
    assert "".join(map(chr, part.read_as(np.array([2, 0], np.int32)).characters)) == "问孩"


def test_the_cells_of_a_grid_are_counted_from_either_end_of_a_line() -> None:
    assert block_of("天　地\n\n人。").cells.tolist() == [[0, 0, 2], [0, 2, 0], [1, 0, 1]]


def test_the_signs_of_a_text_that_reads_forwards_are_in_place() -> None:
    block = block_of(TALK * 3)
    assert block.signs_before_openings.turned == 0
    assert block.signs_before_openings.are_in_place


@pytest.mark.parametrize("text", [TALK, TALK.replace("\n", "")], ids=["in lines", "in one line"])
def test_reversed_as_a_whole_its_signs_are_turned(text: str) -> None:
    block = block_of(text[::-1])
    assert block.signs_before_any.are_turned
    assert not block.signs_before_any.are_in_place


def test_with_every_other_character_by_itself_its_signs_are_not_in_place() -> None:
    text = (TALK * 9)[::2] + (TALK * 9)[1::2]
    assert not block_of(text).signs_before_any.are_in_place


def test_few_signs_prove_nothing() -> None:
    assert not Signs(turned=0, kept=3, all=3).are_in_place
    assert not Signs(turned=1, kept=7, all=8).are_in_place
    assert Signs(turned=1, kept=8, all=9).are_in_place
