"""Titles, authors and chapter numbers, in the forms in which pages state them."""

import pytest

from core.pages import Reading
from crawler.formats.numerals import chapter_number
from tests.crawler.texts import SIMPLIFIED, paragraphs, read

STATED = "<title>老渡口_江城读书网</title><meta name='author' content='{}'>"


def page(above: str = "", below: str = "", head: str = "<title>老渡口_江城读书网</title>") -> Reading:
    body = f"<div><h1>老渡口</h1>{above}<div>{paragraphs()}</div>{below}</div>"
    return read(f"<html><head>{head}</head><body>{body}</body></html>")


@pytest.mark.parametrize(
    ("title", "number"),
    [
        ("第十二章 渡口", 12),
        ("第一百二十章", 120),
        ("第兩千三百零一章", 2301),
        ("第廿一回", 21),
        ("第壹佰贰拾叁章", 123),
        ("第二卷 第十章 江上", 10),
        ("第 7 章 灯", 7),
        ("12、渡口", 12),
        ("（十二）", 12),
        ("Chapter 4", 4),
        ("第一千二百三十四章（2/3）", 1234),
        ("第二卷", 2),
        *((title, None) for title in ("2026年3月1日停航通知", "老渡口", "三个人的夜晚", "楔子", "十年一梦", "")),
        *((title, None) for title in ("5G时代的渡口", "第三者的故事", "3.15晚会")),
    ],
)
def test_a_heading_names_its_chapter_or_none(title: str, number: int | None) -> None:
    assert chapter_number(title) == number


@pytest.mark.parametrize(
    "line",
    [
        "作者：沈知微",
        "文/沈知微",
        "本报记者 沈知微 报道",
        "记者 沈知微／江城报道",
        "2026年1月2日 10:00 来源：江城晚报 作者：沈知微 编辑：某某",
        "沈知微",
        "文｜渡口报 沈知微",
        "作者：记者沈知微",
        "江城日报记者沈知微/文受访者供图",
        "记者沈知微／江城报导 记者何晚／摄影",
    ],
)
def test_an_author_is_found_in_the_line_above_the_text(line: str) -> None:
    assert page(f"<p>{line}</p>").author == "沈知微"


def test_an_author_is_found_behind_the_last_sentence() -> None:
    assert page(below="").author == ""
    signed = read(
        f"<html><head><title>老渡口</title></head><body><div>{paragraphs(SIMPLIFIED[:-1])}<p>{SIMPLIFIED[-1]}（沈知微）</p></div></body></html>"
    )
    assert signed.author == "沈知微"


def linked(data: str) -> str:
    return f'<title>老渡口</title><script type="application/ld+json">{data}</script>'


@pytest.mark.parametrize(
    ("head", "author"),
    [
        (linked('{"@type": "NewsArticle", "author": [{"@type": "Person", "name": "沈知微"}]}'), "沈知微"),
        (linked("{"), ""),
        (linked('{"author": {"@type": "Organization", "name": "江城网"}}'), ""),
        (linked("[" * 100_000), ""),
        (STATED.format("admin"), ""),
        (STATED.format("江城读书网"), ""),
        (STATED.format("記者沈知微／江城報導"), "沈知微"),
        ("<title>老渡口 - 沈知微的博客</title><meta name='author' content='沈知微'>", "沈知微"),
    ],
)
def test_the_person_in_the_head_is_the_author_and_the_publisher_is_not(head: str, author: str) -> None:
    assert page(head=head).author == author


def test_reporters_in_the_middle_of_a_sentence_are_no_author() -> None:
    assert not page("<p>记者采访了解，渡口已经停航</p>").author


def test_the_sites_own_heading_is_no_title_however_long_it_is() -> None:
    markup = (
        "<html><head><title>对账 | 翰墨书坊文艺网</title></head><body><h1><a href='/'>翰墨书坊文艺网</a></h1>"
        f"<div><h2>对账</h2><div>{paragraphs()}</div></div></body></html>"
    )
    reading = read(markup)
    assert (reading.title, reading.site_name) == ("对账", "翰墨书坊文艺网")


def named(title: str, head: str = "", above: str = "", heading: str = "老渡口") -> str:
    """The site's name of a page that says it nowhere but, maybe, in its <title>."""
    body = f"<div><h1>{heading}</h1>{above}<div>{paragraphs()}</div></div>"
    return read(f"<html><head><title>{title}</title>{head}</head><body>{body}</body></html>").site_name


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("老渡口 - 江城晚报", "江城晚报"),
        ("老渡口_江城读书网", "江城读书网"),
        ("老渡口 | 拾灯", "拾灯"),
        ("老渡口_副刊_文化频道_江城网", "江城网"),
        ("老渡口_副刊_江城网_jiangcheng.example", "江城网"),
    ],
)
def test_what_a_title_adds_to_the_pages_heading_is_the_sites_name(title: str, name: str) -> None:
    assert named(title) == name


def test_a_title_that_adds_to_what_the_page_states_as_its_title_names_the_site() -> None:
    stated = "<meta property='og:title' content='老渡口'>"
    assert named("老渡口_江城读书网", stated, heading="江城的故事") == "江城读书网"


@pytest.mark.parametrize(
    ("title", "more"),
    [
        ("老渡口 - 一条江的四十年", {"heading": "老渡口 - 一条江的四十年"}),
        ("老渡口 - 一条江的四十年", {"head": "<meta property='og:title' content='老渡口 - 一条江的四十年'>"}),
        ("老渡口 - 一条江的四十年", {"above": "<p>一条江的四十年</p>"}),
        ("老渡口——写在停航之后，也写给所有在江边住过又走远了的人们和他们的孩子", {}),
        ("老渡口 - 江城读书网", {"heading": "老渡口的灯"}),
        ("江城读书网 - 老渡口", {}),
        ("老渡口_全文免费阅读", {}),
        ("老渡口_最新章节", {}),
        ("老渡口_jiangcheng.example", {}),
        ("老渡口 - 沈知微", {"above": "<p>作者：沈知微</p>"}),
        ("老渡口 - 沈知微的博客", {"head": "<meta name='author' content='沈知微'>"}),
        ("第三章 石牛闸 - 渡口无灯", {"heading": "第三章 石牛闸"}),
    ],
)
def test_what_may_be_part_of_a_title_is_no_sites_name(title: str, more: dict[str, str]) -> None:
    assert named(title, **more) == ""


def test_behind_a_chapter_the_books_name_is_no_sites_name_and_the_sites_is() -> None:
    for title in ("第三章 石牛闸_渡口无灯_小书站", "第三章 石牛闸 - 小书站", "第三章 石牛闸_渡口无灯_拾灯"):
        assert named(title, heading="第三章 石牛闸") == title.replace(" - ", "_").rpartition("_")[2]


def test_the_heading_nearest_above_the_text_is_the_chapters_and_not_the_books() -> None:
    reading = read(
        "<html><head><title>渡口无灯：长篇悬疑小说_第三章 石牛闸_小书站</title></head><body>"
        "<h1>渡口无灯：长篇悬疑小说</h1>"
        f"<h2>第三章 石牛闸</h2><div>{paragraphs()}</div></body></html>"
    )
    assert (reading.title, reading.chapter_number) == ("第三章 石牛闸", 3)


def test_a_title_without_heading_markup_is_found_by_the_line_above_the_text() -> None:
    markup = (
        "<html><head><title>停航通知-澄江渡口管理处</title></head><body><div><div>停航通知</div>"
        f"{paragraphs()}</div></body></html>"
    )
    assert read(markup).title == "停航通知"


@pytest.mark.parametrize(
    "opening",
    [
        "本报讯（记者 沈知微）",
        "（中央社記者沈知微台北21日電）",
        "〔記者沈知微／江城報導〕",
        "新华社江城5月9日电（记者沈知微、何晚）",
    ],
)
def test_the_reporter_of_a_dateline_is_the_author(opening: str) -> None:
    text = f"<p>{opening}{SIMPLIFIED[0]}</p>{paragraphs(SIMPLIFIED[1:])}"
    found = read(f"<html><head><title>老渡口</title></head><body><div><h1>老渡口</h1>{text}</div></body></html>").author
    assert found.split("、")[0] == "沈知微"


@pytest.mark.parametrize(
    "line", ["圖為渡口。江城記者張新偉攝 2月16日", "记者何晚／摄", "第A04版：小记者训练营", "作者： size=20"]
)
def test_who_took_a_picture_and_what_only_looks_like_a_byline_is_no_author(line: str) -> None:
    assert page(f"<p>{line}</p>").author == ""


def test_the_editor_whom_a_page_gives_as_its_author_is_none() -> None:
    head = "<title>老渡口_江城读书网</title><meta name='author' content='江城网何晚'>"
    assert page(below="<p>责任编辑：何晚</p>", head=head).author == ""
    assert page("<p>江城日报记者 沈知微</p>", "<p>责任编辑：何晚</p>", head).author == "沈知微"


def test_a_heading_is_the_title_where_the_page_gives_only_its_sites_name() -> None:
    assert page(head="<title>江城读书网</title>").title == "老渡口"


def test_a_site_parted_from_the_title_by_a_dot_is_no_part_of_it() -> None:
    found = read(f"<html><head><title>夜渡 · 江城读书网</title></head><body><div>{paragraphs()}</div></body></html>")
    assert found.title == "夜渡"
