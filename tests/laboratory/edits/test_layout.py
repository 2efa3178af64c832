"""Every layout knows where each of its characters comes from, and loses none."""

from random import Random

import pytest

from laboratory.edits.edited import PUT_IN, Edited
from laboratory.edits.layout import KIN, LATER, MORE, NAMED, UNSEEN
from laboratory.edits.moves import Layout

TEXT = (
    "清晨的雾还没有散尽，老渡口的石阶上已经坐满了等船的人。卖豆浆的老人把炉火拨得很旺，"
    "白汽从锅盖边上冒出来！\n孩子们跑来跑去。\n"
)
LAYOUTS = {**NAMED, **KIN, **LATER, **MORE, **UNSEEN}
REPLACING = ("pinyin", "by sound")


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_knows_where_each_character_comes_from_and_loses_none(name: str) -> None:
    layout: Layout = LAYOUTS[name]
    page = layout(Edited.of(TEXT), Random(1))
    copied = [(sign, place) for sign, place in zip(page.text, page.origins.tolist(), strict=True) if place != PUT_IN]
    if not any(word in name for word in REPLACING):
        assert all(sign == TEXT[place] for sign, place in copied)
        assert len(copied) == len({place for _, place in copied})
    assert {place for _, place in copied} >= {place for place, sign in enumerate(TEXT) if sign != "\n"}
