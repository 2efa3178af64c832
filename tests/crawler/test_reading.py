"""Test what is read on the pages that Chinese sites are made of: small ones, novels, news, forums, lists."""

import gc
from datetime import UTC, datetime

import pytest

from core.errors import BadConfiguration
from core.garbage import pause_collection
from core.pages import Reading
from core.states import MIN_CONFIDENCE_TO_TRUST, Rejection
from core.zones import Zone
from crawler.opening import PageRules, Rejected
from crawler.reading import read_page
from tests.crawler.texts import SIMPLIFIED, TRADITIONAL, paragraphs

MENU = '<div class="nav"><a href="/">首页</a><a href="/a">玄幻小说</a>'
MENU += '<a href="/b">都市言情小说大全</a><a href="/c">完本小说排行榜</a></div>'
FOOT = (
    '<div class="footer">Copyright © 2026 小书站 版权所有 京ICP备00000000号 本站所有作品均由网友上传，仅供试读。</div>'
)
TEXT = "\n".join(SIMPLIFIED)


def read(markup: str, encoding: str = "utf-8", rules: PageRules | None = None, header: str = "text/html") -> Reading:
    reading = read_page(
        markup.encode(encoding), {"content-type": header}, "http://a.example/1.html", rules or PageRules()
    )
    assert isinstance(reading, Reading), reading
    return reading


def page(main: str, title: str = "第一章 渡口_老渡口_小书站") -> str:
    return f"<html><head><title>{title}</title></head><body>{MENU}<div class='main'>{main}</div>{FOOT}</body></html>"


def test_a_chapter_of_br_and_nbsp_is_read_line_by_line() -> None:
    body = "<br />\r\n<br />\r\n".join(f"&nbsp;&nbsp;&nbsp;&nbsp;{line}" for line in SIMPLIFIED)
    turning = '<div><a href="0.html">上一章</a> <a href="./">目录</a> <a href="2.html">下一章</a></div>'
    reading = read(page(f'<h1>第一章 渡口</h1>{turning}<div id="content">{body}</div>{turning}'))
    assert reading.text == TEXT
    assert reading.title == "第一章 渡口"
    assert reading.confidence > MIN_CONFIDENCE_TO_TRUST


def test_an_indent_of_wide_spaces_is_taken_off_and_spaces_inside_stay() -> None:
    spaced = SIMPLIFIED[0].replace("老渡口", "老 渡 口")
    reading = read(page(f"<div><p>　　{spaced}</p>{paragraphs(SIMPLIFIED[1:])}</div>"))
    assert reading.text.splitlines()[0] == spaced


def test_zero_width_and_private_use_characters_stay_in_the_text() -> None:
    shown = SIMPLIFIED[0].replace("雾", "雾\u200b\u2060").replace("的", "\ue001")
    assert shown in read(page(paragraphs((shown, *SIMPLIFIED[1:])))).text


def test_every_repeated_sentence_stays() -> None:
    body = paragraphs(SIMPLIFIED) + paragraphs(SIMPLIFIED)
    assert read(page(f"<div>{body}</div>")).text == f"{TEXT}\n{TEXT}"


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_very_short_text_is_read(count: int) -> None:
    reading = read(page(f"<div>{paragraphs(SIMPLIFIED[:count])}</div>"))
    assert reading.text == "\n".join(SIMPLIFIED[:count])


def test_a_poem_without_punctuation_is_read() -> None:
    lines = ("渡口无人水自流", "青禾抱册过中洲", "半江灯火半江雾", "一叶乌篷一叶秋")
    assert read(page(f"<div>{paragraphs(lines)}</div>")).text == "\n".join(lines)


def test_a_line_break_in_the_source_is_no_space_between_chinese_characters() -> None:
    broken = SIMPLIFIED[0].replace("，", "，\n      ")
    assert read(page(f"<p>{broken}</p>{paragraphs(SIMPLIFIED[1:])}")).text == TEXT


def test_a_news_page_gives_title_author_and_time() -> None:
    reading = read(
        page(
            f"<h1>老渡口今日停航</h1><div class='info'>2026年3月1日 08:30　来源：江城晚报　作者：沈知微</div>"
            f"<div>{paragraphs()}</div>"
            "<p>（责任编辑：王某）</p>",
            "老渡口今日停航-江城网",
        )
    )
    assert reading.title == "老渡口今日停航"
    assert reading.author == "沈知微"
    assert reading.published == datetime(2026, 3, 1, 0, 30, tzinfo=UTC)
    assert reading.text == TEXT


def test_the_posts_of_a_forum_are_read_without_their_signs_and_buttons() -> None:
    posts = "".join(
        f'<div class="post"><div class="who"><a href="/u/{n}">楼主{n}</a></div>'
        f'<div class="msg">{"<br>".join(SIMPLIFIED)}</div>'
        f'<div class="tools"><a href="/r">回复</a> <a href="/j">举报</a></div></div>'
        for n in (1, 2)
    )
    reading = read(page(posts, "旧渡口 - 论坛"))
    assert [line for line in reading.text.splitlines() if line in SIMPLIFIED] == [*SIMPLIFIED, *SIMPLIFIED]
    assert "举报" not in reading.text


def test_the_rule_of_a_site_wins_as_css_and_as_xpath() -> None:
    markup = page(
        f"<div id='t'>另一个标题</div><div id='x'>{paragraphs(SIMPLIFIED[:2])}</div><div>{paragraphs()}</div>"
    )
    for selector in ("#x", "//div[@id='x']"):
        reading = read(markup, rules=PageRules(selector, "#t"))
        assert (reading.text, reading.extractor, reading.title) == ("\n".join(SIMPLIFIED[:2]), "selector", "另一个标题")


def test_a_rule_that_finds_nothing_falls_back_with_less_confidence() -> None:
    markup = page(f"<div>{paragraphs()}</div>")
    assert read(markup, rules=PageRules("#gone")).text == TEXT
    assert read(markup, rules=PageRules("#gone")).confidence < read(markup).confidence


def test_a_rule_that_is_none_is_bad_configuration() -> None:
    for selector in ("p[[", "//p["):
        with pytest.raises(BadConfiguration, match="neither a CSS selector nor an XPath"):
            read(page(paragraphs()), rules=PageRules(selector))


def test_a_chapter_list_has_no_main_text() -> None:
    links = "".join(f'<li><a href="{n}.html">第{n}章 江上往来人之第{n}回</a></li>' for n in range(60))
    reading = read(page(f"<ul>{links}</ul>"))
    assert (reading.text, reading.extractor) == ("", "none")
    assert {line.zone for line in reading.lines if "江上往来人" in line.text} == {Zone.TEASER}


def test_a_page_with_less_than_a_short_sentence_is_refused() -> None:
    reading = read_page(b"<html><body><p>\xe6\xb8\xa1\xe5\x8f\xa3</p></body></html>", {}, "http://a.example/")
    assert isinstance(reading, Rejected)
    assert reading.reason is Rejection.NO_MAIN_TEXT
    assert str(reading.message).startswith("http://a.example/ has no main text")


def test_a_page_in_another_language_is_read_with_its_zones() -> None:
    text = [
        "The lamp at the ferry went out on the first day of winter, and nobody in the town noticed until the evening.",
        "He had kept it for thirty-one years. It had failed twice: when he married, and when his wife was buried.",
        "The engineer put away her tape and looked back at the window of the gauge house.",
    ]
    menu = "<ul class='nav'><li><a href='/'>Home</a></li><li><a href='/books'>All books</a></li></ul>"
    remark = "<div class='comments'><p>What a story, thank you for writing it down.</p></div>"
    reading = read(f"<html><body>{menu}<h1>The Ferry</h1><div>{paragraphs(tuple(text))}</div>{remark}</body></html>")
    assert reading.text.split("\n") == text
    zones = {line.text: line.zone for line in reading.lines}
    assert (zones["Home"], zones["What a story, thank you for writing it down."]) == (Zone.FRAME, Zone.COMMENT)


@pytest.mark.parametrize(
    ("lines", "encoding", "header"),
    [
        (SIMPLIFIED, "gb18030", "text/html; charset=utf-8"),
        (SIMPLIFIED, "utf-8", "text/html; charset=gbk"),
        (TRADITIONAL, "big5hkscs", "text/html; charset=gb2312"),
        (TRADITIONAL, "big5hkscs", "text/html"),
    ],
)
def test_a_page_that_lies_about_its_encoding_is_read(lines: tuple[str, ...], encoding: str, header: str) -> None:
    markup = f"<html><head><title>第一章</title></head><body><div>{paragraphs(lines)}</div></body></html>"
    reading = read(markup, encoding, header=header)
    assert reading.text == "\n".join(lines)
    assert reading.encoding == encoding


def test_plain_text_is_read_as_it_is() -> None:
    reading = read("　　" + "\r\n\r\n　　".join(SIMPLIFIED), "gb18030", header="text/plain")
    assert (reading.text, reading.extractor) == (TEXT, "plain")


@pytest.mark.parametrize("mark", [b"GIF8", b"%PDF-", b"PK\x03\x04", b"MZ\x90\x00", b"BM1234\x00\x00\x00\x00"])
def test_a_page_that_begins_as_a_file_does_is_read_as_browsers_show_it(mark: bytes) -> None:
    reading = read_page(mark + page(paragraphs()).encode(), {"Content-Type": "text/html"}, "http://a.example/x")
    assert reading.text.endswith(TEXT)


@pytest.mark.parametrize("header", ["text/plain", "", "application/octet-stream"])
def test_words_that_begin_as_a_film_does_are_text(header: str) -> None:
    reading = read("CWS 2024 获奖作品\n" + "\n".join(SIMPLIFIED), header=header)
    assert reading.text == f"CWS 2024 获奖作品\n{TEXT}"


@pytest.mark.parametrize(
    ("body", "header", "reason"),
    [
        (b"CWS\x09\x10\x20\x01\x00x\xda" + b"x" * 500, "application/octet-stream", Rejection.NOT_HTML),
        (b"GIF89a" + bytes(range(256)) * 20, "text/html", Rejection.NOT_HTML),
        (b"%PDF-1.7 " + b"x" * 500, "text/html", Rejection.UNREADABLE_FILE),
        (b"{}", "application/json", Rejection.NO_MAIN_TEXT),
        (b"Rar!\x1a\x07" + b"x" * 500, "application/octet-stream", Rejection.NOT_HTML),
        ("正文".encode() * 50, "text/css", Rejection.NOT_HTML),
        (b"", "text/html", Rejection.NO_MAIN_TEXT),
        (b"<html>", "text/html", Rejection.NO_MAIN_TEXT),
        (b"\x00" * 500, "text/html", Rejection.MOJIBAKE),
        (bytes(range(128, 256)) * 20, "text/html", Rejection.MOJIBAKE),
    ],
)
def test_what_is_no_page_is_refused_under_its_reason(body: bytes, header: str, reason: Rejection) -> None:
    rejected = read_page(body, {"Content-Type": header}, "http://a.example/x")
    assert isinstance(rejected, Rejected)
    assert rejected.reason is reason
    assert "http://a.example/x" in str(rejected.message)


@pytest.mark.parametrize(
    "markup",
    [
        "<div>" * 5_000 + paragraphs(),
        "<p>" + SIMPLIFIED[0] + "<span>" * 3_000 + SIMPLIFIED[1],
        "<?xml version='1.0' encoding='gb2312'?><html><body>" + paragraphs(),
        "<html><body><!-- " + paragraphs(),
        "<table>" * 200 + paragraphs(),
        "<style>" + "a{" * 20_000 + "</style>" + paragraphs(),
        paragraphs() + "\x00\x01\ufffe",
        "<a href='http://[bad'>" + paragraphs(),
        "<meta property='article:published_time' content='9999-99-99'>" + paragraphs(),
    ],
)
def test_hostile_markup_gives_a_reading_or_a_refusal_and_no_error(markup: str) -> None:
    assert isinstance(
        read_page(markup.encode(), {"content-type": "text/html"}, "http://a.example/"), Reading | Rejected
    )


@pytest.mark.parametrize("header", ["text/plain", "text/html"])
def test_no_reading_holds_characters_that_cannot_be_stored(header: str) -> None:
    spoilt = SIMPLIFIED[0] + "\x00\ufffe"
    references = "&#1;&#8;&#xffff;" if header == "text/html" else ""
    lines = (spoilt + references, *SIMPLIFIED[1:])
    body = "\n".join(lines) if header == "text/plain" else page(paragraphs(lines), f"第一章{references} 渡口")
    reading = read(body, header=header)
    assert reading.text == TEXT
    assert "\x01" not in reading.title


# The garbage collector is paused while a page is read, and only then.


def test_the_collector_is_paused_until_the_last_reader_is_done() -> None:
    assert gc.isenabled()
    with pause_collection():
        with pause_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
