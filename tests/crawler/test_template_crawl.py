"""A crawl of a site that sets advertisements into its chapters learns them, and the next crawl knows them."""

from pathlib import Path

import pytest

from crawler.main_text.templates import FILE_NAME
from tests.crawler.crawl_process import Crawled, crawl, plan_of, settings_of
from tests.support.web_server import Routes, WebServer, page

pytestmark = pytest.mark.usefixtures("processes")

CHAPTERS = 12
AD = "一秒记住【小书站】"
REFRAIN = "欲知后事如何，且听下回分解。"


def chapter(number: int) -> str:
    """Six paragraphs of its own, an advertisement whose address is another each time, a closing formula."""
    lines = [
        f"第{number}日清早，{'雾船灯桥橹石'[step]}的影子落在第{number * 11 + step}级石阶上，"
        f"{'江水慢慢涨了' * (step % 3 + 1)}。"
        for step in range(6)
    ]
    lines.insert(number % 5 + 1, f"{AD}w{number}.b{number * 7}x.com，精彩小说无弹窗免费阅读！")
    return "".join(f"<p>{line}</p>" for line in [*lines, REFRAIN])


def site(first: int) -> Routes:
    numbers = range(first, first + CHAPTERS)
    links = "".join(f'<li><a href="/{number}.html">第{number}章</a></li>' for number in numbers)
    return {
        "/": page("目录", f"<ul>{links}</ul>"),
        **{f"/{number}.html": page(f"第{number}章 渡口", f"<div>{chapter(number)}</div>") for number in numbers},
    }


def crawled(first: int, folder: Path) -> Crawled:
    with WebServer(site(first)) as server:
        return crawl(plan_of(server.url()), settings_of(server.netloc), job_dir=folder)


def test_a_crawl_learns_what_a_site_sets_into_its_texts_and_the_next_one_knows_it(tmp_path: Path) -> None:
    first = crawled(1, tmp_path)
    readings = [reading for _, reading in first.store.versions.values() if reading.text]
    assert len(readings) == CHAPTERS
    assert sum(AD in reading.text for reading in readings) <= 3
    assert all(REFRAIN in reading.text for reading in readings)
    assert sum(bool(reading.left_out) for reading in readings) >= CHAPTERS - 3
    assert (tmp_path / FILE_NAME).exists()
    second = [reading for _, reading in crawled(101, tmp_path).store.versions.values() if reading.text]
    assert len(second) == CHAPTERS
    assert not any(AD in reading.text for reading in second)
    assert all(REFRAIN in reading.text and reading.left_out[0].startswith(AD) for reading in second)
