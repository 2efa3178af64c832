"""Every line that a visitor sees is read, each with its zone, and the main text stays what it was."""

import pytest

from core.pages import Reading
from core.zones import SurroundingLine, Zone
from tests.crawler.case_folders import Case, cases
from tests.crawler.texts import SIMPLIFIED, read, read_body

ARTICLE = f"<h1>老渡口</h1><div class='text'>{''.join(f'<p>{each}</p>' for each in SIMPLIFIED)}</div>"
REMARK = "写得真好，渡口那一段让我想起外公，他也撑了一辈子船。"


def zone_of(reading: Reading, text: str) -> Zone:
    [found] = [line.zone for line in reading.lines if line.text == text]
    return found


@pytest.mark.parametrize(
    "remarks",
    [
        f"<div class='comment-list'><p>{REMARK}</p></div>",
        f"<div id='pinglun'><ul><li><b>林舟</b><span>{REMARK}</span></li></ul></div>",
        f"<div class='a'><h3>网友评论</h3><div class='b'><p>{REMARK}</p></div></div>",
        f"<div class='a'><div class='hd'><h3>全部留言</h3><span>12 条</span></div><div><p>{REMARK}</p></div></div>",
        f"<h3>评论（3条）</h3><div>{REMARK}</div>",
        f"<table><tr><td>3条回复</td></tr><tr><td>{REMARK}</td></tr></table>",
    ],
)
def test_remarks_are_comments_by_their_box_or_the_heading_above(remarks: str) -> None:
    reading = read_body(f"<div>{ARTICLE}</div>{remarks}<div class='footer'>江城读书网保留所有权利</div>")
    [zone] = {line.zone for line in reading.lines if REMARK in line.text}
    assert zone is Zone.COMMENT
    assert zone_of(reading, "江城读书网保留所有权利") is Zone.FRAME
    assert REMARK not in reading.text


@pytest.mark.parametrize(
    "announcement",
    [
        "<div class='related'><ul><li><a href='/2.html'>另一条河上的摆渡人与他的船</a></li></ul></div>",
        "<div><a href='/2.html'>另一条河上的摆渡人与他的船</a></div>",
        "<ul><li><a href='/2.html'>另一条河上的摆渡人与他的船</a> 2026-11-02</li></ul>",
    ],
)
def test_what_leads_to_another_page_by_its_title_is_a_teaser(announcement: str) -> None:
    reading = read_body(f"<ul class='nav'><li><a href='/'>首页</a></li></ul><div>{ARTICLE}</div>{announcement}")
    [zone] = {line.zone for line in reading.lines if "另一条河上的摆渡人与他的船" in line.text}
    assert zone is Zone.TEASER
    assert zone_of(reading, "首页") is Zone.FRAME


def test_the_beginning_of_another_text_below_its_title_is_a_teaser_too() -> None:
    boxes = "".join(
        f"<div class='box'><h3><a href='/{at}.html'>另一篇小说的标题之{at}</a></h3>"
        f"<p>第{at}篇：{SIMPLIFIED[0]}</p></div>"
        for at in range(4)
    )
    reading = read_body(f"<div>{ARTICLE}</div><div class='more'>{boxes}</div>")
    assert zone_of(reading, f"第2篇：{SIMPLIFIED[0]}") is Zone.TEASER


def test_a_box_around_the_text_may_be_called_as_it_likes() -> None:
    reading = read_body(f"<div class='comment related'>{ARTICLE}<span>{REMARK}</span></div>")
    assert {line.zone for line in reading.lines if line.text != REMARK} <= {Zone.MAIN, Zone.FRAME}


def test_lines_are_the_text_and_what_stands_beside_it_wherever_that_says() -> None:
    surroundings = (
        SurroundingLine(Zone.FRAME, "上", 0),
        SurroundingLine(Zone.TEASER, "中", 1),
        SurroundingLine(Zone.FRAME, "下", 9),
    )
    reading = Reading("", "一\n二", surroundings=surroundings)
    assert [line.text for line in reading.lines] == ["上", "一", "中", "二", "下"]
    assert [line.text for line in Reading("", "", surroundings=surroundings).lines] == ["上", "中", "下"]


@pytest.mark.parametrize(
    "case",
    [each for kind in ("articles", "threads", "remarked-articles") for each in cases(kind)],
    ids=lambda case: case.name,
)
def test_the_main_zone_is_the_text_and_every_expected_line_is_in_some_zone(case: Case) -> None:
    reading = read(case.body)
    assert "\n".join(line.text for line in reading.lines if line.zone is Zone.MAIN) == reading.text
    shown = "".join("".join(line.text.split()) for line in reading.lines)
    assert [line for line in case.expected["text"] if "".join(line.split()) not in shown] == []


@pytest.mark.parametrize(
    ("box", "zone"),
    [("class='reply-more'", Zone.COMMENT), ("class='more'", Zone.FRAME)],
)
def test_what_a_click_unfolds_is_read_beside_the_text(box: str, zone: Zone) -> None:
    folded = f"<div {box}><div class='ir' style='display:none'><p>{REMARK}</p><p>{REMARK[::-1]}</p></div></div>"
    reading = read_body(f"<div>{ARTICLE}</div>{folded}<ul style='display:none'><li>首页</li></ul>")
    assert REMARK not in reading.text
    assert (zone_of(reading, REMARK), zone_of(reading, REMARK[::-1])) == (zone, zone)
    assert all(line.text != "首页" for line in reading.lines)
