"""No pattern that a person types can hold up a crawl."""

import pytest

from core.ids import SiteId
from core.pages import CrawlPlan
from core.wording import Message
from crawler.patterns import MAX_SEARCH_S, MAX_SLOW_S, SlowPattern, UnusablePattern, UrlPattern, require_quick
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
