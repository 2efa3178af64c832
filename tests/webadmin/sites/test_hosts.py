"""Hosts and patterns as people type them: stored in one spelling, found again in any, refused when they cannot work."""

import pytest
from django.core.exceptions import ValidationError
from django.utils import translation

from crawler.rule_checks import MAX_RULES
from crawler.urls import scope
from tests.support import admin_data as data
from tests.support.refusals import refused
from webadmin.sites.models import SiteDomain
from webadmin.sites.services.runs import crawl_plan
from webadmin.sites.services.watchlist import add_site, find_site
from webadmin.ui.pages.host_fields import clean_host, clean_urls, rule_errors

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("typed", ["", "two words", "me@portal.cn", "a..b", "a.cn:port", "-a.cn", "甲" * 300])
def test_a_form_refuses_what_is_no_host(typed: str) -> None:
    with pytest.raises(ValidationError, match="不是主机名"):
        clean_host(typed)


def test_start_urls_are_taken_with_hosts_of_every_kind() -> None:
    typed = "https://中文书城.com/\nhttp://[2001:db8::1]:8080/a"
    assert clean_urls(typed) == typed


@pytest.mark.parametrize("typed", ["javascript:alert(1)", "ftp://a.example/", "www.portal.cn/news", "中文"])
def test_a_start_url_of_another_scheme_is_named_as_it_was_typed(typed: str) -> None:
    with pytest.raises(ValidationError) as caught:
        clean_urls(f"https://portal.cn/\n{typed}")
    with translation.override("en"):
        assert caught.value.messages == [f"“{typed}” does not begin with http:// or https://."]
    with translation.override("zh-hans"):
        assert caught.value.messages == [f"“{typed}”必须以 http:// 或 https:// 开头。"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("https://www.portal.cn/", "https://portal.cn/news"),
        ("https://中文书城.com/", "https://xn--fiq4ey41apjo.com/news"),
        ("http://[2001:DB8:0::1]:8080/", "http://[2001:db8::1]:8080/news"),
    ],
)
def test_a_site_is_found_again_under_every_spelling_of_its_host(first: str, second: str) -> None:
    holder = data.holder()
    site = add_site(holder, first)
    assert add_site(holder, second) == site
    assert site.domains.count() == 1
    assert find_site(second) == find_site(first) == site


def test_a_domain_that_was_stored_in_another_spelling_is_still_the_sites() -> None:
    site = data.site(data.holder(), host="中文书城.com")
    SiteDomain.objects.create(site=site, host="www.portal.cn")
    assert find_site("http://www.xn--fiq4ey41apjo.com/") == find_site("portal.cn") == site
    own = scope(crawl_plan(site, data.run(site)))
    for url in ("http://xn--fiq4ey41apjo.com/1", "http://中文书城.com/1", "https://portal.cn/1"):
        assert own.is_on_site(url)
    assert not own.is_on_site("https://evil-portal.cn/1")


@pytest.mark.usefixtures("processes")
def test_patterns_that_would_hold_up_the_crawls_are_refused_where_they_are_typed() -> None:
    slow, none = "^(a|aa)+$", "("
    with translation.override("en"):
        [said] = rule_errors(["/\\d+\\.html$", slow, none])[slow].messages
        assert said == f"“{slow}” takes too long; avoid a repetition inside a repetition."
    endless = "p:not(p ~ p ~ p ~ p ~ p ~ p ~ p)"
    assert rule_errors([none], ["div.text > p", "h2 ~ p", endless, "div["]).keys() == {none, endless, "div["}
    assert rule_errors(selectors=["p ~ p ~ p"]).keys() == {"p ~ p ~ p"}
    assert len(rule_errors([f"/{number}/" for number in range(MAX_RULES + 1)])) == 1
    refused("takes too long", add_site, data.holder(), "https://a.example/", deny_patterns="^(a|aa)+$")
