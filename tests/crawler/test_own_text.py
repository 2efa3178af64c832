"""A page's own text, where something else on the page is longer, alike, or hides it: pages of our own."""

from statistics import fmean

import pytest

from core.states import MIN_CONFIDENCE_TO_TRUST
from crawler.main_text.remarks import own_lines
from crawler.markup import MAX_DEPTH, Line, lines, parse
from tests.crawler.case_folders import Case, case, cases
from tests.crawler.texts import SIMPLIFIED, f1, paragraphs, read

KINDS = (
    "outweighed-by-remarks",
    "post-above-an-index",
    "several-articles-one-is-the-page-s",
    "manuals",
    "paragraphs-of-many-kinds",
    "after-scripts-ran",
)
CASES = [each for kind in KINDS for each in cases(kind)]
UNSEEN = cases("unseen-outweighed")
MIN_F1, MIN_MEAN_F1 = 0.97, 0.99


def opened(case: Case) -> tuple[list[Line], str]:
    tree = parse(case.body.decode())
    return lines(tree), tree.findtext(".//title") or ""


@pytest.mark.parametrize("case", [*CASES, *UNSEEN], ids=lambda case: case.name)
def test_the_page_s_own_text_is_read_and_nothing_else(case: Case) -> None:
    reading = read(case.body)
    assert f1(case) >= MIN_F1
    assert not [text for text in case.expected["absent"] if text in reading.text]
    assert reading.confidence >= MIN_CONFIDENCE_TO_TRUST


def test_the_mean_over_them_is_what_is_promised() -> None:
    assert len(CASES) >= 30
    assert fmean(map(f1, CASES)) >= MIN_MEAN_F1


@pytest.mark.parametrize("case", cases("times-inside-a-text"), ids=lambda case: case.name)
def test_times_inside_a_text_make_no_remarks_of_it(case: Case) -> None:
    page, title = opened(case)
    assert own_lines(page, title)[0] == page


def test_posts_without_another_text_above_them_are_no_remarks() -> None:
    page, title = opened(case("threads", "floors-with-answers-to-answers-times-below-the-posts"))
    untitled = [line for line in page if line.text not in title]
    assert own_lines(untitled, "")[0] == untitled


def test_parts_of_one_article_under_headings_are_no_other_articles() -> None:
    parts = "".join(f"<div><h2>第{at}节</h2>{paragraphs()}</div>" for at in range(4))
    tree = parse(f"<title>老渡口 - 江城</title><body><div><h1>老渡口</h1></div>{parts}</body>")
    assert tree is not None
    page = lines(tree)
    assert own_lines(page, "老渡口 - 江城")[0] == page


@pytest.mark.parametrize("depth", [MAX_DEPTH - 1, MAX_DEPTH + 1, 300, 1_500])
def test_a_text_in_very_many_boxes_is_read_in_its_order(depth: int) -> None:
    inner = "前<p>首段<b>重</b>字</p>中<p>末段</p>后"
    tree = parse(f"<body>{'<div>' * depth}{inner}{'</div>' * (depth - 1)}尾</div>终</body>")
    assert tree is not None
    assert "".join(line.text for line in lines(tree)) == "前首段重字中末段后尾终"


@pytest.mark.parametrize("broken", ["<div\ufffd<div class='h'>", "<p \ufffd<=1 class='h'>"])
def test_names_that_no_tag_can_be_given_raise_nothing_among_very_many_boxes(broken: str) -> None:
    tree = parse(f"<body>{'<div>' * 300}{broken}文</body>")
    assert tree is not None
    assert [line.text for line in lines(tree)] == ["文"]


def test_boxes_beyond_all_measure_raise_nothing() -> None:
    tree = parse(f"<body>头{'<div>' * 50_000}文</body>")
    assert tree is not None
    assert lines(tree)[0].text == "头"


def test_a_place_to_jump_to_that_is_never_closed_is_no_link() -> None:
    tree = parse("<body><p><a name='top'>文字</p><p><a href='/x'>链接</a></p></body>")
    assert tree is not None
    assert [line.link_chars for line in lines(tree)] == [0, 2]


def test_paragraphs_that_a_script_will_show_are_read_with_the_visible_ones() -> None:
    shown = "".join(f"<section style='visibility: visible'>{line}</section>" for line in SIMPLIFIED)
    last = "最后一段没有自己的样式，脚本运行以后才看得见它。"
    body = f"<h1>老渡口</h1><div id='js_content' style='visibility: hidden'>{shown}<section>{last}</section></div>"
    assert last in read(f"<title>老渡口</title><body>{body}</body>").text


def test_words_between_shown_ones_stay_hidden() -> None:
    shown = "".join(f"<p style='visibility: visible'>{line}<i class='h'>乱</i></p>" for line in SIMPLIFIED)
    sheet = "<style>.h{visibility:hidden}</style>"
    body = f"<h1>老渡口</h1><div style='visibility: hidden'>{shown}<b>混入的词</b></div>"
    text = read(f"<title>老渡口</title>{sheet}<body>{body}</body>").text
    assert "乱" not in text
    assert "混入的词" not in text


def test_numbered_lines_of_code_are_no_remarks() -> None:
    code = "\n".join(f"{number}# 第几步：清除变量" for number in range(1, 30))
    told = "".join(f"<p>{text}</p><pre>{code}</pre>" for text in SIMPLIFIED)
    page = f"<title>老渡口的书桌</title><h1>老渡口的书桌</h1><div id='text'>{told}</div>"
    text = read(page).text
    assert all(each in text for each in SIMPLIFIED)
    assert "第几步" in text


def test_links_in_preformatted_text_are_shared_by_its_lines() -> None:
    tree = parse("<pre>见<a href='/2'>第二章</a>\n石阶上坐满了人，没有一个人说话。\n</pre>")
    assert [2 * line.link_chars < len(line.text) for line in lines(tree)] == [True, True]


def test_the_first_lines_of_a_message_in_nameless_boxes_are_read() -> None:
    first = "".join(f"<p>{text}</p>" for text in ("第一行短句", "第二行短句，还没有说完", "第三行短句"))
    body = "".join(f"<p>{text}</p>" for text in SIMPLIFIED[:2])
    box = f"<div id='js_content'><div>{first}<div>{body}</div></div></div>"
    page = f"<title>老渡口的书桌</title><h1>老渡口的书桌</h1>{box}"
    assert read(page).text.startswith("第一行短句")


# Markup as a browser takes it, however it is written.

PLAIN = ["渡口无灯。", "船在对岸。"]


@pytest.mark.parametrize(
    "markup",
    [
        "<title>题</title><article><p>渡口无灯。</p></article><p>船在对岸。</p>",
        "<title>题</title><main>渡口无灯。</main>船在对岸。",
        "<html><head><title>题</title><section>渡口无灯。</section></head><body>船在对岸。</body></html>",
        "<title>题</title>渡口无灯。<p>船在对岸。</p>",
    ],
)
def test_a_text_without_a_body_around_it_is_shown_in_its_order(markup: str) -> None:
    root = parse(markup)
    assert [line.text for line in lines(root)] == PLAIN
    assert [child.tag for child in root.find("head")] == ["title"]
