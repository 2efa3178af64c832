"""What the signs of a text tell of the order in which it was written."""

import numpy as np
import pytest

from fingerprint.order.text_units import Block, Signs, Units
from fingerprint.readings import code_points

TALK = "老人说：「船来了。」\n孩子问：「在哪里？」\n没有人回答。\n"


def block_of(text: str) -> Block:
    offsets = np.array([place for place, sign in enumerate(text) if "\u4e00" <= sign <= "\u9fff"], np.int32)
    codes = code_points(text)
    characters = codes[offsets].astype(np.uint16)
    return Block(codes, offsets, Units.of(codes, offsets), 0, offsets.size, characters)


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


def test_without_tokens_there_are_no_signs_to_judge() -> None:
    assert block_of("。「」").signs_before_any == Signs(0, 0, 0)


def test_few_signs_prove_nothing() -> None:
    assert not Signs(turned=0, kept=3, all=3).are_in_place
    assert not Signs(turned=1, kept=7, all=8).are_in_place
    assert Signs(turned=1, kept=8, all=9).are_in_place
