"""Books in the styles of headings that people give them, made here; and texts that have sections but no chapters."""

import gzip
import json
from collections.abc import Iterator
from itertools import cycle, islice
from random import Random

import pytest

from crawler.formats.heading_styles import FoundHeadings
from crawler.formats.headings import split_chapters
from laboratory.cases.build import SHARED_CORPORA

TITLES = [
    "起锚",
    "水位簿",
    "裹着手帕的铃",
    "石牛闸",
    "三眼泉",
    "夜班的人",
    "借来的雨",
    "渡口无灯",
    "旧船票",
    "江面起雾",
    "十七袋米",
    "谁在敲门",
]
HAN = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"]
FORMAL = ["壹", "贰", "叁", "肆", "伍", "陆", "柒", "捌", "玖", "拾", "拾壹", "拾贰"]
ENGLISH = ["One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve"]
ROMAN = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"]
WIDE = str.maketrans("0123456789", "０１２３４５６７８９")
CHARS = "渡口的灯是在立冬那天熄的老周把船缆系在第根桩上数了数舱里的米袋比个月少没有声张只把账本合压枕头底下江面起了雾"
COUNT = 12

# n, han, formal, roman, english: the number; vol: of its volume, of five chapters; in_vol: within it; t: the title
STYLES = """
第{han}章 {t}|第{n}章 {t}|第{n:03}章 {t}|第{wide}章　{t}|第 {n} 章 {t}|第{han}章{t}|第{han}章：{t}
第{han}章、{t}|第{han}章|第{formal}章 {t}|第{han}回 {t}　{t}|第{han}回{t}{t}|第{han}节 {t}|第{han}節　{t}
第{han}話 {t}|第{n}话：{t}|第{han}集 {t}|第{han}篇 {t}|第{han}幕 {t}|第{han}折 {t}|第{han}出 {t}|第{han}场 {t}
第{han}课 {t}|第{han}则 {t}|第{han}讲 {t}|{han}回 {t}|{han}章 {t}|{n}章 {t}|章{han} {t}|卷{han} {t}
卷之{han}　{t}|卷 第 {han}|篇{han}：{t}|第{vol}卷第{n}章 {t}|第{vol}卷·第{n}章 {t}|第{vol}卷 风起 第{han}章 {t}
卷{vol} 第{n}章 {t}|卷{vol}·风起江上 第{n}章 {t}|第{vol}部第{in_vol}章|第{vol}部分 第{han}章 {t}
上卷 第{han}回 {t}|正文 第{han}章 {t}|正文卷 第{n}章 {t}|VIP章节 第{n}章 {t}|{n:03}.第{han}章 {t}
{n}、第{n}章 {t}|渡口无灯 第{han}章 {t}|《渡口无灯》第{han}章 {t}|渡口无灯-第{han}章-{t}|章节目录 第{n}章 {t}
【第{han}章】{t}|【第{han}章 {t}】|[第{n}章 {t}]|（第{han}章）{t}|『第{han}章』{t}|☆、第{han}章 {t}|★第{n}章★{t}
==第{n}章 {t}==|# 第{n}章 {t}|-- 第{han}章 {t} --|第{n}章 {t} [本章字数：3120 更新时间：2009-10-01 12:00:00.0]
第{n}章 {t}（求月票！）|第{han}章 “{t}”|第{n}章 {t}？|{n}、{t}|{n}.{t}|{n}. {t}|{n} {t}|{n:02} {t}|{n:03}{t}
{n}：{t}|{n}-{t}|{n}_{t}|{wide}．{t}|({n}){t}|（{n}） {t}|[{n}] {t}|【{n}】|【{n}】{t}|{circled}{t}|<{n}>|{n:02}
{n}|{n}.|#{n} {t}|No.{n} {t}|NO{n}、{t}|-{n}-|～{n}～|{han}、{t}|{han} {t}|{han}　{t}|{han}|{han}.{t}|（{han}）
（{han}）{t}|({han})|【{han}】{t}|{han}：{t}|{formal}、{t}|之{han} {t}|其{han}|{han}·{t}|{roman}. {t}|{roman}
渡口无灯({n})|渡口无灯（{han}）|渡口无灯 {n}|渡口无灯{n}|渡口无灯 {n} {t}|渡口无灯 {n}.{t}|渡口无灯_{n}
渡口无灯之{han}|《渡口无灯》{n}|渡口无灯[{n}]|渡口无灯【{n}】|分节阅读 {n}|分节阅读_{n}|渡口无灯_分节阅读_{n}
分页阅读 {n}|第{n}页|第{n}段|Chapter {n}|CHAPTER {n} {t}|Chapter {english} {t}|Chapter {roman}|chapter.{n} {t}
Chapter{n}：{t}|Ch.{n} {t}|Part {n} {t}|PART {english}|Section {n}|Episode {n}：{t}|EP{n:02} {t}|Day {n}
ACT.{n} {t}|Scene {n}|Vol.{n} {t}|Lesson {n} {t}|第{han}夜 {t}|第{han}天|第{han}封信|第{han}案 {t}|第{han}日
案件{han} {t}|故事{han}：{t}|番外{han} {t}|{t}第{han}|第{han}乐章 {t}|第{han}季 {t}|第{han}辑 {t}
第{han}单元 {t}|☆、{t}|☆{t}|★ {t}|☆、{n}|☆、{n} {t}|正文 {t}|【{t}】|〖{t}〗|《{t}》|『{t}』|=={t}==|■{t}|●{t}
◎{t}|◆{t}◆
"""


def prose(rng: Random, chars: int, indent: str = "") -> str:
    """Paragraphs of so many characters in all, of lengths as they come."""
    parts = list[str]()
    while chars > 0:
        length = rng.randint(20, 90)
        start = rng.randrange(len(CHARS))
        parts.append(indent + "".join(islice(cycle(CHARS), start, start + length)) + rng.choice("。。。！？”…"))
        chars -= length
    return "\n".join(parts)


def numbered(style: str, number: int) -> str:
    volume, within = divmod(number - 1, 5)
    at = number - 1
    return style.format(
        n=number,
        wide=str(number).translate(WIDE),
        circled=chr(0x2460 + at),
        han=HAN[at],
        formal=FORMAL[at],
        roman=ROMAN[at],
        english=ENGLISH[at],
        t=TITLES[at],
        vol=HAN[volume],
        in_vol=HAN[within],
    )


def chapters(style: str, numbers: range = range(1, COUNT + 1), *, chars: int = 1_000, gap: str = "\n\n") -> str:
    rng = Random(style)
    return "".join(
        f"{numbered(style, each)}{gap}{prose(rng, int(chars * rng.uniform(0.5, 1.6)))}{gap}" for each in numbers
    )


def contents(style: str, behind: str = "") -> str:
    return "目录\n\n" + "".join(f"{numbered(style, each)}{behind}\n" for each in range(1, COUNT + 1)) + "\n"


def titles(text: str) -> list[str]:
    found = split_chapters(text)
    assert "".join(each.text for each in found) == text
    return [each.title for each in found]


@pytest.mark.parametrize("style", STYLES.replace("\n", "|").strip("|").split("|"))
def test_a_book_is_divided_by_the_style_of_its_headings(style: str) -> None:
    text = f"《渡口无灯》\n作者：闻笛\n\n{chapters(style)}"
    found = titles(text)
    assert len(found) == COUNT
    assert all(TITLES[at] in title or "{t}" not in style for at, title in enumerate(found))
    assert len(titles(chapters(style, chars=900, gap="\n"))) == COUNT


MIXED = {
    "the style changes half-way": (chapters("第{han}章 {t}", range(1, 7)) + chapters("{n}、{t}", range(7, 13)), 12),
    "numerals change": (
        "".join(chapters(each, range(at, at + 1)) for at, each in enumerate(["第{han}章 {t}", "第{n}章 {t}"] * 6, 1)),
        12,
    ),
    "prologue, epilogue, extras": (
        "".join(f"{each}\n\n{prose(Random(each), 800)}\n\n" for each in ("楔 子", "序章：灯"))
        + chapters("{n}、{t}")
        + "".join(
            f"{each}\n\n{prose(Random(each), 800)}\n\n" for each in ("尾 聲", "番外一 旧事", "番外：雨", "外传", "后记")
        ),
        COUNT + 7,
    ),
    "numbers begin again in each volume": (
        "".join(f"第{each}卷 风起\n\n{chapters('{n}、{t}', range(1, 6))}" for each in "一二三"),
        15,
    ),
    "first and second part": ("".join(f"{each}部\n\n{chapters('{han}', range(1, 8))}" for each in "上下"), 14),
    "sections within chapters": (
        "".join(f"第{each}章\n\n{chapters('{han}、{t}', range(1, 5))}" for each in "一二三四五六"),
        6,
    ),
    "each heading twice": (
        "".join(f"第{n}章\n\n第{n}章 {t}\n\n{prose(Random(n), 900)}\n\n" for n, t in enumerate(TITLES, 1)),
        12,
    ),
    "contents": (contents("第{han}章 {t}") + chapters("第{han}章 {t}"), 12),
    "contents with pages": (contents("第{han}章 {t}", " 17") + chapters("第{han}章 {t}"), 12),
    "contents at the end": (chapters("第{han}章 {t}") + contents("第{han}章 {t}"), 12),
}


@pytest.mark.parametrize(("text", "count"), MIXED.values(), ids=MIXED)
def test_books_of_mixed_headings_are_divided_at_all_of_them(text: str, count: int) -> None:
    assert len(titles(text)) == count


@pytest.mark.parametrize("behind", ["", "……………12", "  12"])
@pytest.mark.parametrize("style", ["第{han}章 {t}", "{n}、{t}", "第{n}回 {t}", "{han} {t}"])
def test_the_last_line_of_a_table_of_contents_is_no_chapter_of_the_preface_behind_it(style: str, behind: str) -> None:
    text = contents(style, behind) + prose(Random(1), 900) + "\n\n" + chapters(style)
    assert [TITLES.index(each.split()[-1].split("、")[-1]) for each in titles(text)[1:]] == list(range(COUNT))
    assert titles(text)[0] == ""
    prologue = (
        f"{contents(style, behind)}楔子\n\n{prose(Random(1), 900)}\n\n{chapters(style)}尾声\n\n{prose(Random(2), 900)}"
    )
    assert [titles(prologue)[at] for at in (0, -1)] == ["楔子", "尾声"]
    assert len(titles(prologue)) == COUNT + 2


def test_what_a_table_of_contents_says_with_its_pages_divides_nothing() -> None:
    parts = ["前言", *(f"第{at}章 题{at}" for at in range(1, 31)), "后记"]
    book = "".join(f"{each}\n{prose(Random(each), 900)}\n" for each in parts)
    for first_and_last in ("", " ……3"):
        pages = (" ……3" if each in parts[1:-1] else first_and_last for each in parts)
        text = "目录\n" + "".join(f"{each}{page}\n" for each, page in zip(parts, pages, strict=True)) + f"\n{book}"
        assert titles(text) == parts


def listed(form: str, count: int, chars: int, seed: int = 1) -> str:
    rng = Random(seed)
    return "".join(f"{form.format(n=at, han=HAN[(at - 1) % 12])}{prose(rng, chars)}\n" for at in range(1, count + 1))


ORDINARY = {
    "essay": prose(Random(1), 600) + "\n" + listed("{han}、渡口的来历\n", 5, 900),
    "report": "".join(f"{each}、总体要求\n" + listed("（{han}）目标\n", 3, 250) for each in HAN[:8]),
    "listing": listed("{n}. 渡口\n", 12, 90),
    "law": listed("第{n}条 ", 60, 80),
    "numbers of pages": "".join(f"{prose(Random(at), 500).strip()[:-1]}\n{at}\n" for at in range(1, 60)),
    "law with articles on lines of their own": listed("第{n}条\n", 60, 120),
    "poems": listed("其{han}\n", 12, 60),
    "questions": listed("{n}、以下哪一项是对的？\n", 50, 60),
    "a list within prose": prose(Random(1), 3_000) + "\n" + listed("{n}、渡口\n", 9, 12) + prose(Random(2), 9_000),
    "parts of each section": "".join(
        f"【{each}】\n{prose(Random(each), 500)}\n" for each in ["原文", "注释", "译文"] * 8
    ),
    "dialogue": "\n".join(f"“{TITLES[at % 12]}”\n{prose(Random(at), 300)}" for at in range(40)),
    "play": "".join(f"{name}：{prose(Random(at), 40)}\n" for at, name in enumerate(["老周", "闻笛"] * 60)),
    "dates": "".join(f"2026年{at}月1日\n{prose(Random(at), 150)}\n" for at in range(1, 13)),
}


@pytest.mark.parametrize("text", ORDINARY.values(), ids=ORDINARY)
def test_a_text_with_sections_lists_or_articles_but_no_chapters_stays_whole(text: str) -> None:
    assert len(titles(text)) == 1


def test_titles_that_nothing_marks_but_their_indent_divide_a_book() -> None:
    rng = Random(1)
    text = "".join(f"{each}\n\n{prose(rng, 1_000, '　　')}\n\n" for each in TITLES)
    assert titles(text) == TITLES
    assert len(titles(text.replace("　　", ""))) == 1


def test_all_styles_that_a_text_has_can_be_chosen() -> None:
    text = MIXED["sections within chapters"][0]
    names = [each.name for each in FoundHeadings(text).styles]
    assert names[0] == "第N章"
    assert len(split_chapters(text, "一、")) > len(split_chapters(text)) == len(split_chapters(text, "第N章"))
    assert [len(split_chapters(text, each)) for each in ("whole", "no such style")] == [1, 1]


@pytest.mark.skipif(not SHARED_CORPORA.is_dir(), reason="the shared corpora are not there")
def test_news_and_articles_stay_whole() -> None:
    def texts(name: str) -> Iterator[str]:
        with gzip.open(SHARED_CORPORA / name, "rt", encoding="utf-8") as file:
            yield from (json.loads(line)["text"] for line in islice(file, 0, None, 4))

    for name in ("news_xwlb_dev.jsonl.gz", "wiki_dev.jsonl.gz"):
        assert [len(split_chapters(each)) for each in texts(name)].count(1) == sum(1 for _ in texts(name))
