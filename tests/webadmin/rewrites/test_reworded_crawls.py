"""Real crawls of local sites whose pages are translations, or come from elsewhere: from the response to the lead."""

from dataclasses import replace
from html import escape

import pytest
from opencc import OpenCC

from core.ids import SiteId
from core.states import Rejection
from laboratory.cases.rewrites import Rewrite
from tests.crawler.crawl_process import Crawled, crawl, plan_of, settings_of
from tests.support.encoders import needs_encoder
from tests.support.reworded_chain import RewordedChain, reworded_chain, rewrite
from tests.support.rewritten import ENGLISH, WORK
from tests.support.web_server import Answer, WebServer
from webadmin.sites.models import PageRecord

pytestmark = [pytest.mark.django_db, needs_encoder, pytest.mark.usefixtures("processes", "loopback")]

ABOUT = (
    "The River Review is a small magazine of essays and stories. We publish on the first of every month, and answer "
    "each letter within a week. Write to the editors at the address below, and tell us what you liked. "
) * 3


def page(title: str, text: str, language: str) -> Answer:
    paragraphs = "".join(f"<p>{escape(line)}</p>" for line in text.split("\n") if line.strip())
    menu = '<nav><a href="/">Home</a> <a href="/about">About</a> <a href="/rope">The rope men</a></nav>'
    head = f'<head><meta charset="utf-8"><title>{escape(title)}</title></head>'
    article = f"<article><h1>{escape(title)}</h1>{paragraphs}</article><footer>© The River Review</footer>"
    markup = f'<!doctype html><html lang="{language}">{head}<body>{menu}{article}</body></html>'
    return Answer(markup.encode())


def crawled_into(chain: RewordedChain, pages: dict[str, Answer]) -> Crawled:
    """Crawl a site of these pages; what the crawl stored is stored here, and compared for copies."""
    with WebServer(dict(pages)) as site:
        crawled = crawl(plan_of(site.url("/"), obey_robots=False), settings_of(site.netloc))
    for fetched, reading in crawled.store.versions.values():
        chain.add_fetched(replace(fetched, site_id=SiteId(str(chain.site.pk))), reading)
    return crawled


def inside(chain: RewordedChain, given: Rewrite) -> float:
    """Return which share of the pairs stands in the passage."""
    pairs = chain.lead().pairs
    return sum(given.place.start <= (pair[2] + pair[3]) / 2 < given.place.end for pair in pairs) / len(pairs)


def test_a_site_in_english_with_a_translation_of_a_chinese_work_gives_a_lead() -> None:
    chain, given = reworded_chain(), rewrite("english-03")
    chain.add_work(given.source)
    chain.add_work(WORK, title="渡口")
    crawled_into(
        chain,
        {
            "/": page("The River Review", ABOUT, "en"),
            "/about": page("About us", "\n".join(reversed(ABOUT.split(". "))), "en"),
            "/rope": page("The rope men", given.text, "en"),
        },
    )
    rope = PageRecord.objects.get(url__endswith="/rope")
    assert rope.rejection == Rejection.TOO_FEW_HAN_CHARS, "copies of it are not looked for"
    chain.search()
    lead = chain.lead()
    assert (lead.page, lead.found_as, lead.work.title, lead.state) == (rope, "translated", "河", "waiting")
    assert lead.page_title == "The rope men"
    assert inside(chain, given) >= 0.8


def test_a_page_in_chinese_of_a_work_in_english_gives_one() -> None:
    chain = reworded_chain()
    chain.add_work(ENGLISH, title="The Ferry")
    crawled_into(chain, {"/": page("渡口", WORK.replace("。", "。\n"), "zh")})
    chain.search()
    assert (chain.lead().found_as, chain.lead().work.title) == ("translated", "The Ferry")


def test_a_page_in_traditional_characters_and_in_the_words_of_taiwan_gives_one() -> None:
    chain, given = reworded_chain(), rewrite("spoken-04")
    chain.add_work(given.source)
    text = OpenCC("s2twp").convert(given.text)
    assert "感測器" in text, "another word, not only other characters"
    crawled_into(chain, {"/": page("換繩人", text, "zh-TW")})
    chain.search()
    assert (chain.lead().found_as, chain.lead().site) == ("reworded", chain.site)
    assert inside(chain, given) >= 0.8
