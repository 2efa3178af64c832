"""Sites of every shape, added with default settings: each of their chapters is stored, and once."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from crawler.browsing.chromium import find_chromium
from crawler.stats import NEEDS_BROWSER
from tests.crawler.crawl_process import RecordingStore, crawl, plan_of, settings_of
from tests.crawler.site_shapes import CHAPTERS, Shape, chapter, shapes
from tests.support.web_server import WebServer

pytestmark = pytest.mark.usefixtures("processes", "loopback")
_HAS_BROWSER = find_spec("scrapy_playwright") is not None and find_chromium() is not None
PLAIN = [pytest.param(shape, id=shape.name) for shape in shapes() if not shape.needs_browser]
SCRIPTED = [pytest.param(shape, id=shape.name) for shape in shapes() if shape.needs_browser]


@pytest.mark.parametrize("shape", PLAIN)
def test_each_chapter_is_stored_whole_and_once(shape: Shape, tmp_path: Path) -> None:
    _require_whole(shape, tmp_path / "texts")


@pytest.mark.skipif(not _HAS_BROWSER, reason="there is no Chromium, or the extra browser is not installed")
@pytest.mark.usefixtures("browsers")
@pytest.mark.parametrize("shape", SCRIPTED)
def test_a_browser_reads_what_nothing_else_can(shape: Shape, tmp_path: Path) -> None:
    _require_whole(shape, tmp_path / "texts")


def _require_whole(shape: Shape, texts: Path) -> None:
    texts.touch()
    with WebServer({}) as server:
        shape.serve(server)
        plan = plan_of(server.url(), use_sitemap=True)
        crawled = crawl(plan, settings_of(server.netloc), RecordingStore(texts=texts))
    stored = [text for _, text in map(json.loads, texts.read_text("utf-8").splitlines())]
    for number in CHAPTERS:
        _, paragraphs = chapter(number)
        places = [text for text in stored if any(paragraph in text for paragraph in paragraphs)]
        assert len(places) == 1, (number, stored, crawled.counts, server.requested)
        assert "\n".join(paragraphs) in places[0], crawled.counts


@pytest.mark.parametrize("shape", SCRIPTED[:1])
def test_without_a_browser_the_crawl_says_once_what_to_install(shape: Shape) -> None:
    with WebServer({}) as server:
        shape.serve(server)
        crawled = crawl(plan_of(server.url()), settings_of(server.netloc, chromium="/nowhere"))
    (fault,) = crawled.counts.faults
    assert fault.code == NEEDS_BROWSER
    assert "apt-get install chromium-headless-shell" in str(fault) or "pip install 'zhuiwen[browser]'" in str(fault)
    assert crawled.counts.stored == 0
