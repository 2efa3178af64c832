"""Texts whose characters stand in another order, or between others, to evade filters: by name.

NAMED: asked for. KIN: nobody asked for them; the repair was developed on most of them. LATER: written before the repair
was measured on them, and then never tuned on. MORE: so, too, but for mixtures, what ran together, and parts of a text,
on which the repair was mended. UNSEEN: measured at the end; of these only digits strewn in were mended.
"""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from pypinyin import Style

from laboratory.edits.mixtures import in_part, replaced_by_sound, then
from laboratory.edits.moves import (
    CLAUSES,
    LINES,
    SENTENCES,
    Layout,
    backwards,
    backwards_but_the_end,
    by_groups,
    by_some_units,
    by_units,
    dealt,
    in_capitals,
    in_columns,
    in_lines,
    in_pinyin,
    in_triangle,
    mirrored_halves,
    mixed_with,
    on_fence,
    outside_in,
    put_in,
    run_together,
    shuffled,
    shuffled_as_cards,
    strewn,
    strewn_in_turn,
    swapped,
    turned_in_groups,
    turned_on,
    words_backwards,
)

RARE = "龘靐齉爩鱻麤龗灪厵饢"
COMMON = "的一是了我不人在他有这个上们来到时大地为"
DIGITS = "0123456789"
OTHER_TEXT = (
    "今天早上天气很好，我和妹妹一起去菜市场买了一些新鲜的青菜和水果，回家以后妈妈给我们做了一顿丰盛的午饭，吃完饭大家坐在院子里"
    "喝茶聊天，说起小时候在乡下过年的事情，都觉得那时候的日子虽然清苦，却比现在热闹得多。"
)

NAMED: Mapping[str, Layout] = MappingProxyType(
    {
        "columns from the right, 12 high": in_columns(12),
        "columns from the right, 20 high": in_columns(20),
        "each line reversed": in_lines(by_units(LINES, backwards_but_the_end)),
        "the whole reversed": by_units(None, backwards),
        "pinyin with tone marks": in_pinyin(Style.TONE, " "),
        "pinyin without tones, no spaces": in_pinyin(Style.NORMAL, ""),
        "rare character after every 4th": strewn(4, RARE),
        "rare character after every 2nd": strewn(2, RARE),
        "neighbours transposed at every 3rd": by_groups((1, 0, 2)),
    }
)
KIN: Mapping[str, Layout] = MappingProxyType(
    {
        "columns from the left, 17 high": in_columns(17, from_right=False),
        "columns in blocks of 15 by 22": in_columns(15, wide=22),
        "columns with bars between": in_columns(14, between="｜"),
        "every other line reversed": in_lines(by_units(LINES, backwards_but_the_end, every=2)),
        "each sentence reversed": by_units(SENTENCES, backwards),
        "each clause reversed": by_units(CLAUSES, backwards),
        "every 5 characters reversed": by_groups((4, 3, 2, 1, 0)),
        "every 9 characters reversed": by_groups((8, 7, 6, 5, 4, 3, 2, 1, 0)),
        "all neighbours transposed": by_groups((1, 0)),
        "neighbours transposed at every 4th": by_groups((0, 2, 1, 3)),
        "three characters turned on": by_groups((1, 2, 0)),
        "pairs of pairs transposed": by_groups((2, 3, 0, 1)),
        "even characters behind the odd": by_units(None, dealt),
        "sentences so dealt out": by_units(SENTENCES, dealt),
        "two halves mixed as cards": by_units(None, shuffled_as_cards),
        "from both ends inwards": by_units(None, outside_in),
        "rare character after each": strewn(1, RARE),
        "two rare ones after every 3rd": strewn(3, RARE, 2),
        "rare one after every 3rd Chinese one": strewn(3, RARE, han_alone=True),
        "common character after every 3rd": strewn(3, COMMON),
        "common character after every 2nd": strewn(2, COMMON),
        "rare character after every 6th": strewn(6, RARE),
        "two rare ones after every 5th": strewn(5, RARE, 2),
        "two common ones after every 6th": strewn(6, COMMON, 2),
        "a fence of three rails": by_units(None, on_fence(3)),
        "pinyin with tone digits": in_pinyin(Style.TONE3, " "),
        "pinyin with digits, no spaces": in_pinyin(Style.TONE3, ""),
        "every other clause reversed": by_units(CLAUSES, backwards, every=2),
        "every third sentence reversed": by_units(SENTENCES, backwards, every=3),
        "clauses reversed at random, 30 %": by_some_units(CLAUSES, backwards, 0.3),
        "sentences reversed at random, 30 %": by_some_units(SENTENCES, backwards, 0.3),
        "rare ones put in at random, 50 %": put_in(0.5, RARE),
        "common ones put in at random, 50 %": put_in(0.5, COMMON),
        "three at a time shuffled": shuffled(3),
        "four at a time shuffled": shuffled(4),
        "six at a time shuffled": shuffled(6),
        "neighbours swapped at random, 15 %": swapped(0.15),
        "neighbours swapped at random, 30 %": swapped(0.3),
        "neighbours swapped at random, 50 %": swapped(0.5),
    }
)
LATER: Mapping[str, Layout] = MappingProxyType(
    {
        "snake of columns, 16 high": in_columns(16, from_right=False, is_snake=True),
        "triangle of columns": in_triangle,
        "each line turned on by 7": in_lines(by_units(LINES, turned_on(7))),
        "each half of a line reversed": in_lines(by_units(LINES, mirrored_halves)),
        "3 to 7 characters at a time reversed": turned_in_groups((3, 4, 5, 6, 7)),
        "4 and 6 characters in turn reversed": by_groups((3, 2, 1, 0), (5, 4, 3, 2, 1, 0)),
        "mixed with an innocent text": mixed_with(OTHER_TEXT),
        "two of it, one of an innocent text": mixed_with(OTHER_TEXT, 2, 1),
        "bars and stars in turn after each": strewn_in_turn((1,), "丨丶"),
        "other characters in turn after every 3rd": strewn_in_turn((3,), "灬卍囧"),
        "a rare one after 2, 3, 4 in turn": strewn_in_turn((2, 3, 4), RARE),
        "a common one after 3 and 5 in turn": strewn_in_turn((3, 5), COMMON),
        "a digit after every 2nd": strewn(2, DIGITS),
        "a digit after every 4th": strewn(4, DIGITS),
        "each clause dealt out": by_units(CLAUSES, dealt),
        "each line dealt out": in_lines(by_units(LINES, dealt)),
        "each sentence mixed as cards": by_units(SENTENCES, shuffled_as_cards),
        "each sentence from both ends inwards": by_units(SENTENCES, outside_in),
        "each line on a fence of three": in_lines(by_units(LINES, on_fence(3))),
        "each clause turned on by 2": by_units(CLAUSES, turned_on(2)),
        "lines reversed at random, 50 %": in_lines(by_some_units(LINES, backwards_but_the_end, 0.5)),
        "every third line dealt out": in_lines(by_units(LINES, dealt, every=3)),
    }
)
MORE: Mapping[str, Layout] = MappingProxyType(
    {
        "columns from the left, 25 high": in_columns(25, from_right=False),
        "columns with wide spaces between": in_columns(11, between="\u3000"),
        "columns run together, 12 high": then(in_columns(12), run_together),
        "lines to and fro, 18 long": in_lines(by_units(LINES, backwards_but_the_end, every=2), 18),
        "words of each clause backwards": words_backwards,
        "pairs turned at every 2nd": by_groups((1, 0, 2, 3)),
        "pairs turned at every 4th": by_groups((1, 0, 2, 3, 4, 5, 6, 7)),
        "neighbours transposed at every 5th": by_groups((1, 0, 2, 3, 4)),
        "a fence of four rails": by_units(None, on_fence(4)),
        "a fence of five rails": by_units(None, on_fence(5)),
        "each line on a fence of four": in_lines(by_units(LINES, on_fence(4))),
        "common character after every 5th": strewn(5, COMMON),
        "rare character after every 3rd": strewn(3, RARE),
        "common or rare after every 4th": strewn(4, COMMON + RARE),
        "emoji after every 2nd": strewn(2, "😀🌸🐱🍎"),
        "pinyin with tone marks, no spaces": in_pinyin(Style.TONE, ""),
        "pinyin without tones, spaces": in_pinyin(Style.NORMAL, " "),
        "pinyin without tones, hyphens": in_pinyin(Style.NORMAL, "-"),
        "pinyin with digits, dots": in_pinyin(Style.TONE3, "·"),
        "columns, then rare after every 4th": then(in_columns(12), strewn(4, RARE)),
        "rare after every 3rd, then columns": then(strewn(3, RARE), in_columns(15)),
        "rare after every 2nd, then backwards": then(strewn(2, RARE), by_units(None, backwards)),
        "transposed pairs, then lines backwards": then(
            by_groups((1, 0)), in_lines(by_units(LINES, backwards_but_the_end))
        ),
        "a tenth replaced by sound, then columns": then(replaced_by_sound(0.1), in_columns(14)),
        "a tenth replaced by sound, then backwards": then(replaced_by_sound(0.1), by_units(None, backwards)),
        "a tenth by sound, then rare after every 3rd": then(replaced_by_sound(0.1), strewn(3, RARE)),
        "a tenth by sound, then transposed at every 3rd": then(replaced_by_sound(0.1), by_groups((1, 0, 2))),
        "columns in the last half": in_part(in_columns(12), 0.5),
        "backwards in the last half": in_part(by_units(None, backwards), 0.5),
        "rare after every 2nd in the last half": in_part(strewn(2, RARE), 0.5),
    }
)
UNSEEN: Mapping[str, Layout] = MappingProxyType(
    {
        "columns from the right, 9 high, a fifth by sound": then(replaced_by_sound(0.2), in_columns(9)),
        "columns from the left, then digits after every 3rd": then(in_columns(16, from_right=False), strewn(3, DIGITS)),
        "columns run together from the left, 18 high": then(in_columns(18, from_right=False), run_together),
        "columns in the last third": in_part(in_columns(15), 0.34),
        "each line backwards in the last half": in_part(in_lines(by_units(LINES, backwards_but_the_end)), 0.5),
        "transposed at every 3rd in the last half": in_part(by_groups((1, 0, 2)), 0.5),
        "rare after every 3rd, then transposed pairs": then(strewn(3, RARE), by_groups((1, 0))),
        "transposed pairs, then rare after every 3rd": then(by_groups((1, 0)), strewn(3, RARE)),
        "rare after every 4th, then each line backwards": then(
            strewn(4, RARE), in_lines(by_units(LINES, backwards_but_the_end))
        ),
        "every 40 on a fence of three": by_groups(tuple(on_fence(3)(np.arange(40)).tolist())),
        "every 7 from both ends inwards": by_groups((0, 6, 1, 5, 2, 4, 3)),
        "every 6 turned on by 2": by_groups((2, 3, 4, 5, 0, 1)),
        "every 10 backwards": by_groups(tuple(range(9, -1, -1))),
        "one of each line, then the next of each": in_lines(in_columns(50, from_right=False), 50),
        "from both ends inwards, a tenth by sound": then(replaced_by_sound(0.1), by_units(None, outside_in)),
        "squares and dots after every 2nd and 3rd": strewn_in_turn((2, 3), "□○"),
        "pinyin in capitals, underscores": then(in_pinyin(Style.NORMAL, "_"), in_capitals),
    }
)
