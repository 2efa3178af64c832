"""Who posted a text is told from who is said to have written it; nobody is named where it is not certain."""

import pytest

from core.pages import Poster, Reading
from crawler.reading import read_page
from tests.crawler.case_folders import case
from tests.crawler.texts import SIMPLIFIED

URL = "http://site.example/read/1.html"
BODY = "".join(f"<p>{sentence}</p>" for sentence in SIMPLIFIED)


def read(body: str, url: str = URL) -> Reading:
    page = f"<html><head><title>老渡口</title></head><body>{body}</body></html>".encode()
    found = read_page(page, {"Content-Type": "text/html; charset=utf-8"}, url)
    assert isinstance(found, Reading)
    return found


def names(reading: Reading) -> list[str]:
    return [poster.name for poster in reading.posters]


@pytest.mark.parametrize(
    "line",
    [
        "闻笛 发表于 2026-1-2 10:00",
        "闻笛于 2026-01-02 15:47:53 发布",
        "本帖由闻笛于2026年1月2日16:12:21在〖渡口〗发表",
        "发布者：闻笛 2026-01-02",
        "楼主：闻笛 时间：2026-01-02 10:00:00 点击：120",
        "闻笛 2026-01-02 10:00 楼主",
        "<b>闻笛</b> <time>2026-01-02 10:00</time> <span>楼主</span>",
        "闻笛 樓主",
    ],
)
def test_whom_a_page_says_to_have_posted_it_is_its_poster_and_no_author(line: str) -> None:
    reading = read(f"<div><h1>老渡口</h1><div class='who'>{line}</div><div>{BODY}</div></div>")
    assert reading.poster_names([0]) == ("闻笛",)
    assert reading.author == ""


@pytest.mark.parametrize(
    "line", ["作者：闻笛", "文/闻笛", "作者：闻笛 2026-03-01 10:20", "作者：闻笛 更新：2026-03-01 字数：2201"]
)
def test_an_author_that_is_stated_has_posted_nothing(line: str) -> None:
    reading = read(f"<div><h1>老渡口</h1><p>{line}</p><div>{BODY}</div></div>")
    assert (reading.author, reading.posters) == ("闻笛", ())


@pytest.mark.parametrize(
    "line",
    [
        "今天 10:00 楼主",
        "10回复 2026-01-02 楼主",
        "2026-01-02 10:00 楼主",
        "资深会员 2026-01-02 10:00 楼主",
        "广告 2026-01-02 10:00",
    ],
)
def test_what_is_no_name_is_none(line: str) -> None:
    assert read(f"<div><h1>老渡口</h1><p>{line}</p><div>{BODY}</div></div>").posters == ()


def test_a_post_is_its_own_posters_and_no_others() -> None:
    """Whoever began a thread has not posted what stands in an answer."""
    board = case("threads", "discuz-board-tables-ranks-signatures-a-notice-of-the-moderator")
    reading = read_page(board.body, {}, "http://site.example/1.html")
    assert names(reading) == ["听雨的猫", "老张修车", "Momo_2008", "一苇渡江", "豆腐脑咸党", "Kevin"]
    assert reading.poster_names([reading.text.index("线装书最好")]) == ("一苇渡江",)
    assert reading.poster_names([len(reading.text) + 5]) == (), "what stands beside the main text"


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        (
            "threads/board-in-traditional-characters",
            ["听雨的猫", "老张修车", "Momo_2008", "一苇渡江", "豆腐脑咸党", "Kevin"],
        ),
        ("threads/answers-without-any-time", ["老张修车", "Momo_2008", "一苇渡江"]),
        ("unseen-threads/questions-of-a-site-for-programmers", ["听雨的猫", "老张修车", "Momo_2008", "一苇渡江"]),
        ("unseen-threads/cells-of-a-community-of-programmers", ["听雨的猫", ""]),
        ("threads/question-and-answers-with-votes-times-below", []),
        ("threads/questions-of-a-knowledge-community", []),
    ],
)
def test_posts_have_the_name_above_them_or_none(folder: str, expected: list[str]) -> None:
    kind, name = folder.split("/")
    reading = read_page(case(kind, name).body, {}, "http://site.example/1.html")
    assert isinstance(reading, Reading)
    assert names(reading) == expected


def test_linked_data_of_a_post_names_who_posted_it() -> None:
    data = '{"@type": "DiscussionForumPosting", "author": {"@type": "Person", "name": "闻笛"}}'
    reading = read(f'<script type="application/ld+json">{data}</script><div><h1>老渡口</h1>{BODY}</div>')
    assert (reading.author, reading.posters) == ("", (Poster("闻笛", 0),))


def test_a_page_of_more_posts_than_any_board_has_is_read_without_looking_at_each() -> None:
    posts = "".join(f"<b>会友{n}号</b> 2026-01-02 10:00 楼主<br>{SIMPLIFIED[0]}<br>" for n in range(400))
    reading = read(f"<p>只看楼主 倒序浏览 发表新帖</p>{posts}", "http://bbs.example/thread-1-1-1.html")
    assert names(reading)[-2:] == ["会友299号", ""]
