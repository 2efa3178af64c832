"""Which spider walks which kind of site."""

from core.pages import SpiderKind
from crawler.spiders.feed import FeedSpider
from crawler.spiders.generic import GenericSpider
from crawler.spiders.list import ListSpider
from crawler.spiders.novel import NovelSpider
from crawler.spiders.sitemap import SitemapSpider

SPIDERS: dict[SpiderKind, type[GenericSpider]] = {
    SpiderKind.GENERIC: GenericSpider,
    SpiderKind.SITEMAP: SitemapSpider,
    SpiderKind.FEED: FeedSpider,
    SpiderKind.NOVEL: NovelSpider,
    SpiderKind.LIST: ListSpider,
}
