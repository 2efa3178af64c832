"""Kinds of sites, imports and discovery from the command line, with the real stores, against real local servers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.crawler.test_warc_import import Archive, markup
from tests.support.command_line import CommandLine
from tests.support.web_server import Answer, WebServer, page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


WORKS = Path(__file__).parents[2] / "deploy" / "demo" / "works"
SCALE = (WORKS / "一杆秤.txt").read_text("utf-8")


@pytest.fixture(scope="module")
def servers(loopback: None) -> Iterator[tuple[WebServer, WebServer]]:
    """A search engine that knows one page, and the site of that page."""
    with WebServer({}) as engine, WebServer({}) as pirate:
        body = "".join(f"<p>{line}</p>" for line in SCALE.splitlines())
        pirate.routes["/copy.html"] = page("转载", body)
        answer = {"results": [{"url": pirate.url("/copy.html"), "title": "转载"}]}

        class Everywhere(dict):  # type: ignore[type-arg]
            def get(self, key: str, default: object = None) -> object:
                return Answer(json.dumps(answer).encode(), "application/json")

        engine.routes = Everywhere()
        yield engine, pirate


@pytest.fixture(scope="module")
def corpus(with_stores: Callable[..., CommandLine], servers: tuple[WebServer, WebServer]) -> CommandLine:
    engine, pirate = servers
    return with_stores(
        ZHUIWEN_ALLOW_PRIVATE_HOSTS=f"{engine.netloc},{pirate.netloc}",
        ZHUIWEN_SEARCH_URL=engine.url("/search"),
        ZHUIWEN_SEARCH_DELAY_S="0",
    )


def test_sites_of_every_kind_are_added_and_bad_lines_of_a_list_are_named(corpus: CommandLine, tmp_path: Path) -> None:
    pages = tmp_path / "pages.txt"
    pages.write_text("# 线索\nhttp://a.example/1\nwww.b.example/2\n", "utf-8")
    refused = corpus("site", "add", "--kind", "list", "--urls", pages, "--name", "线索", "--rights-holder", "甲")
    assert refused.code == 2
    assert refused.complaints == ["zhuiwen: line 3: www.b.example/2: it does not begin with http:// or https://"]
    pages.write_text("# 线索\nhttp://a.example/1\nhttp://b.example/2 # 二\n", "utf-8")
    added = corpus("site", "add", "--kind", "list", "--urls", pages, "--name", "线索", "--rights-holder", "甲")
    assert (added.code, "pages: 2" in added.out) == (0, True)
    for kind in ("novel", "feed", "sitemap"):
        assert corpus("site", "add", f"http://{kind}.example/x", "--kind", kind, "--rights-holder", "甲").code == 0
    kinds = {site["name"]: site["kind"] for site in corpus("site", "list", "--json").json()}
    assert (
        kinds.items()
        >= {
            "线索": "list",
            "novel.example": "novel",
            "feed.example": "feed",
            "sitemap.example": "sitemap",
        }.items()
    )
    assert corpus("site", "add", "http://x.example/", "--kind", "blog", "--rights-holder", "甲").code == 2


def test_an_archive_is_taken_in_and_a_second_time_nothing_is_new(corpus: CommandLine, tmp_path: Path) -> None:
    archive = Archive()
    for number in range(1, 6):
        archive.response(f"http://old.example/{number}", markup(number))
    path = archive.save(tmp_path / "old.warc.gz")
    first = corpus("import", path, "--site", "旧档", "--rights-holder", "甲", "--json")
    assert (first.code, first.json()[0]["stored"], first.json()[0]["new_versions"]) == (0, 5, 5), first.err
    again = corpus("import", path, "--site", "旧档", "--json")
    assert (again.json()[0]["stored"], again.json()[0]["new_versions"]) == (5, 0)
    by_host = corpus("import", path, "--json").json()[0]
    assert (by_host["stored"], by_host["passed_by"]) == (0, {"not_watched": 5})
    plain = corpus("import", path).out
    assert "host not watched 5" in plain
    assert "_" not in plain.replace(str(path), "")
    bad = tmp_path / "bad.warc"
    bad.write_text("no archive\n" * 20)
    refused = corpus("import", bad, "--site", "旧档")
    assert refused.code == 1
    assert "not a supported archive" in " ".join(refused.complaints)
    assert corpus("import", tmp_path / "none.warc").code == 2


def test_copies_are_discovered(corpus: CommandLine) -> None:
    assert corpus("work", "add", WORKS / "一杆秤.txt", "--rights-holder", "甲").code == 0
    assert corpus("discover").complaints == [
        "zhuiwen: no work is searched for yet; name one with zhuiwen discover WORK"
    ]
    assert corpus("index", "rebuild").code == 0
    done = corpus("discover", "一杆秤", "--queries-a-day", "2", "--json")
    assert done.code == 0, done.err
    assert (done.json()["queries"], done.json()["proposed"]) == (2, 1)
    assert "nothing was sent" in corpus("discover").out
