"""Test which box of a page is its text, on the kinds of pages that were read wrongly before."""

import pytest

from tests.crawler.texts import SIMPLIFIED, read_body

PARAGRAPH = "".join(SIMPLIFIED)
SHORT = "渡口停航了。"
NOTICE = (
    "本站使用数据以确保网站正常运行，并帮助我们为您提供最佳的体验。继续浏览，即表示您同意我们这样做，了解更多请看说明。"
)


def post(number: int, text: str, *, stamp: str) -> str:
    """As forums in nested tables have it."""
    return (
        f"<div id='post_{number}'><table class='plhin'><tr><td class='pls'>林舟{number}</td><td class='plc'>"
        f"<div class='pi'>{stamp}</div><div class='pct'><div class='pcb'><div class='t_fsz'>"
        f"<table><tr><td class='t_f'>{text}</td></tr></table></div></div></div></td></tr></table></div>"
    )


def teaser(number: int, text: str) -> str:
    return f"<li><div><h3><a href='/news/{number}.html'>另一篇报道的标题第{number}</a></h3><p>{text}</p></div></li>"


def test_paragraphs_beside_a_much_longer_one_are_text_too() -> None:
    text = "".join(f"<p>{each}</p>" for each in (SHORT, "".join(SIMPLIFIED), "船家收了竹篙。"))
    lines = read_body(f"<div class='main'><h1>老渡口</h1><span id='detail'>{text}</span></div>").text.split("\n")
    assert lines[0] == SHORT
    assert lines[-1] == "船家收了竹篙。"


def test_the_posts_of_a_thread_in_nested_tables_are_read_and_their_stamps_left_out() -> None:
    stamps = [f"发表于 2026-4-{day} 23:20:45 | 只看该作者 来自 - 江城 | 倒序浏览" for day in range(5, 8)]
    texts = ["".join(SIMPLIFIED[:2]), SIMPLIFIED[2], SIMPLIFIED[3]]
    posts = "".join(
        post(number, text, stamp=stamp) for number, (text, stamp) in enumerate(zip(texts, stamps, strict=True))
    )
    text = read_body(f"<h1>老渡口</h1><div id='postlist'>{posts}</div>").text
    assert all(each in text for each in texts)
    assert "只看该作者" not in text


def test_a_single_line_with_a_date_and_an_hour_stays_in_a_text() -> None:
    text = f"<p>{SIMPLIFIED[0]}</p><p>{SIMPLIFIED[1]}</p><p>2026年4月5日 23:20 江城</p><p>{SIMPLIFIED[2]}</p>"
    assert "2026年4月5日 23:20 江城" in read_body(f"<div><h1>老渡口</h1><div>{text}</div></div>").text


def test_a_box_with_a_text_above_its_headings_announces_no_page() -> None:
    box = "<div><h1>老渡口</h1><p>{text}</p><h3><a href='/{n}'>编辑推荐的又一篇文章</a></h3></div>"
    own = "".join(f"<p>{text}</p>" for text in SIMPLIFIED[:2])
    others = "".join(f"<div><h3><a href='/{n}'>编辑推荐的又一篇文章</a></h3><p>很短。</p></div>" for n in range(4))
    text = read_body(f"<div>{box.format(text=own, n=9)}{others}</div>").text
    assert "\n".join(SIMPLIFIED[:2]) in text


def test_beginnings_of_other_articles_are_not_taken_for_the_article() -> None:
    stream = "".join(teaser(number, "".join(SIMPLIFIED)) for number in range(8))
    article = f"<article><h1>老渡口</h1><p>{SIMPLIFIED[0]}</p><p>{SIMPLIFIED[1]}</p></article>"
    text = read_body(f"<div>{article}</div><div class='more'><ul>{stream}</ul></div>").text
    assert text == f"{SIMPLIFIED[0]}\n{SIMPLIFIED[1]}"


@pytest.mark.parametrize("link", ["<a href='#part{}'>第{}节的标题在此</a>", "第{}节的标题在此{}"])
def test_parts_of_an_article_under_headings_of_their_own_are_its_text(link: str) -> None:
    parts = "".join(f"<div><h2>{link.format(at, at)}</h2><p>{at}：{PARAGRAPH}</p></div>" for at in range(4))
    text = read_body(f"<div><div class='article'><h1>老渡口</h1>{parts}</div><ul><li>{NOTICE}</li></ul></div>").text
    assert text.count(PARAGRAPH) == 4
    assert NOTICE not in text


def test_a_notice_of_cookies_is_not_taken_for_a_page_of_short_posts() -> None:
    posts = "".join(f"<article class='CommentPost'><div><p>{at}：{PARAGRAPH}</p></div></article>" for at in range(4))
    text = read_body(f"<h1>老渡口</h1><main>{posts}</main><div class='cookie-banner'>{NOTICE}</div>").text
    assert NOTICE not in text
    assert text.count(PARAGRAPH) == 4


def test_what_repeats_in_the_rows_of_a_table_is_text() -> None:
    rows = "".join(
        f"<tr><td class='no'>{number}</td><td class='name'>渡口学第{number}门课</td>"
        f"<td class='lang'><p class='x'>1、英语或俄语或日语</p></td><td class='more'>同上</td></tr>"
        for number in range(1, 9)
    )
    text = read_body(f"<h1>老渡口</h1><div class='main'><p>{PARAGRAPH}</p><table>{rows}</table></div>").text
    assert (text.count("1、英语或俄语或日语"), text.count("同上")) == (8, 8)


def test_a_short_tale_in_kana_among_many_links_is_a_text() -> None:
    tale = "".join(
        f"<p>{each}</p>"
        for each in (
            "むかしむかし、川のほとりに、ちいさなわたし舟がありました。",
            "おじいさんは、だれもいない夜もあかりをともして、さいごの人をまっていました。",
            "「まだ、くるかもしれない」と、おじいさんは言いました。村の人たちは、わらいました。",
            "ある雨の夜、ひとりの子どもが、ぬれたまま岸に立っていました。舟は、しずかに出ました。",
            "橋ができた今も、川のほとりには、あのあかりのあとがのこっているそうです。おしまい。",
        )
    )
    links = "".join(f"<li><a href='/{n}'>渡口故事另一篇的标题第{n}篇在这里</a></li>" for n in range(30))
    text = read_body(f"<div><ul>{links}</ul></div><div id='story'>{tale}</div>").text
    assert text.startswith("むかしむかし")
    assert text.endswith("おしまい。")


def test_a_comment_form_is_no_text_and_a_form_around_the_page_is() -> None:
    fields = "".join(
        f"<p><label>{said}</label><input name='f{number}'></p>"
        for number, said in enumerate(
            ("姓名，发表评论之前必须填写。", "电子邮件，地址不会被公开。", "个人主页，没有也可以。")
        )
    )
    form = f"<div><p>{PARAGRAPH}</p><form method='post'>{fields}<p>{NOTICE * 3}</p><textarea></textarea></form></div>"
    short = f"<h1>老渡口</h1><div class='entry'><p>{SIMPLIFIED[0]}</p><p>{SHORT}</p></div>"
    assert "本站使用数据" not in read_body(f"{short}{form}").text
    assert read_body(f"<form method='post'><input name='q'>{short}<p>{SIMPLIFIED[2]}</p></form>").text.startswith(
        SIMPLIFIED[0]
    )


def test_a_text_inside_a_form_is_the_text_however_many_fields_stand_in_it() -> None:
    head = "<div class='head'>江城读书网，每天更新渡口边的故事，欢迎您的光临。</div>"
    chapter = "".join(f"<p>{each}</p>" for each in (*SIMPLIFIED, SHORT))
    for fields in ("<input name=a>" * 3, ""):
        field = "" if fields else "<input name=a>"
        form = f"<form>{fields}{chapter.replace('</p>', f'{field}</p>')}</form>"
        assert all(each in read_body(head + form).text for each in SIMPLIFIED)
    ticked = "".join(f"<div><input type='checkbox' name='p'><p>{each}</p></div>" for each in SIMPLIFIED)
    assert all(each in read_body(f"{head}<form method='post'>{ticked}</form>").text for each in SIMPLIFIED)


def test_links_in_a_row_are_navigation_whatever_stands_between_them() -> None:
    names = ("河", "渡口", "船", "石阶", "桥", "水位", "江", "潮")
    box = " · ".join(f"<a href='/{name}'>{name}</a>" for name in names)
    text = read_body(f"<h1>老渡口</h1><div><p>{PARAGRAPH}</p><p>{SIMPLIFIED[0]}</p><p>{box}</p></div>").text
    assert text.endswith(SIMPLIFIED[0])
