"""What the signs of a text tell of the order in which it was written."""

import numpy as np
import pytest

from fingerprint.order.text_units import Block, Units
from fingerprint.readings import code_points

TALK = "老人说：「船来了。」\n孩子问：「在哪里？」\n没有人回答。\n"


def turned_signs(text: str) -> tuple[int, int]:
    offsets = np.array([place for place, sign in enumerate(text) if "\u4e00" <= sign <= "\u9fff"], np.int32)
    codes = code_points(text)
    characters = codes[offsets].astype(np.uint16)
    return Block(codes, offsets, Units.of(codes, offsets), 0, offsets.size, characters).turned_signs


def test_a_text_that_reads_forwards_has_no_turned_sign() -> None:
    turned, kept = turned_signs(TALK)
    assert turned == 0
    assert kept > 0


@pytest.mark.parametrize("text", [TALK, TALK.replace("\n", "")], ids=["in lines", "in one line"])
def test_reversed_as_a_whole_its_signs_are_turned(text: str) -> None:
    turned, kept = turned_signs(text[::-1])
    assert turned > kept


def test_without_tokens_there_are_no_signs_to_judge() -> None:
    assert turned_signs("。「」") == (0, 0)
