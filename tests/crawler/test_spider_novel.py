"""Novels as sites for novels keep them, crawled from a real local server."""

import json
import signal
import threading
from collections import Counter
from pathlib import Path

import pytest

from core.marks import SURROUNDING, Mark
from core.pages import Reading
from core.text import TextRange
from core.zones import SurroundingLine, Zone
from crawler.markup import parse
from crawler.sources.catalogue import chapter_blocks, list_chapter_links
from crawler.sources.novel_pages import Following, is_same_chapter, join_parts, next_part, part_number
from tests.crawler.crawl_process import Crawled, RecordingStore, crawl, kill, plan_of, settings_of, start, wait_until
from tests.support.web_server import Answer, Routes, WebServer, page, redirect

NUMERALS = "零一二三四五六七八九十"
SENTENCES = (
    "渡口的老钟敲过三下，撑船的人才慢慢收起缆绳，朝对岸望了一眼。",
    "他把账本翻到折角的那一页，用指甲在数目底下划了一道浅浅的印子。",
    "雨是后半夜停的，瓦檐上的水还在滴，一声一声落进石臼里。",
    "谁也没有说话，灶膛里的火光把几个人的影子推到了墙上。",
)


def lines_of(chapter: int, part: int) -> list[str]:
    return [f"这一段只在第{chapter}章的第{part}页上写着，别处没有。", *SENTENCES[part % 2 :]]


def chapter_page(title: str, lines: list[str], links: str) -> Answer:
    body = "".join(f"<p>{line}</p>" for line in lines)
    return page(f"{title}_江城旧事_某某小说网", f"<h1>{title}</h1><div id=content>{body}</div><div>{links}</div>")


def title_of(number: int) -> str:
    return f"第{NUMERALS[number]}章 渡口之{NUMERALS[number]}"


def novel_site(chapters: int = 6) -> Routes:
    """Newest chapters on top, all below; each of three pages, of which the last links to the next chapter as 下一页."""
    newest = "".join(
        f'<dd><a href="/book/7/{n}.html">{title_of(n)}</a></dd>' for n in range(chapters, chapters - 3, -1)
    )
    rest = "".join(f'<dd><a href="/book/7/{n}.html">{title_of(n)}</a></dd>' for n in range(1, chapters + 1))
    other = '<ul><li><a href="/book/9/1.html">第一章 别的书</a></li><li><a href="/">首页</a></li></ul>'
    index = f"<dl><dt>最新章节</dt>{newest}<dt>正文</dt>{rest}</dl>{other}"
    routes: Routes = {"/book/7/": page("江城旧事", index), "/book/9/1.html": page("别的书", "<p>别的书。</p>" * 20)}
    for number in range(1, chapters + 1):
        for part in (1, 2, 3):
            here = f"/book/7/{number}.html" if part == 1 else f"/book/7/{number}_{part}.html"
            after = f"/book/7/{number}_{part + 1}.html" if part < 3 else f"/book/7/{number + 1}.html"
            before = "/book/7/" if part == 1 else f"/book/7/{number}.html"
            links = f'<a href="{before}">上一页</a><a href="/book/7/">目录</a><a href="{after}">下一页</a>'
            lines = lines_of(number, part)
            if part < 3:
                lines = [*lines[:-1], lines[-1][:12], "（本章未完，请点击下一页继续阅读）"]
            if part == 2:
                lines[0] = SENTENCES[-1][12:] + lines[0]
            routes[here] = chapter_page(f"{title_of(number)}（{part}/3）", lines, links)
    return routes


def novel_plan(site: WebServer, path: str = "/book/7/", **changes: object):  # type: ignore[no-untyped-def]
    return plan_of(site.url(path), kind="novel", **changes)


def stored(crawled: Crawled) -> dict[str, Reading]:
    """By path, in the order in which they were stored."""
    return {
        fetched.canonical_url.partition("/book")[2]: reading for fetched, reading in crawled.store.versions.values()
    }


@pytest.fixture(scope="module")
def novel(processes):  # type: ignore[no-untyped-def]
    with WebServer(novel_site()) as site:
        yield crawl(novel_plan(site, concurrency=1), settings_of(site.netloc)), site


def test_each_chapter_is_one_page_under_the_address_of_its_first_part(novel) -> None:  # type: ignore[no-untyped-def]
    crawled, _ = novel
    assert sorted(stored(crawled)) == [f"/7/{number}.html" for number in range(1, 7)]
    assert (crawled.counts.stored, crawled.counts.failed, crawled.counts.finish_reason) == (6, 0, "finished")
    assert crawled.counts.rejected == {}


def test_the_parts_are_joined_in_order_without_seams(novel) -> None:  # type: ignore[no-untyped-def]
    text = stored(novel[0])["/7/2.html"].text
    starts = [text.index(f"只在第2章的第{part}页上") for part in (1, 2, 3)]
    assert starts == sorted(starts)
    assert "未完" not in text
    assert "下一页" not in text
    assert text.count(title_of(2)) <= 1
    assert "/3" not in text
    assert SENTENCES[-1] in text, "a sentence that a page cut in two is whole again"
    assert stored(novel[0])["/7/3.html"].title == title_of(3)


@pytest.mark.usefixtures("processes")
def test_a_crawl_that_is_killed_cuts_no_chapter_and_goes_on_with_the_next(tmp_path: Path) -> None:
    texts, job = tmp_path / "texts", tmp_path / "job"
    routes, killed = novel_site(), threading.Event()
    held = routes["/book/7/2_2.html"]
    routes["/book/7/2_2.html"] = lambda _: (
        held if killed.wait(60) else Answer(b"", status=500)
    )  # none is read behind it
    with WebServer(routes) as site:
        plan, settings = novel_plan(site, concurrency=1, delay_s=0.1), settings_of(site.netloc)
        process, _ = start(plan, settings, RecordingStore(texts=texts), job)
        wait_until(lambda: "/book/7/2_2.html" in site.requested)
        kill(process, signal.SIGKILL)
        process.join()
        before = set(site.requested)
        killed.set()
        again = crawl(plan, settings, RecordingStore(texts=texts), job)
        assert again.counts.finish_reason == "finished"
        asked = Counter(site.requested)
    kept = [json.loads(line) for line in texts.read_text().splitlines()]
    assert {path for path, _ in kept} == {f"/book/7/{number}.html" for number in range(1, 7)}
    for path, text in kept:
        number = path.rpartition("/")[2].removesuffix(".html")
        assert [f"只在第{number}章的第{part}页上" in text for part in (1, 2, 3)] == [True] * 3, "a chapter is cut"
    twice = {path for path, count in asked.items() if count > 1 and path != "/robots.txt"}
    assert twice <= before
    chapters = {path.rpartition("/")[2].partition(".")[0].partition("_")[0] for path in twice}
    assert len(chapters) <= 2, "more was fetched again than the chapter being read and the one being stored"


def test_the_responses_of_all_parts_are_kept(novel) -> None:  # type: ignore[no-untyped-def]
    crawled, site = novel
    fetched = next(f for f, _ in crawled.store.versions.values() if f.canonical_url.endswith("/4.html"))
    bodies = [fetched.body, *(part.body for part in fetched.parts)]
    assert bodies == [site.routes[f"/book/7/4{tail}.html"].body for tail in ("", "_2", "_3")]
    assert [part.url.rpartition("/")[2] for part in fetched.parts] == ["4_2.html", "4_3.html"]
    assert all(part.status == 200 and part.headers for part in fetched.parts)
    for place, part in zip(
        (fetched.final_url, *(part.url for part in fetched.parts)), (fetched, *fetched.parts), strict=True
    ):
        [exchange] = part.capture.exchanges
        assert exchange.url == place
        assert exchange.request_head.startswith(b"GET /book/7/4")
        assert exchange.response_head.startswith((b"HTTP/1.0 200 OK\r\n", b"HTTP/1.1 200 OK\r\n"))


def test_chapters_are_fetched_in_reading_order_each_page_once(novel) -> None:  # type: ignore[no-untyped-def]
    _, site = novel
    assert "/book/9/1.html" not in site.requested, "of another book on the same page"
    pages = [path for path in site.requested if path.endswith(".html")]
    assert len(pages) == len(set(pages)) == 18
    firsts = [path for path in pages if "_" not in path]
    assert firsts == [f"/book/7/{number}.html" for number in range(1, 7)]


@pytest.mark.usefixtures("processes")
def test_a_catalogue_on_several_pages_counting_down_is_read_whole() -> None:
    routes = novel_site(6)

    def listing(numbers: range) -> str:
        return "".join(f'<li><a href="/book/7/{n}.html">{title_of(n)}</a></li>' for n in numbers)

    routes["/book/7/"] = page("目录", f'<ul>{listing(range(6, 3, -1))}</ul><a href="/book/7/p2/">下一页</a>')
    routes["/book/7/p2/"] = page("目录", f'<ul>{listing(range(3, 0, -1))}</ul><a href="/book/7/">上一页</a>')
    with WebServer(routes) as site:
        crawled = crawl(novel_plan(site, concurrency=1), settings_of(site.netloc))
        assert crawled.counts.stored == 6
        firsts = [path for path in site.requested if path.endswith(".html") and "_" not in path]
        assert firsts == [f"/book/7/{number}.html" for number in range(1, 7)]


@pytest.mark.usefixtures("processes")
def test_a_novel_without_a_catalogue_is_followed_from_chapter_to_chapter() -> None:
    routes: Routes = {}
    for number in range(1, 5):
        links = (
            f'<a href="/book/7/{number + 1}.html">下一章</a>' if number < 4 else '<a href="/book/7/1.html">下一章</a>'
        )
        routes[f"/book/7/{number}.html"] = chapter_page(title_of(number), lines_of(number, 1), links)
    with WebServer(routes) as site:
        crawled = crawl(novel_plan(site, "/book/7/1.html"), settings_of(site.netloc))
    assert sorted(stored(crawled)) == [f"/7/{number}.html" for number in range(1, 5)]
    assert all(not fetched.parts for fetched, _ in crawled.store.versions.values())


@pytest.mark.usefixtures("processes")
def test_next_pages_in_a_circle_end() -> None:
    routes = novel_site(2)
    routes["/book/7/1_3.html"] = chapter_page(f"{title_of(1)}", lines_of(1, 3), '<a href="/book/7/1_2.html">下一页</a>')
    with WebServer(routes) as site:
        crawled = crawl(novel_plan(site), settings_of(site.netloc))
        assert crawled.counts.stored == 2
        assert len(site.requested) == len(set(site.requested))


@pytest.mark.usefixtures("processes")
def test_a_chapter_whose_second_page_cannot_be_had_is_kept_and_the_loss_told() -> None:
    routes = novel_site(3)
    del routes["/book/7/2_2.html"]
    routes["/book/7/1_2.html"] = redirect("http://169.254.169.254/latest/")
    with WebServer(routes) as site:
        crawled = crawl(novel_plan(site), settings_of(site.netloc))
    assert "只在第2章的第1页上" in stored(crawled)["/7/2.html"].text
    assert (crawled.counts.stored, crawled.counts.failed) == (3, 2)
    assert crawled.counts.rejected == {"http_error": 1, "unsafe_address": 1}
    assert any("/2.html was stored without" in fault for fault in map(str, crawled.counts.faults))


@pytest.mark.usefixtures("processes")
def test_a_next_page_link_that_leads_to_another_chapter_begins_that_chapter() -> None:
    """The catalogue hides the second chapter, and every link says 下一页."""
    routes: Routes = {"/book/7/": page("目录", f'<p><a href="/book/7/a1.html">{title_of(1)}</a></p>'
                                             f'<p><a href="/book/7/a3.html">{title_of(3)}</a></p>')}  # fmt: skip
    for number in (1, 2, 3):
        links = f'<a href="/book/7/a{number + 1}.html">下一页</a>'
        routes[f"/book/7/a{number}.html"] = chapter_page(title_of(number), lines_of(number, 1), links)
    with WebServer(routes) as site:
        crawled = crawl(novel_plan(site, concurrency=1), settings_of(site.netloc))
    assert sorted(stored(crawled)) == ["/7/a1.html", "/7/a2.html", "/7/a3.html"]
    assert stored(crawled)["/7/a2.html"].title == title_of(2)


@pytest.mark.usefixtures("processes")
def test_a_crawl_stopped_by_a_page_limit_keeps_whole_chapters_only() -> None:
    with WebServer(novel_site(6)) as site:
        crawled = crawl(novel_plan(site, max_pages=4, concurrency=1), settings_of(site.netloc))
    assert crawled.counts.finish_reason == "page_limit"
    assert all(len(fetched.parts) == 2 for fetched, _ in crawled.store.versions.values())
    assert crawled.counts.stored >= 1


@pytest.mark.parametrize(
    ("url", "number"),
    [
        ("/b/12_2.html", 2),
        ("/b/12-3.html", 3),
        ("/b/12/2.html", 2),
        ("/b/12_p4.html", 4),
        ("/b/13.html", None),
        ("/b/122.html", None),
        ("/b/12_1.html", None),
        ("/b/12.html?page=2", 2),
        ("/b/12.html?id=2", None),
    ],
)
def test_the_address_of_a_part_is_known_by_its_number(url: str, number: int | None) -> None:
    assert part_number("http://a.example/b/12.html", "http://a.example" + url) == number


def test_a_next_chapter_link_is_a_part_only_where_its_address_says_so() -> None:
    first = "http://a.example/b/12.html"

    def followed(words: str, url: str, known: frozenset[str] = frozenset()) -> str:
        return next_part(first, first, [Following(f"http://a.example{url}", words)], known)

    assert followed("下一章", "/b/13.html") == ""
    assert followed("下一章", "/b/12_2.html") == "http://a.example/b/12_2.html"
    assert followed("下一页", "/b/x8f.html") == "http://a.example/b/x8f.html"
    assert followed("下一页", "/b/13.html", frozenset({"http://a.example/b/13.html"})) == ""
    assert followed("下一页", "/b/12_2.html", frozenset({"http://a.example/b/12_2.html"})) == ""


def test_volumes_that_begin_to_count_anew_keep_their_order() -> None:
    markup = "<h2>第一卷</h2><ul>" + "".join(f'<li><a href="/n/{n}">第{n}章</a></li>' for n in (1, 2, 3))
    markup += "</ul><h2>第二卷</h2><ul>" + "".join(f'<li><a href="/n/{10 + n}">第{n}章</a></li>' for n in (1, 2, 3))
    tree = parse(markup + "</ul>")
    assert tree is not None
    urls = [link.url[-2:] for link in list_chapter_links(chapter_blocks(tree, "http://a.example/n/"))]
    assert urls == ["/1", "/2", "/3", "11", "12", "13"]


def test_prologues_and_chapters_without_numbers_are_among_the_chapters() -> None:
    names = ("楔子", "第一章 渡口", "第二章 账本", "上架感言", "第三章 夜雨", "尾声")
    markup = "<ul>" + "".join(f'<li><a href="/n/{n}.html">{name}</a></li>' for n, name in enumerate(names))
    tree = parse(markup + '<li><a href="/n/99.html">加入书架</a></li></ul>')
    assert tree is not None
    found = list_chapter_links(chapter_blocks(tree, "http://a.example/n/"))
    assert [link.title.text for link in found] == list(names)
    assert [link.title.number for link in found] == [None, 1, 2, None, 3, None]


def test_a_page_with_another_number_is_no_part() -> None:
    first = Reading("第三章 夜雨（1/2）", "正文")
    assert is_same_chapter(first, Reading("第三章 夜雨（2/2）", "正文"))
    assert is_same_chapter(first, Reading("", "正文"))
    assert not is_same_chapter(first, Reading("第四章 归舟", "正文"))


def test_what_stands_beside_the_parts_of_a_chapter_is_kept_once() -> None:
    menu = SurroundingLine(Zone.FRAME, "首页 书库", 0)
    first = Reading("第三章", "甲。\n乙。", surroundings=(menu, SurroundingLine(Zone.COMMENT, "写得真好。", 2)))
    second = Reading("第三章(2)", "丙。", surroundings=(menu, SurroundingLine(Zone.COMMENT, "下一章呢？", 1)))
    assert [(line.zone, line.text) for line in join_parts([first, second]).lines] == [
        (Zone.FRAME, "首页 书库"),
        (Zone.MAIN, "甲。"),
        (Zone.MAIN, "乙。"),
        (Zone.COMMENT, "写得真好。"),
        (Zone.MAIN, "丙。"),
        (Zone.COMMENT, "下一章呢？"),
    ]


def test_parts_of_a_chapter_are_stored_as_received_with_repairs_and_omissions() -> None:
    hidden = Mark("hidden_text", TextRange(1, 3), TextRange(1, 1))
    first = Reading("第三章", "甲船\n（本章未完，请翻页）", raw_text="甲本站船\n（本章未完，请翻页）", marks=(hidden,))
    whole = join_parts([first, Reading("第三章", "靠岸了。")])
    assert (whole.text, whole.raw_text) == ("甲船靠岸了。", "甲本站船\n（本章未完，请翻页）\n靠岸了。")
    assert [mark.kind for mark in whole.marks] == ["hidden_text", SURROUNDING]
    assert whole.raw_places().find_range(2, 6) == TextRange(whole.raw_text.index("靠"), len(whole.raw_text))
