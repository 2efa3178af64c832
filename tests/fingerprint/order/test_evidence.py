"""What a glance and the evidence say of texts in order, out of order, and of which characters were replaced."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from fingerprint.order.evidence import Evidence, gather_evidence
from fingerprint.order.followers import FOLLOWERS_2026
from fingerprint.order.screen import DISORDER, NO_DOUBT, glance
from fingerprint.readings import code_points
from fingerprint.stages import normalize
from fingerprint.tables import TABLES_2026
from laboratory.edits.edited import Edited
from laboratory.edits.moves import (
    CLAUSES,
    COMMON,
    RARE,
    Layout,
    backwards,
    by_groups,
    by_units,
    dealt,
    put_in,
    strewn,
    swapped,
)

DEMO = Path(__file__).parents[3] / "deploy" / "demo" / "works"
STORY = (DEMO / "云溪石桥.txt").read_text("utf-8")[:1500]
TABLE = FOLLOWERS_2026.words


def glance_at(text: str) -> int:
    return glance(code_points(text), normalize(text, TABLES_2026).offsets, TABLES_2026.simplified, TABLE)


def evidence_of(text: str) -> Evidence:
    stream = normalize(text, TABLES_2026)
    return gather_evidence(code_points(text), stream.offsets, stream.tokens, TABLES_2026.simplified, TABLE)


def moved(layout: Layout) -> str:
    return layout(Edited.of(STORY), Random(1)).text


def test_prose_leaves_no_doubt() -> None:
    assert glance_at(STORY) == NO_DOUBT
    assert evidence_of(STORY).is_in_order


@pytest.mark.parametrize("size", [0, 1, 18, 19, 20, 48, 67, 130, 131, 132, 700])
def test_a_glance_and_the_evidence_take_a_text_of_any_length(size: int) -> None:
    assert glance_at(STORY[:size]) in range(3)
    assert evidence_of(STORY[:size]).pairs <= size


@pytest.mark.parametrize("layout", [by_units(None, backwards), by_units(None, dealt), by_units(CLAUSES, backwards)])
def test_of_what_is_out_of_order_nothing_is_left(layout: Layout) -> None:
    assert glance_at(moved(layout)) != NO_DOUBT
    assert evidence_of(moved(layout)).is_lost


@pytest.mark.parametrize("period", [3, 5, 7])
@pytest.mark.parametrize("characters", [RARE, COMMON])
def test_characters_strewn_in_regularly_tell_how_far_apart(period: int, characters: str) -> None:
    assert evidence_of(moved(strewn(period - 1, characters))).period == period


def test_what_is_turned_near_by_and_what_is_put_in_are_told_apart() -> None:
    turned, strewn_in = evidence_of(moved(by_groups((1, 0, 2)))), evidence_of(moved(put_in(0.5, COMMON)))
    assert turned.is_turned
    assert not turned.is_strewn
    assert strewn_in.is_strewn
    assert not strewn_in.is_turned
    assert evidence_of(moved(swapped(0.3))).is_mixed


def test_what_goes_on_behind_some_characters_alone_is_a_list_and_not_strewn_with_others() -> None:
    beside = Evidence(pairs=1100, ahead=0.16, back=0.0, across=0.08, by_sound=0.02, period=0)
    assert not beside.is_strewn
    assert beside._replace(ahead=0.12).is_strewn


def test_replaced_characters_are_not_moved() -> None:
    rng = Random(3)
    signs = [chr(rng.randrange(0x4E00, 0x9000)) if rng.random() < 0.3 else sign for sign in STORY]
    evidence = evidence_of("".join(signs))
    assert evidence.ahead < 0.3
    assert evidence.is_in_order


def test_a_disordered_part_is_seen_wherever_it_stands() -> None:
    part = "".join(np.random.default_rng(1).permutation(list(STORY[:500])).tolist())
    for start in range(0, len(STORY), 250):
        assert glance_at(STORY[:start] + part + STORY[start:]) == DISORDER
