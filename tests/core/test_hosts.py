"""One spelling for every host, and what follows from it for rights: nobody is accused of publishing what is allowed."""

from datetime import date

import pytest

from core.chapters import Chapters
from core.hosts import parse_host
from core.rights import Permission, PlatformAccount, is_on_domain, rule
from core.states import Rejection


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("https://www.portal.cn/", "www.portal.cn"),
        (" Portal.CN. ", "portal.cn"),
        ("https://portal.cn:443/a", "portal.cn"),
        ("https://portal.cn:80/a", "portal.cn:80"),
        ("portal.cn:8080", "portal.cn:8080"),
        ("中文书城.com", "xn--fiq4ey41apjo.com"),
        ("http://中文书城。com/书", "xn--fiq4ey41apjo.com"),
        ("XN--FIQ4EY41APJO.com", "xn--fiq4ey41apjo.com"),
        ("[2001:DB8:0:0::1]:8080", "[2001:db8::1]:8080"),
        ("2001:db8::1", "[2001:db8::1]"),
        ("http://[2001:db8::1]/", "[2001:db8::1]"),
    ],
)
def test_a_host_has_one_spelling(typed: str, expected: str) -> None:
    assert str(parse_host(typed)) == expected
    assert str(parse_host(expected)) == expected


@pytest.mark.parametrize("typed", ["", "http://", "a..b", "a.example:port", "a.example:0", "字" * 3000])
def test_what_names_no_host_is_refused(typed: str) -> None:
    with pytest.raises(ValueError):
        parse_host(typed)


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://portal.cn/1", "https://www.portal.cn/"),
        ("https://m.portal.cn/1", "https://www.portal.cn/"),
        ("https://www.portal.cn/1", "portal.cn"),
        ("https://PORTAL.cn./1", "portal.cn"),
        ("http://xn--fiq4ey41apjo.com/1", "中文书城.com"),
        ("http://m.xn--fiq4ey41apjo.com/1", "中文书城.com"),
        ("http://中文书城.com/1", "xn--fiq4ey41apjo.com"),
        ("http://[2001:db8::1]:8080/1", "[2001:db8::1]:8080"),
        ("http://[2001:DB8:0::1]/1", "2001:db8::1"),
        ("https://portal.cn/1", "portal.cn:443"),
        ("https://portal.cn:8443/1", "portal.cn"),
        ("http://www.net.cn/1", "www.net.cn"),
    ],
)
def test_a_page_is_within_a_domain_however_both_are_written(url: str, domain: str) -> None:
    assert is_on_domain(url, domain)


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://evil-own.cn/1", "own.cn"),
        ("https://own.cn.evil.com/1", "own.cn"),
        ("https://own.cn/1", "m.own.cn"),
        ("https://own.cn@evil.com/1", "own.cn"),
        ("http://portal.cn/1", "portal.cn:443"),
        ("http://127.0.0.1:81/", "127.0.0.1:80"),
        ("http://[2001:db8::1]:8081/1", "[2001:db8::1]:8080"),
        ("http://pirate.net.cn/1", "www.net.cn"),
        ("http://pirate.cn/1", "www.cn"),
        ("https://own.cn/1", ""),
        ("https://own.cn/1", "a..b"),
        ("http://[bad/", "own.cn"),
    ],
)
def test_a_page_elsewhere_is_not(url: str, domain: str) -> None:
    assert not is_on_domain(url, domain)


def test_an_own_site_and_a_licence_typed_with_www_cover_the_bare_and_the_mobile_host() -> None:
    licence = Permission("https://www.portal.cn/", date(2026, 1, 1), None, "门户，合同 1")
    for url in ("https://portal.cn/1", "https://m.portal.cn/1"):
        assert rule(url, date(2026, 5, 1), ["www.portal.cn"], []).rejection is Rejection.OWN_SITE
        assert rule(url, date(2026, 5, 1), [], [licence]).detail == "门户，合同 1"


class TestLicencesForOnePage:
    @pytest.mark.parametrize(
        ("address", "url"),
        [
            ("https://shu.cn/book/1", "http://www.shu.cn/book/1"),
            ("http://www.shu.cn/book/1/", "https://shu.cn/book/1"),
            ("https://shu.cn/book/1", "https://shu.cn/book/1/2.html"),
            ("https://shu.cn/book/1", "https://shu.cn/book/1/2.html?page=3"),
            ("https://shu.cn/%E4%B9%A6/1", "https://shu.cn/书/1"),
            ("https://shu.cn/read?bid=1&cid=2", "https://shu.cn/read?cid=2&bid=1"),
            ("https://shu.cn/?7", "https://shu.cn/?7"),
            ("https://shu.cn/#/read/1", "https://shu.cn/#/read/1"),
            ("https://m.shu.cn/1", "https://m.shu.cn/1"),
        ],
    )
    def test_it_covers_that_page_and_those_below(self, address: str, url: str) -> None:
        assert Permission("shu.cn", date(2026, 1, 1), None, "", address=address).covers(url)

    @pytest.mark.parametrize(
        ("address", "url"),
        [
            ("https://shu.cn/book/1", "https://shu.cn/book/12"),
            ("https://shu.cn/book/1", "https://shu.cn/book/2"),
            ("https://shu.cn/book/1", "https://shu.cn/book"),
            ("https://shu.cn/book/1", "https://shu.cn/book/1/../2"),
            ("https://shu.cn/book/1", "https://shu.cn/book/1/%2e%2e/2"),
            ("https://shu.cn/book/1", "https://m.shu.cn/book/1"),
            ("https://shu.cn/read", "https://shu.cn/read?id=2"),
            ("https://shu.cn/read?id=1", "https://shu.cn/read?id=2"),
            ("https://shu.cn/read?id=1", "https://shu.cn/read?id=1&cid=2"),
            ("https://shu.cn/read?id=1", "https://shu.cn/read"),
            ("https://shu.cn/?7", "https://shu.cn/?8"),
            ("https://shu.cn/#/read/1", "https://shu.cn/#/read/2"),
            ("https://shu.cn/#/read/1", "https://shu.cn/read/1"),
            ("https://else.cn/book/1", "https://else.cn/book/1"),
            ("https://shu.cn/book/1", "https://else.cn/book/1"),
        ],
    )
    def test_it_covers_no_other(self, address: str, url: str) -> None:
        assert not Permission("shu.cn", date(2026, 1, 1), None, "", address=address).covers(url)

    def test_it_hides_no_wider_one(self) -> None:
        since, address = date(2026, 1, 1), "https://shu.cn/book/1"
        page, site = Permission("shu.cn", since, None, "页", address=address), Permission("shu.cn", since, None, "站")
        part = Permission("shu.cn", since, None, "章", chapters=Chapters.parse("1"), address=address)
        for permissions in ([page, site], [site, page], [part, site]):
            assert rule("https://shu.cn/book/2", since, [], permissions).detail == "站"
        assert rule("https://shu.cn/book/1", since, [], [part, site], [{2}]).detail == "站"
        assert rule("https://shu.cn/book/2", since, [], [page]).rejection is None
        assert rule("https://shu.cn/book/2", since, [], [part], [{2}]).permission is None


def test_a_licence_counts_on_its_first_and_its_last_day_and_on_no_other() -> None:
    licence = Permission("portal.cn", date(2026, 1, 2), date(2026, 1, 4), "门户")
    allowed = [day for day in range(1, 7) if rule("https://portal.cn/1", date(2026, 1, day), [], [licence]).rejection]
    assert allowed == [2, 3, 4]


def test_of_licences_for_some_chapters_the_first_says_what_is_outside() -> None:
    first, second = (
        Permission("portal.cn", date(2026, 1, 1), None, label, chapters=Chapters.parse(chapters))
        for label, chapters in (("甲", "1-2"), ("乙", "1-5"))
    )
    ruling = rule("https://portal.cn/1", date(2026, 5, 1), [], [first, second], [{2}, {6}])
    assert (ruling.rejection, ruling.permission, ruling.outside) == (None, first, (6,))
    assert rule("https://portal.cn/1", date(2026, 5, 1), [], [first]).rejection is None, "what it copied is not known"


class TestAccounts:
    @pytest.mark.parametrize("author", ["某某", "＠某某", "@ 某某", "某 某"])
    def test_its_name_is_known_however_it_is_written(self, author: str) -> None:
        assert PlatformAccount(host="zhihu.com", name="@某某").has_posted("https://www.zhihu.com/p/1", author)
        assert PlatformAccount(host="zhihu.com", name="ＬｉｎＱｉ").has_posted("https://zhihu.com/p/1", "linqi")

    def test_the_same_name_on_another_host_is_somebody_else(self) -> None:
        assert not PlatformAccount(host="zhihu.com", name="某某").has_posted("https://pirate.cn/p/1", "某某")

    def test_a_page_that_names_nobody_is_nobodys(self) -> None:
        assert not PlatformAccount(host="zhihu.com").has_posted("https://zhihu.com/p/1", "")
        assert not PlatformAccount(host="zhihu.com", name="某某").has_posted("https://zhihu.com/p/1", "")
