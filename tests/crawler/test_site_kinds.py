"""The records of the kinds of sites: each names a spider that is there and settings that a site has."""

from dataclasses import fields

import pytest
from scrapy.utils.misc import load_object

from core.pages import CrawlPlan
from core.wording import has_words
from crawler.site_kinds import KINDS, SETTINGS, SiteKind
from crawler.spiders.generic import GenericSpider

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
