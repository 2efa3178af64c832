"""Pinyin in place of a character is one change in whatever form; behind a character that stands there it is noise."""

import random

import pytest

from core.matches import Change, ChangeKind, Match
from core.obfuscations import Obfuscation
from fingerprint.fingerprinting import fingerprint_text
from fingerprint.readings import syllable_ids
from fingerprint.syllables_2026 import SYLLABLES
from tests.support.matchers import matcher_of

# 鲁迅, 故乡 (1921) and 朝花夕拾 (1928), with a sentence that holds a figure and characters twice.
WORK = (
    "我冒了严寒，回到相隔二千余里，别了二十余年的故乡去。时候既然是深冬；渐近故乡时，天气又阴晦了，冷风吹进船舱中，"
    "呜呜的响，从篷隙向外一望，苍黄的天底下，远近横着几个萧索的荒村，没有一些活气。我的心禁不住悲凉起来了。"
    "他便背着一只旧木箱慢慢地走，姐姐在银行门口等他，口袋里有3个铜板和一封信，谁也没有看见他们。"
    "我家的后面有一个很大的园，相传叫作百草园。现在是早已并屋子一起卖给朱文公的子孙了，连那最末次的相见也已经隔了七八年，"
    "其中似乎确凿只有一些野草；但那时却是我的乐园。"
)
FORMS = ["bei", "BEI", "bèi", "ｂｅｉ", "bei4", "(bei)", "（bèi）", "[bei]", "【bei】", "(bei4)", "b e i", "( b e i )"]
FORMS += ["b\u200be\u200bi", "b-e-i", "（ｂｅｉ）"]


def find_match(page: str) -> Match:
    (match,) = matcher_of({"work": WORK}).match(page, fingerprint_text(page))
    return match


def find_changes(page: str) -> list[tuple[str, str, str]]:
    """Kind, text on the page, text in the work."""

    def show_changes(change: Change) -> tuple[str, str, str]:
        on_page, in_work = page[change.page.start : change.page.end], WORK[change.work.start : change.work.end]
        return change.kind.value, on_page, in_work

    return [show_changes(change) for span in find_match(page).spans for change in span.changes]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_in_place_of_a_character_is_one_change(form: str) -> None:
    assert find_changes(WORK.replace("便背着", f"便{form}着")) == [("pinyin", form, "背")]


@pytest.mark.parametrize("form", FORMS)
def test_the_same_form_behind_the_character_is_no_pinyin_in_its_place(form: str) -> None:
    kinds = {kind for kind, *_ in find_changes(WORK.replace("便背着", f"便背{form}着"))}
    assert kinds <= {"noise", "inserted"}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("便背着", "便(bei)(zhe)", [("pinyin", "(bei)", "背"), ("pinyin", "(zhe)", "着")]),
        ("便背着", "便(bei zhe)", [("pinyin", "(bei zhe)", "背着")]),
        ("便背着", "便beizhe", [("pinyin", "beizhe", "背着")]),
        ("银行门", "银(hang)门", [("pinyin", "(hang)", "行")]),
        ("银行门", "银hang门", [("pinyin", "hang", "行")]),
        ("，姐姐在", "，(jie)姐在", [("pinyin", "(jie)", "姐")]),
        ("，姐姐在", "，姐(jie)在", [("pinyin", "(jie)", "姐")]),
        ("，姐姐在", "，姐jie在", [("pinyin", "jie", "姐")]),
        ("有3个", "you3个", [("pinyin", "you", "有")]),
        ("慢慢地走", "(man)走", [("pinyin", "(man)", "慢"), ("deleted", "", "慢地")]),
        ("便背着", "便(lai)着", [("noise", "(lai)", ""), ("deleted", "", "背")]),
    ],
)
def test_letters_are_one_change_with_what_they_spell_and_nothing_else(
    old: str, new: str, expected: list[tuple[str, str, str]]
) -> None:
    assert old in WORK
    assert sorted(find_changes(WORK.replace(old, new))) == sorted(expected)


def test_what_is_spelled_is_named_as_replaced_and_not_as_put_in() -> None:
    page = WORK
    for character, form in zip("望活风园", ("(wang)", "(huo)", "（feng）", "[yuan]"), strict=True):
        page = page.replace(character, form, 1)
    match = find_match(page)
    assert {found.kind for found in match.obfuscations} == {Obfuscation.PINYIN_REPLACED}
    assert {change.kind for span in match.spans for change in span.changes} == {ChangeKind.PINYIN}


@pytest.mark.parametrize("seed", range(6))
def test_letters_of_every_form_are_told_from_letters_that_belong_to_nothing(seed: int) -> None:
    """Plain pinyin, every other form, letters that belong to nothing, and characters left out or replaced."""
    rng = random.Random(seed)
    match = find_match("".join(_write(character, rng) for character in WORK))
    assert {ChangeKind.PINYIN} < {change.kind for span in match.spans for change in span.changes}


def _write(character: str, rng: random.Random) -> str:
    reading = SYLLABLES[syllable_ids(character)[0]]
    forms = [character] * 14 + [reading] * 2
    forms += [f"({reading})", f"{reading}4", " ".join(reading), f"{character}({reading})", f"{character}ok", "", "丑"]
    return rng.choice(forms) if reading else character
