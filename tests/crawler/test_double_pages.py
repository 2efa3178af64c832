"""One text at several addresses, and one text on several pages: what is made one page of, and what never."""

import asyncio
import json
from pathlib import Path

import pytest

from core.pages import Reading
from crawler.sources.novel_pages import surely_goes_on
from crawler.spiders.empty_parameters import MAX_PROBES, EmptyParameters, without
from tests.crawler.crawl_process import Crawled, RecordingStore, crawl, plan_of, settings_of
from tests.crawler.texts import SIMPLIFIED, own_text, paragraphs
from tests.support.web_server import Answer, Routes, WebServer, page

SITE = "http://a.example"
OPEN = "渡口的风很大，老人把灯笼挂在桩上，看着水一寸一寸涨上来，心里"


class _Site:
    """Texts by address; the parameters that say something are in the keys."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts, self.asked = texts, list[str]()

    async def text_at(self, url: str) -> str | None:
        self.asked.append(url)
        return self.texts.get(url)


def _bare(parameters: EmptyParameters, url: str, text: str) -> str:
    return asyncio.run(parameters.bare(url, Reading("", text)))[0]


def test_a_parameter_that_makes_no_difference_is_dropped_and_after_two_values_not_asked_about() -> None:
    site = _Site({f"{SITE}/{number}": f"第{number}页" for number in range(9)})
    parameters = EmptyParameters(site.text_at)
    for number, value in enumerate(("a1", "b2", "c3", "d4")):
        assert _bare(parameters, f"{SITE}/{number}?zs={value}", f"第{number}页") == f"{SITE}/{number}"
    assert len(site.asked) == 2


def test_a_parameter_that_makes_a_difference_once_is_kept_for_ever() -> None:
    site = _Site({f"{SITE}/r": "第1页", f"{SITE}/s": "目录"})
    parameters = EmptyParameters(site.text_at)
    assert _bare(parameters, f"{SITE}/r?zs=1", "第1页") == f"{SITE}/r"
    assert _bare(parameters, f"{SITE}/s?zs=2", "第2页") == f"{SITE}/s?zs=2"
    assert _bare(parameters, f"{SITE}/r?zs=3", "第1页") == f"{SITE}/r?zs=3"
    assert len(site.asked) == 2


@pytest.mark.parametrize("query", ["id=5", "page=2", "bookid=3&chapterid=4", "name=x", "utm_source=a", "zs="])
def test_nothing_is_asked_about_what_has_a_meaning_by_its_name(query: str) -> None:
    site = _Site({})
    assert _bare(EmptyParameters(site.text_at), f"{SITE}/r?{query}", "文") == f"{SITE}/r?{query}"
    assert site.asked == []


def test_however_many_parameters_a_site_has_few_are_asked_about() -> None:
    site = _Site({})
    parameters = EmptyParameters(site.text_at)
    for number in range(100):
        _bare(parameters, f"{SITE}/r?" + "&".join(f"z{number}q{each}=1" for each in range(5)), "文")
    assert len(site.asked) == MAX_PROBES


def test_parameters_are_taken_out_by_name() -> None:
    assert without(f"{SITE}/r?a=1&zs=2&b=%D5%C2", {"zs"}) == f"{SITE}/r?a=1&b=%D5%C2"


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
    assert surely_goes_on([first], part, f"{SITE}/1.html", f"{SITE}{url}")


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
    assert not surely_goes_on([first], part, f"{SITE}/1.html", f"{SITE}{url}")


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
