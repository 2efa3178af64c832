"""Test what replaced characters have in common: named where chance does not explain it, and only there."""

from collections import Counter

import numpy as np
import pytest

from core.matches import ChangeKind
from fingerprint.fingerprinting import fingerprint_text
from fingerprint.readings import code_points
from laboratory.edits.catalogue import edited
from matcher.align.changes import CHANGE_KINDS, PassageComparison, character_tables
from matcher.align.pair_kinds import NO_LEVEL, SHAPE_LEVELS, level_beyond_chance, level_by_shape, level_by_sound
from tests.support.corpus_texts import story
from tests.support.matchers import compared

WORK = (
    "他把那封信折好，轻轻塞进旧箱子的夹层里。窗外的雨下了整夜，院中的石榴树被风吹得东倒西歪。"
    "母亲端来一碗热粥，说天冷了，要多穿一件衣裳。他点点头，没有说话，眼睛却一直望着门口那条泥泞的小路。"
    "村里的老人们常说，凡是离开的人总会在某个清晨回来，带着远方的消息和一身的风尘。"
    "可是他等了许多年，等到门前的河水改了道，等到码头上的渡船再也不开，也没有等到那个熟悉的身影。"
) * 2
# None of them has a shared reading or a picture that is much alike.
LOOK_ALIKES = {"折": "拆", "说": "悦", "轻": "经", "话": "活", "眼": "银", "等": "寺", "被": "波", "雨": "雪"}
NEAR_SOUNDS = {"这": "宅", "怎": "责", "行": "定"}  # two by their initial, one by its rhyme


def kinds(comparison: PassageComparison) -> Counter[ChangeKind]:
    """How many tokens of each kind."""
    counted: Counter[ChangeKind] = Counter()
    for kind, start, end, *_ in comparison.changes.tolist():
        counted[CHANGE_KINDS[kind]] += end - start
    return counted


def test_look_alikes_are_named_where_many_share_components():
    page = WORK.translate(str.maketrans(LOOK_ALIKES))
    changed = sum(one != other for one, other in zip(page, WORK, strict=True))
    found = kinds(compared(page, WORK))
    assert changed > 20
    assert found[ChangeKind.SHAPE] + found[ChangeKind.HOMOPHONE] >= 0.95 * changed


@pytest.mark.parametrize("strength", [0.05, 0.2, 0.5])
def test_characters_at_random_are_replaced_ones_though_some_share_components(strength: float):
    work = story(11)
    page = edited(work, [("random", strength)], 3).text
    tables = character_tables(fingerprint_text(work).algorithm)
    pairs = [(a, b) for a, b in zip(code_points(page), code_points(work), strict=True) if a != b]
    shared = sum(level_by_shape(one, other, tables.similarity) != NO_LEVEL for one, other in pairs)
    found = kinds(compared(page, work))
    assert shared > 0.3 * len(pairs)
    assert found[ChangeKind.SHAPE] + found[ChangeKind.HOMOPHONE] <= 0.05 * len(pairs)


def test_near_sounds_are_named_among_homophones_only():
    homophones = str.maketrans("的里说那个他来风门", "地理硕拿各它莱丰们")
    work = "".join(sentence + "这怎行" for sentence in WORK.split("。"))
    replaced = str.maketrans(NEAR_SOUNDS)
    among = kinds(compared(work.translate(homophones).translate(replaced), work))
    alone = kinds(compared(work.translate(replaced), work))
    assert among[ChangeKind.REPLACED] == 0
    assert among[ChangeKind.HOMOPHONE] > alone[ChangeKind.HOMOPHONE]


@pytest.mark.parametrize(
    ("counts", "pairs", "unseen", "level"),
    [
        pytest.param([0, 0, 0], 0, 2, NO_LEVEL, id="nothing replaced"),
        pytest.param([1, 0, 0], 1, 2, 0, id="one, and rarely alike by chance"),
        pytest.param([0, 1, 0], 1, 2, NO_LEVEL, id="one, and often alike by chance"),
        pytest.param([0, 1, 0], 1, 0, 1, id="one, and others speak for it"),
        pytest.param([2, 10, 40], 100, 2, NO_LEVEL, id="as chance has it"),
        pytest.param([40, 30, 25], 100, 2, 2, id="nearly all, at the weakest level"),
        pytest.param([40, 40, 2], 100, 2, 1, id="the weakest level adds nothing"),
    ],
)
def test_levels_beyond_chance(counts: list[int], pairs: int, unseen: int, level: int):
    assert level_beyond_chance(np.array(counts, np.int64), (0.01, 0.1, 0.5), pairs, unseen) == level


@pytest.mark.parametrize("pair", ["输偷", "輸偷", "折拆", "宫营", "眼银", "滌修", "人入"])
def test_what_shares_components_reaches_a_level_in_either_order(pair: str):
    tables = character_tables(fingerprint_text("").algorithm).similarity
    one, other = code_points(pair)
    assert level_by_shape(one, other, tables) == level_by_shape(other, one, tables) < len(SHAPE_LEVELS)


def test_an_initial_is_shared_in_any_reading_hard_or_soft_and_a_rhyme_with_n_or_ng():
    tables = character_tables(fingerprint_text("").algorithm)

    def level(pair: str) -> int:
        one, other = (tables.readings[tables.rows[code]] for code in code_points(pair))
        return level_by_sound(one, other, tables.similarity)

    assert [level(pair) for pair in ("这宅", "三参", "昌才", "魂滚", "汉康")] == [0, 0, 0, 1, 1]
    assert [level(pair) for pair in ("安恩", "门口")] == [NO_LEVEL, NO_LEVEL]
