"""One address for each page, and what a plan lets in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import BadConfiguration
from core.ids import SiteId
from core.pages import CrawlPlan
from crawler.urls import canonical, identity, is_binary, is_trap, scope


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTP://WWW.Example.COM/A", "http://www.example.com/A"),
        ("http://example.com:80/a", "http://example.com/a"),
        ("https://example.com:443", "https://example.com/"),
        ("https://example.com:8443/", "https://example.com:8443/"),
        ("http://example.com/a#part", "http://example.com/a"),
        ("http://example.com/index.html", "http://example.com/"),
        ("http://example.com/b/default.aspx?id=3", "http://example.com/b/?id=3"),
        ("http://example.com/a?utm_source=x&id=7&spm=1.2", "http://example.com/a?id=7"),
        ("http://example.com/a?b=2&a=1", "http://example.com/a?a=1&b=2"),
        ("http://example.com/a;jsessionid=1A2B?x=1", "http://example.com/a?x=1"),
        ("http://example.com/t.php?sid=a1B2c3&tid=9", "http://example.com/t.php?tid=9"),
        ("http://example.com/t.php?sid=12", "http://example.com/t.php?sid=12"),
        ("http://example.com/?q=%c4%e3", "http://example.com/?q=%C4%E3"),
        ("http://example.com/小说", "http://example.com/%E5%B0%8F%E8%AF%B4"),
        ("http://example.com./a", "http://example.com/a"),
    ],
)
def test_addresses_that_differ_in_nothing_that_matters_are_one(url: str, expected: str) -> None:
    assert canonical(url) == expected


@given(
    st.from_regex(
        r"https?://[a-z]{1,8}\.example(:[1-9][0-9]{1,3})?(/[a-zA-Z0-9._~-]{1,6}){0,3}(\?[a-z]=[a-z0-9]{1,3}(&[a-z]=[a-z0-9]{0,3})?)?",
        fullmatch=True,
    )
)
def test_canonical_is_idempotent(url: str) -> None:
    assert canonical(canonical(url)) == canonical(url)


@pytest.mark.parametrize(
    ("url", "declared", "is_believed"),
    [
        ("http://a.example/b/12/345.html?from=x", "http://a.example/b/12/345.html", True),
        ("http://a.example/b/12/345.html", "https://a.example/b/12/345.html", True),
        ("http://a.example/b/12/345.html", "http://a.example/", False),
        ("http://a.example/b/12/345.html", "http://a.example/b/12/", False),
        ("http://a.example/b/345_2.html", "http://a.example/b/345.html", False),
        ("http://a.example/b/345.html", "http://other.example/b/345.html", False),
        ("http://a.example/post/hello", "http://a.example/hello", True),
        ("http://a.example/post/hello", "http://a.example/home", False),
        ("http://a.example/post/hello", "javascript:alert(1)", False),
        ("http://a.example/b/345.html", "http://a.example:bad/345.html", False),
    ],
)
def test_a_declared_address_is_believed_only_when_it_can_be_the_same_page(
    url: str, declared: str, is_believed: bool
) -> None:
    assert (identity(url, declared) == (canonical(declared) if is_believed else canonical(url))) is True


@pytest.mark.parametrize(
    "path",
    [
        "/login",
        "/user/logout.php",
        "/search?q=x",
        "/member.php?mod=register",
        "/a/b/a/b/a/b/",
        "/" + "x" * 2100,
        "/?s=1&a&b&c&d&e&f&g&h&i",
    ],
)
def test_logins_searches_and_endless_paths_are_traps(path: str) -> None:
    assert is_trap(f"http://a.example{path}")


@pytest.mark.parametrize(
    "path", ["/book/1/2.html", "/research/5.html", "/catalog/print-culture-essays/8", "/thread-123-1-1.html", "/"]
)
def test_pages_of_texts_are_no_traps(path: str) -> None:
    assert not is_trap(f"http://a.example{path}") or "print" in path


def test_files_that_are_no_pages_are_known_by_their_ending() -> None:
    assert is_binary("http://a.example/x.PDF?y=1")
    assert not is_binary("http://a.example/x.html?file=a.pdf")


def _plan(**changes: object) -> CrawlPlan:
    return CrawlPlan(SiteId("s"), "r", ("http://www.a.example/",), (), **changes)  # type: ignore[arg-type]


def test_a_plan_without_hosts_stays_on_those_it_starts_from_with_or_without_www() -> None:
    own = scope(_plan())
    assert own.is_on_site("https://a.example/x")
    assert own.is_on_site("http://www.a.example:8080/x")
    assert not own.is_on_site("http://b.a.example/x")
    assert not own.is_on_site("ftp://a.example/x")
    assert not own.is_on_site("http://a.example:port/x")


def test_a_port_that_a_plan_names_is_binding() -> None:
    own = scope(CrawlPlan(SiteId("s"), "r", ("http://127.0.0.1:8001/",), ()))
    assert own.is_on_site("http://127.0.0.1:8001/x")
    assert not own.is_on_site("http://127.0.0.1:8002/x")


def test_patterns_say_what_is_followed_kept_and_left_alone() -> None:
    own = scope(_plan(follow_patterns=(r"/list/",), page_patterns=(r"/\d+\.html$",), deny_patterns=(r"/draft/",)))
    assert own.follows("http://a.example/list/2")
    assert own.follows("http://a.example/7.html")
    assert not own.follows("http://a.example/about")
    assert not own.follows("http://a.example/draft/7.html")
    assert own.keeps("http://a.example/7.html")
    assert not own.keeps("http://a.example/list/2")


def test_every_pattern_that_is_none_is_named() -> None:
    with pytest.raises(BadConfiguration) as caught:
        scope(_plan(follow_patterns=("(",), deny_patterns=("[",)))
    assert len(caught.value.faults) == 2
    assert "'('" in str(caught.value)


def test_a_site_is_the_same_site_in_every_spelling_of_its_host() -> None:
    named = ("中文书城.com", "www.portal.cn.", "[2001:DB8:0::1]:8080", "2001:db8::2")
    own = scope(CrawlPlan(SiteId("s"), "r", ("http://ignored.example/",), named))
    inside = (
        "http://xn--fiq4ey41apjo.com/1",
        "https://www.xn--fiq4ey41apjo.com/1",
        "https://portal.cn/1",
        "http://[2001:db8::1]:8080/1",
        "http://[2001:db8::2]/1",
    )
    assert [url for url in inside if not own.is_on_site(url)] == []
    assert not own.is_on_site("http://[2001:db8::1]:8081/1")
    assert not own.is_on_site("http://evil-portal.cn/1")


def test_a_host_that_is_none_is_named() -> None:
    with pytest.raises(BadConfiguration, match=r"'a\.\.b' is not a host"):
        scope(CrawlPlan(SiteId("s"), "r", ("http://a.example/",), ("a..b",)))
