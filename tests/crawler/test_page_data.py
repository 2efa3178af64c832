"""The text that a page carries for its scripts, or asks for: when it is read, and what is never taken for it."""

import json

import pytest

from core.pages import Reading
from crawler.fetching import resources
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.resources import MAX_FOREIGN_HOSTS_OF_SITE, ResourceKind, SiteResources
from crawler.markup import parse
from crawler.page_data.prose import MAX_OBJECTS_OF_SCRIPT, prose_markup
from crawler.page_data.script_requests import read_script_data
from crawler.reading import read_page
from tests.crawler.texts import SIMPLIFIED, Beside, paragraphs

URL = "http://a.example/read/1"
HEADERS = {"Content-Type": "text/html; charset=utf-8"}


def _read(markup: str, data: dict[str, bytes] | None = None) -> tuple[Reading | None, list[str]]:
    context = Beside(data or {})
    read = read_page(f"<html><body>{markup}</body></html>".encode(), HEADERS, URL, context=context)
    return (read if isinstance(read, Reading) else None), context.asked


def _state(**values: object) -> str:
    return f"<script>window.__STATE__ = {json.dumps(values)};</script>"


def test_a_chapter_outweighs_what_else_a_page_carries() -> None:
    state = _state(
        comments=[{"text": "写得真好，我一口气读完了。"}] * 60,
        recommended=[{"title": "别的书", "intro": "".join(SIMPLIFIED) * 2}],
        chapter={"title": "第七章 渡口", "content": paragraphs()},
    )
    read, _ = _read(state)
    assert (read.title, read.text.splitlines(), read.extractor) == ("第七章 渡口", list(SIMPLIFIED), "scripts")


def test_a_page_with_a_text_of_its_own_is_read_as_it_is_and_asks_for_nothing() -> None:
    other = (
        _state(content="另一篇很长的文章，谁也没有在这一页上看到它。" * 20) + "<script>fetch('/api/hits/1')</script>"
    )
    read, asked = _read(paragraphs() + other)
    assert (read.text.splitlines(), asked) == (list(SIMPLIFIED), [])


def test_a_page_of_links_is_no_shell_whatever_it_carries() -> None:
    listed = "".join(f"<a href=/{number}>书</a>" for number in range(40))
    read, _ = _read(listed + _state(content="".join(SIMPLIFIED)))
    assert read.text == ""


@pytest.mark.parametrize(
    "values",
    [
        {"labels": ["登录", "注册", "书架", "排行榜", "完本", "玄幻", "都市", "历史", "科幻", "悬疑"] * 5},
        {"notice": "请登录后再试。"},
        {"content": "no Chinese at all, " * 50},
    ],
)
def test_labels_and_notices_are_no_text(values: dict[str, object]) -> None:
    assert _read(_state(**values))[0] is None


def test_what_a_page_asks_for_is_read_where_it_has_nothing_itself() -> None:
    body = json.dumps({"data": {"title": "第七章 渡口", "body": "\n".join(SIMPLIFIED)}}).encode()
    read, asked = _read("<script>axios.get('/api/7')</script>", {"http://a.example/api/7": body})
    assert (read.title, read.text.splitlines(), read.extractor) == ("第七章 渡口", list(SIMPLIFIED), "data")
    assert asked == ["http://a.example/api/7"]


@pytest.mark.parametrize("url", ["page.html", "/tmp/page.html", "", "http://[bad/", "http://a.example:99999/"])
def test_a_saved_page_and_one_without_a_good_address_are_read_all_the_same(url: str) -> None:
    body = (
        f"<html><body>{_state(text=paragraphs())}<script>fetch('/api/7'); fetch('http://b.example/7')</script>".encode()
    )
    context = Beside({})
    assert isinstance(read_page(body, HEADERS, url, context=context), Reading)
    bare = b"<html><body><script>fetch('/api/7'); fetch('http://b.example/7')</script>"
    assert not isinstance(read_page(bare, HEADERS, url, context=context), Reading)
    assert context.asked == []


def test_only_whole_addresses_of_its_own_host_are_asked_for_and_few() -> None:
    calls = [
        "fetch('http://b.example/api/1')",
        "fetch('/api/' + id)",
        "fetch(`/api/${id}`)",
        "fetch('/login/7')",
        "$.get('/app.js')",
        "navigator.sendBeacon('/api/b')",
        "fetch('http://a.example:81/api/1')",
        "fetch('/\\ud800')",
        *(f"fetch('/api/{number}')" for number in range(20)),
    ]
    tree = parse(f"<script>{';'.join(calls)}</script>")
    assert tree is not None
    asked = [
        url for url in read_script_data(tree, URL).requested_addresses() if "%EF" not in url and "\ufffd" not in url
    ]
    assert set(asked) <= {f"http://a.example/api/{number}" for number in range(20)}
    assert len(asked) <= 4


@pytest.mark.parametrize(
    "source",
    [
        "[" * 200_000,
        '{"a":' * 100_000,
        'var a = "' + '\\"' * 300_000,
        "`" + "章" * 500_000,
        json.dumps(["短"] * 200_000),
        'x = "\\ud800，\\udfff。' + "好，" * 100 + '"',
        "x = {" * MAX_OBJECTS_OF_SCRIPT + "章。",
    ],
)
def test_whatever_a_script_is_it_is_looked_through(source: str) -> None:
    assert parse(prose_markup([source], "") or "<p>") is not None


# What the pages of a site may make a crawl fetch beside them, all together.


def test_a_site_whose_every_page_names_another_host_is_asked_for_a_few_of_them() -> None:
    asked: list[str] = []

    def fetch(url: str, kind: ResourceKind) -> bytes:
        asked.append(url)
        return b"p {}"

    site = SiteResources(fetch, AddressGuard())
    for number in range(2 * MAX_FOREIGN_HOSTS_OF_SITE):
        site.of_page(f"http://a.example/{number}").get(f"http://h{number}.b.example/s.css", ResourceKind.STYLE)
    assert len(asked) == MAX_FOREIGN_HOSTS_OF_SITE
    page = site.of_page("http://a.example/last")
    assert page.get("http://a.example/s.css", ResourceKind.STYLE) == b"p {}"
    assert page.get("http://h0.b.example/other.css", ResourceKind.STYLE) == b"p {}"


def test_what_one_page_refers_to_is_waited_for_no_longer_than_all_of_it_may_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each picture takes a third of the time that there is for the page."""
    moment = 0.0

    class Clock:
        @staticmethod
        def monotonic() -> float:
            return moment

    def fetch(url: str, kind: ResourceKind) -> None:
        nonlocal moment
        moment += resources.MAX_SECONDS_OF_PAGE / 3
        asked.append(url)

    asked: list[str] = []
    monkeypatch.setattr(resources, "time", Clock)
    page = SiteResources(fetch, AddressGuard()).of_page("http://a.example/")
    for number in range(10):
        page.get(f"http://a.example/{number}.png", ResourceKind.PICTURE)
    assert len(asked) == 3
