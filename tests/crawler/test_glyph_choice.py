"""Test which character a drawing is: shape first, then script, frequency, what the source states, a second opinion."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import ImageFont

from crawler.obfuscation.glyph_choice import GlyphChoice, GlyphEvidence, Script, choose, detect_script, mark_doubtful
from crawler.obfuscation.glyph_shapes import Candidate, GlyphIndex, features, learn_model
from crawler.obfuscation.reference_fonts import draw_char, free_fonts
from laboratory.extraction.obfuscations import faces

NEAR = [Candidate("侬", 0.82), Candidate("依", 0.80)]


def test_of_two_shapes_that_are_near_the_usual_character_is_chosen() -> None:
    assert choose(NEAR).char == "依"


def test_a_shape_that_is_much_nearer_outweighs_frequency() -> None:
    assert choose([Candidate("侬", 0.97), Candidate("依", 0.88)]).char == "侬"


@pytest.mark.parametrize(("script", "char"), [(Script.SIMPLIFIED, "奥"), (Script.TRADITIONAL, "奧")])
def test_the_script_of_the_text_decides_between_forms(script: Script, char: str) -> None:
    assert choose([Candidate("奧", 0.94), Candidate("奥", 0.93)], GlyphEvidence(script)).char == char


def test_what_the_source_states_is_believed_as_far_as_its_odds() -> None:
    assert choose(NEAR, GlyphEvidence(stated=("侬", 5.0))).char == "侬"
    assert choose(NEAR, GlyphEvidence(stated=("侬", -12.0))).char == "依"


def test_a_second_opinion_turns_what_is_near_even_and_makes_it_sure() -> None:
    even = [Candidate("竟", 0.90), Candidate("竞", 0.91)]
    assert not choose(even).is_sure
    assert choose(even, GlyphEvidence(seen=("竟", 1.0))).char == "竟"
    assert choose(even, GlyphEvidence(seen=("竞", 1.0))).is_sure


def test_a_lone_candidate_is_certain_and_doubt_is_written_with_a_question_mark() -> None:
    assert choose([Candidate("字", 0.9)]) == GlyphChoice("字", 1.0)
    assert mark_doubtful("竟竟间") == "竟? 间? · "


def test_the_script_of_a_text_with_both_forms_is_left_open() -> None:
    assert detect_script("这國") is Script.EITHER


def test_features_of_a_blank_are_zero_and_of_nothing_none() -> None:
    assert not features([np.zeros((9, 9), np.uint8)]).any()
    assert len(features([])) == 0


@cache
def _texts() -> str:
    folder = Path(__file__).parents[1] / "quality" / "texts"
    return "".join(sorted({*"".join(path.read_text("utf-8") for path in folder.glob("*.txt"))} & _two_bytes()))


def _two_bytes() -> set[str]:
    return {chr(code) for code in range(0x4E00, 0xA000)}


@pytest.mark.usefixtures("long_computation")
@pytest.mark.skipif(len(free_fonts()) < 2, reason="this machine has fewer than two free Chinese faces")
def test_the_characters_of_a_face_that_is_no_reference_are_told() -> None:
    foreign = faces()[1]
    if not foreign:
        pytest.skip("this machine has no face beside the references")
    chars = _texts()
    assert len(chars) > 1_500
    known = [ImageFont.truetype(str(path), 72) for path in free_fonts()[:2]]
    shapes = np.stack([features([draw_char(face, char) for char in chars]) for face in known])
    index = GlyphIndex(list(chars), learn_model(shapes))
    other = ImageFont.truetype(str(foreign[0]), 22)
    rows = index.similarities([draw_char(other, char) for char in chars])
    wrong = [
        char
        for char, row in zip(chars, rows, strict=True)
        if choose(index.candidates(row), GlyphEvidence(Script.SIMPLIFIED)).char != char
    ]
    assert len(wrong) <= 2, wrong


def test_an_uncommon_character_is_read_only_if_no_common_one_looks_like_it() -> None:
    assert choose([Candidate("産", 0.97), Candidate("產", 0.88)], GlyphEvidence(Script.TRADITIONAL)).char == "産"
    assert choose([Candidate("産", 0.97), Candidate("產", 0.91)], GlyphEvidence(Script.EITHER)).char == "產"


def test_a_form_missing_from_big5_is_usual_in_traditional_text_only() -> None:
    near = [Candidate("裏", 0.91), Candidate("裹", 0.86)]
    assert choose(near, GlyphEvidence(Script.TRADITIONAL)).char == "裏"
    assert choose(near, GlyphEvidence(Script.SIMPLIFIED)).char == "裹"
