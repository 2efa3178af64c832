"""Copies whose characters stand in another order, or with others strewn in: found, named, shown where they stand."""

import re

import pytest

from core.matches import ChangeKind, Match
from core.obfuscations import Obfuscation
from fingerprint.algorithms import ALGORITHMS
from fingerprint.fingerprinting import Fingerprint, fingerprint_text
from tests.support.matchers import matcher_of

WORK = (
    "清晨的雾还没有散尽，老渡口的石阶上已经坐满了等船的人。卖豆浆的老人把炉火拨得很旺，白色的水汽从锅盖边上冒出来，"
    "和江面上的雾混在一起。孩子们背着书包，一边跺脚一边朝对岸张望；几个挑担子的妇女低声说着昨天夜里的那场大雨，"
    "谁家的屋顶漏了，谁家的菜地被水冲走了一半。船夫老陈从舱里探出头来，慢吞吞地解开缆绳，说今天水急，大家坐稳一点。"
    "船离岸的时候，有人从坡上跑下来，手里举着一封信，喊着他的名字。老陈没有回头，他知道那封信是从什么地方寄来的，"
    "也知道里面写着什么。他已经等了三年，如今反而不想看了。船到江心，风忽然大了起来，浪头打在船帮上，溅湿了人们的裤脚。"
    "坐在船头的女教师把学生搂在怀里，轻轻地唱起一首老歌。歌声断断续续，却让大家都安静下来。"
    "对岸的山慢慢地从雾里露出轮廓，先是一棵歪脖子的老树，然后是那座没有钟的钟楼，最后是码头上一排生了锈的铁栏杆。"
    "下船的时候，女教师把那封信塞进了老陈的口袋，什么也没有说。老陈站在船尾，看着人群散开，看着孩子们跑进巷子里，"
    "才把信拿出来，就着晨光一个字一个字地读。读完以后，他把信折好，放回口袋，重新解开了缆绳。"
    "那天下午，村里的人看见他的船逆着水流往上游去了，船上只有他一个人，还有一盏没有点亮的马灯。"
)
RARE = "龘靐齉爩鱻麤龗灪"


def in_columns(text: str, high: int) -> str:
    columns = [text[start : start + high] for start in range(0, len(text), high)]
    rows = (
        "".join(column[row] if row < len(column) else "\u3000" for column in reversed(columns)) for row in range(high)
    )
    return "\n".join(rows)


def strewn(text: str, every: int) -> str:
    return "".join(
        sign + (RARE[place % len(RARE)] if place % every == every - 1 else "") for place, sign in enumerate(text)
    )


def transpose(text: str, every: int) -> str:
    groups = (text[start : start + every] for start in range(0, len(text), every))
    return "".join(group[1::-1] + group[2:] for group in groups)


def cut_lines(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


REARRANGED = {
    "columns from the right": in_columns(WORK, 12),
    "columns from the left": "\n".join(line[::-1] for line in in_columns(WORK, 15).split("\n")),
    "the whole reversed": WORK[::-1],
    "lines reversed": "\n".join(line[::-1] for line in cut_lines(WORK, 30)),
    "sentences reversed": "".join(sentence[::-1] for sentence in re.split("(?<=。)", WORK)),
    "every third pair transposed": transpose(WORK, 3),
    "all neighbours swapped": transpose(WORK, 2),
}
STREWN = {"after every fourth": strewn(WORK, 4), "after every second": strewn(WORK, 2)}


def compare_texts(page: str, work: str = WORK) -> tuple[Match, ...]:
    stored = Fingerprint.from_bytes(fingerprint_text(page, ALGORITHMS[7]).to_bytes())
    return matcher_of({"work": work}, ALGORITHMS[7]).match(page, stored)


def shown_unchanged(page: str, match: Match) -> list[bool]:
    shown = [False] * len(page)
    for span in match.spans:
        shown[span.page.start : span.page.end] = [True] * len(span.page)
    for span in match.spans:
        for change in span.changes:
            if change.kind is not ChangeKind.MOVED:
                shown[change.page.start : change.page.end] = [False] * len(change.page)
    return shown


@pytest.mark.parametrize("page", REARRANGED.values(), ids=REARRANGED.keys())
def test_a_copy_in_another_order_is_found_and_named(page: str) -> None:
    (match,) = compare_texts(page)
    assert match.similarity > 0.9
    assert Obfuscation.REARRANGED in [found.kind for found in match.obfuscations]
    shown = shown_unchanged(page, match)
    han = [place for place, sign in enumerate(page) if "\u4e00" <= sign <= "\u9fff"]
    assert sum(shown[place] for place in han) > 0.9 * len(han)
    assert len(match.taken) > 0.9 * sum("\u4e00" <= sign <= "\u9fff" for sign in WORK)


@pytest.mark.parametrize("page", STREWN.values(), ids=STREWN.keys())
def test_what_was_strewn_in_is_named_and_nothing_else_is_changed(page: str) -> None:
    (match,) = compare_texts(page)
    assert match.similarity > 0.99
    assert Obfuscation.STREWN in [found.kind for found in match.obfuscations]
    shown = shown_unchanged(page, match)
    within = range(match.spans[0].page.start, match.spans[0].page.end)
    assert not any(shown[place] for place in within if page[place] in RARE)
    copied = [place for place, sign in enumerate(page) if "\u4e00" <= sign <= "\u9fff" and sign not in RARE]
    assert sum(shown[place] for place in copied) > 0.99 * len(copied)


def test_a_change_in_columns_is_shown_at_its_characters_alone() -> None:
    changed = WORK.replace("卖豆浆的老人", "卖油条的老人")
    page = in_columns(changed, 12)
    (match,) = compare_texts(page)
    replaced = [change for span in match.spans for change in span.changes if change.kind is ChangeKind.REPLACED]
    assert sorted(page[change.page.start : change.page.end] for change in replaced) == sorted("油条")
    assert sorted(WORK[change.work.start : change.work.end] for change in replaced) == sorted("豆浆")


def test_a_page_in_columns_behind_ordinary_words_is_put_in_order_where_it_is_not() -> None:
    own = "编者按：以下文字由读者来稿整理而成，排版方式保留原样，请大家从右往左竖着读。谢谢各位的支持和理解。" * 3
    page = own + "\n" + in_columns(WORK, 12)
    (match,) = compare_texts(page)
    assert match.spans[0].page.start >= len(own)


PINYIN = {
    "tone marks": "qīng chén de wù hái méi yǒu sàn jìn , lǎo dù kǒu de shí jiē shàng yǐ jīng zuò mǎn le "
    "děng chuán de rén 。mài dòu jiāng de lǎo rén bǎ lú huǒ bō dé hěn wàng , bái sè de shuǐ qì cóng guō gài biān shàng mào chū lái",  # noqa: E501
    "tone digits": "qing1 chen2 de wu4 hai2 mei2 you3 san4 jin4 , lao3 du4 kou3 de shi2 jie1 shang4 yi3 jing1 zuo4 "
    "man3 le deng3 chuan2 de ren2 。 "
    "mai4 dou4 jiang1 de lao3 ren2 ba3 lu2 huo3 bo1 de hen3 wang4 , bai2 se4 de shui3 qi4",
    "no spaces": "qingchendewuhaimeiyousanjin,laodukoudeshijieshangyijingzuomanledengchuanderen."
    "maidoujiangdelaorenbaluhuobodehenwang,baisedeshuiqicongguogaibianshangmaochulai",
}


@pytest.mark.parametrize("page", PINYIN.values(), ids=PINYIN.keys())
def test_a_page_all_in_pinyin_is_compared_by_its_syllables(page: str) -> None:
    (match,) = compare_texts(page)
    assert match.matched_chars > 35
    assert Obfuscation.PINYIN_REPLACED in [found.kind for found in match.obfuscations]
