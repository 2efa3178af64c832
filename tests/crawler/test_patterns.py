"""No pattern that a person types can hold up a crawl."""

from dataclasses import fields

import pytest
from scrapy.utils.misc import load_object

from core.ids import SiteId
from core.pages import CrawlPlan
from core.wording import Message, has_words
from crawler.patterns import MAX_SEARCH_S, MAX_SLOW_S, SlowPattern, UnusablePattern, UrlPattern, require_quick
from crawler.site_kinds import KINDS, SETTINGS, SiteKind
from crawler.spiders.generic import GenericSpider
from crawler.urls import scope

# Each grows beyond all bounds with the length of the address.
ENDLESS = (r"^(a|aa)+$", r"([a-z]|[a-z][a-z])+/\d$", r"(\d|\d\d)+\.htm$", r"(/|/\w|\w)+\.html$", r"^(?:(.|..)+)+z$")
HONEST = (
    r"/\d+/\d+\.html$",
    r"/book/.*/.*\.html$",
    r".*/chapter/.*/.*/.*",
    r"(?i)/read/[\w-]+(/[\w-]+)*/\d+\.s?html$",
    r"^https?://(www\.)?example\.com/(book|read)/\d+(_\d+)?\.html?(\?.*)?$",
    r"/\d{6}/\d{8}/\d{10}/[a-f0-9]{32}",
    r"[?&](page|p)=\d+(&.*)?$",
)


@pytest.mark.parametrize("pattern", ENDLESS)
def test_a_pattern_that_would_never_end_is_refused_where_it_is_typed(pattern: str) -> None:
    with pytest.raises(SlowPattern, match="takes too long"):
        require_quick(pattern)


@pytest.mark.parametrize("pattern", HONEST)
def test_an_honest_pattern_is_taken(pattern: str) -> None:
    require_quick(pattern)


@pytest.mark.parametrize(
    "pattern", ["(", "[", "(" * 600, "a" * 2_000, "(?:(?:ba){999}c){99}", "((((x{900}){900}){900}){900})"]
)
def test_what_cannot_be_compiled_or_would_fill_the_memory_is_refused(pattern: str) -> None:
    with pytest.raises(UnusablePattern):
        require_quick(pattern)


def test_a_slow_search_is_no_match_and_an_always_slow_pattern_is_dropped() -> None:
    told: list[Message] = []
    pattern = UrlPattern("^http://a.example/(a|aa)+$", told.append)
    slow = "http://a.example/" + "a" * 60
    assert not pattern.matches(f"{slow}!")
    assert pattern.matches("http://a.example/aaa")
    assert told == []
    for number in range(2 * round(MAX_SLOW_S / MAX_SEARCH_S)):
        assert not pattern.matches(f"{slow}!{number}")
    assert not pattern.matches("http://a.example/aaa")
    [fault] = told
    assert "'^http://a.example/(a|aa)+$' took 1 s" in str(fault)


def test_the_scope_of_a_plan_reports_its_slow_patterns() -> None:
    told: list[Message] = []
    plan = CrawlPlan(SiteId("s"), "r", ("http://a.example/",), (), deny_patterns=("(a|aa)+$",))
    own = scope(plan, told.append)
    for number in range(2 * round(MAX_SLOW_S / MAX_SEARCH_S)):
        assert own.allows("http://a.example/" + "a" * 70 + f"!{number}")
    assert len(told) == 1


# The records of the kinds of sites: each names a spider that is there and settings that a site has.

EACH = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


@EACH
def test_a_kind_that_is_crawled_has_a_spider_of_its_name(kind: SiteKind) -> None:
    if kind.is_crawled:
        spider = load_object(kind.spider)
        assert issubclass(spider, GenericSpider)
        assert spider.name == kind.name


@EACH
def test_a_kind_is_named_in_both_languages_and_explains_its_start_addresses(kind: SiteKind) -> None:
    for words in (kind.label, kind.starts):
        assert has_words(words.code)
        assert str(words).isascii()
        assert any("\u4e00" <= character <= "\u9fff" for character in words.in_language("zh"))


@EACH
def test_the_settings_of_a_kind_are_among_those_that_only_some_read(kind: SiteKind) -> None:
    assert kind.settings <= SETTINGS <= {field.name for field in fields(CrawlPlan)}


def test_only_pages_that_are_crawled_come_as_a_list() -> None:
    assert all(kind.is_crawled for kind in KINDS.values() if kind.starts_are_pages or kind.settings)
