"""One text at several addresses, and one text on several pages: what is made one page of, and what never."""

import itertools
import json
from datetime import timedelta
from pathlib import Path

import pytest

from core.pages import Reading
from crawler.repeated_texts import RepeatedTexts
from crawler.sources.novel_pages import is_continuation
from crawler.stats import REPEATED_TEXTS
from tests.crawler.crawl_process import Crawled, RecordingStore, crawl, plan_of, settings_of
from tests.crawler.texts import SIMPLIFIED, own_text, paragraphs
from tests.crawler.visited_site import VisitedSite
from tests.support.web_server import Answer, Routes, WebServer, page

SITE = "http://a.example"
OPEN = "渡口的风很大，老人把灯笼挂在桩上，看着水一寸一寸涨上来，心里"


def test_addresses_are_taken_for_one_by_two_texts_and_never_after_a_difference() -> None:
    told = list[str]()
    texts = RepeatedTexts(lambda name, _: told.append(name))
    notes = [("r?sid=a", "请登录"), ("r?sid=b", "请登录"), ("s?sid=c", "请登录"), ("t?sid=e", "第2页")]
    assert [texts.note(f"{SITE}/{path}", text) for path, text in notes] == [False, True, False, False]
    assert not texts.is_another(f"{SITE}/r?sid=d"), "a notice in place of pages is one text"
    assert texts.note(f"{SITE}/t?sid=f", "第2页")
    assert [texts.is_another(f"{SITE}/{path}") for path in ("r?sid=d", "u?sid=g", "u?sid=h")] == [True, False, False]
    assert [texts.note(f"{SITE}/u?sid={value}", "第3页") for value in "gh"] == [False, True]
    assert [texts.is_another(f"{SITE}/u?sid={value}") for value in "gi"] == [False, True]
    assert told == ["sid"]
    assert not any(texts.note(f"{SITE}/v?id=1&sid={value}", f"第{value}页") for value in "34")
    assert not texts.is_another(f"{SITE}/r?sid=d"), "it made a difference"


@pytest.mark.usefixtures("processes", "loopback")
@pytest.mark.parametrize(("kind", "asks_for_it"), [("generic", False), ("generic", True), ("novel", True)])
def test_a_site_that_adds_a_new_session_to_each_link_has_three_pages(kind: str, asks_for_it: bool) -> None:
    sessions = itertools.count(1000)

    def link(path: str, words: str = "") -> str:
        return f'<a href="{path}?sid={next(sessions)}">{words or f"第{path[-1]}章 夜渡"}</a>'

    def answer(path: str) -> Answer:
        place, _, query = path.partition("?")
        if place == "/":
            return page("目录", "".join(f"<p>{link(f'/{number}')}</p>" for number in (1, 2, 3)))
        if place not in ("/1", "/2", "/3") or (asks_for_it and not query):
            return Answer(status=403)
        number = int(place[1:])
        return page(f"第{number}章", own_text(number) + link(f"/{number % 3 + 1}", "下一章") + link("/", "目录"))

    with WebServer({}) as server:
        server.fallback = answer
        plan = plan_of(server.url(), kind=kind, max_depth=50, max_pages=60)
        site = VisitedSite(plan, settings_of(server.netloc))
        for day in range(2):
            counts = site.crawl(timedelta(days=day))
            assert counts.finish_reason == "finished"
            assert [fault.params["name"] for fault in counts.faults if fault.code == REPEATED_TEXTS] == ["sid"]
            assert len({visit.page_id for visit in site.book.visits(plan.site_id) if visit.page_id}) == 3


def _part(title: str, *lines: str) -> Reading:
    return Reading(title, "\n".join(lines))


@pytest.mark.parametrize(
    ("first", "part", "url"),
    [
        (_part("第一章 渡口（1/2）", OPEN), _part("第一章 渡口（2/2）", "走了。"), "/x"),
        (_part("渡口", "走了。", "（本章未完，请点击下一页继续阅读）"), _part("渡口", "又来。"), "/x"),
        (_part("第一章 渡口", "走了。"), _part("第一章 渡口", "又来。"), "/1_2.html"),
        (_part("渡口", OPEN), _part("渡口", "走了。"), "/1_2.html"),
    ],
)
def test_what_says_that_it_is_the_same_text_goes_on_with_it(first: Reading, part: Reading, url: str) -> None:
    assert is_continuation([first], part, f"{SITE}/1.html", f"{SITE}{url}")


@pytest.mark.parametrize(
    ("first", "part", "url"),
    [
        (_part("新闻", "今日要闻。"), _part("新闻", "昨日要闻。"), "/1_2.html"),
        (_part("新闻", "今日要闻。"), _part("新闻 (2)", "昨日要闻。"), "/1_2.html"),
        (_part("第一章 渡口", OPEN), _part("第二章 渡口", "走了。"), "/1_2.html"),
        (_part("第一章 渡口（1/2）", OPEN), _part("第二章 夜（1/2）", "走了。"), "/x"),
        (_part("渡口", "走了。", "下一页"), _part("夜", "又来。"), "/x"),
        (_part("渡口", "走了。", "1/20"), _part("渡口", "又来。"), "/1_2.html"),
        (_part("", OPEN), _part("", "走了。"), "/1_2.html"),
    ],
)
def test_two_pages_of_a_list_or_two_texts_stay_two(first: Reading, part: Reading, url: str) -> None:
    assert not is_continuation([first], part, f"{SITE}/1.html", f"{SITE}{url}")


def _crawled(routes: Routes, tmp_path: Path) -> tuple[Crawled, dict[str, str], list[str]]:
    texts = tmp_path / "texts"
    texts.touch()
    with WebServer(routes) as server:
        crawled = crawl(plan_of(server.url()), settings_of(server.netloc), RecordingStore(texts=texts))
        asked = list(server.requested)
    stored = [tuple(json.loads(line)) for line in texts.read_text("utf-8").splitlines()]
    assert len(dict(stored)) == len(stored)
    return crawled, dict(stored), asked


@pytest.mark.usefixtures("processes", "loopback")
def test_a_text_whose_next_part_is_gone_is_kept_and_the_loss_told(tmp_path: Path) -> None:
    routes: Routes = {
        "/": page("第一章 渡口（1/2）", paragraphs() + '<a href="/_2">下一页</a>'),
        "/_2": Answer(status=500),
    }
    crawled, stored, _ = _crawled(routes, tmp_path)
    assert stored == {"/": "\n".join(SIMPLIFIED)}
    assert (crawled.counts.failed, crawled.counts.rejected) == (1, {"http_error": 1})


@pytest.mark.usefixtures("processes", "loopback")
def test_a_page_that_was_taken_for_a_part_is_a_page_of_its_own_with_its_links(tmp_path: Path) -> None:
    routes: Routes = {
        "/": page("目录", '<a href="/n/1.html">一</a>'),
        "/n/1.html": page("要闻", own_text(1) + '<a href="/n/1_2.html">下一页</a>'),
        "/n/1_2.html": page("要闻", own_text(2) + '<a href="/n/9.html">往事</a>'),
        "/n/9.html": page("往事", own_text(3)),
    }
    crawled, stored, asked = _crawled(routes, tmp_path)
    assert sorted(stored) == ["/n/1.html", "/n/1_2.html", "/n/9.html"]
    assert len(asked) == len(set(asked)), "none is asked for twice"
    assert crawled.counts.failed == 0
