"""The kinds of sites: the spider, the meaning of start URLs, the settings that the spider reads, and the wording.

Forms, command line and web interface are generated from these records. docs/recipes/kind-of-site.md explains how to add
a kind.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.wording import Message


@dataclass(frozen=True, slots=True)
class SiteKind:
    """A kind of site.

    spider: dotted path of its class, imported only for a crawl; "" if the kind is not crawled.
    settings: names of those settings, among SETTINGS, that affect the spider.
    starts_are_pages: the start URLs are all of the site's pages, and are entered as a list.
    has_chapters: its pages are chapters, which are read with the links between them.
    """

    name: str
    spider: str
    settings: frozenset[str] = frozenset()
    starts_are_pages: bool = False
    has_chapters: bool = False

    @property
    def label(self) -> Message:
        """The display name of the kind."""
        return Message(f"site-kind.{self.name}")

    @property
    def starts(self) -> Message:
        """The description of a line in the site's start URLs."""
        return Message(f"site-kind.{self.name}-starts")

    @property
    def is_crawled(self) -> bool:
        return bool(self.spider)

    def ignored_settings(self, settings: Mapping[str, object]) -> list[str]:
        """Return those of the given settings that the spider ignores.

        >>> KINDS["list"].ignored_settings({"max_depth": 3, "delay_s": 1.0})
        ['max_depth']
        """
        return [name for name in settings if name in SETTINGS and name not in self.settings]


_LINKS = frozenset({"follow_patterns"})
_CHAPTERS = frozenset({"next_page_selector", "chapter_list_selector"})
_DEPTH = frozenset({"max_depth", "use_sitemap"})
SETTINGS = _LINKS | _CHAPTERS | _DEPTH  # settings that some kinds read; every kind reads all other settings

_ALL = (
    SiteKind(
        name="generic",
        spider="crawler.spiders.generic.GenericSpider",
        settings=_LINKS | _CHAPTERS | _DEPTH,
    ),
    SiteKind(
        name="sitemap",
        spider="crawler.spiders.sitemap.SitemapSpider",
        settings=_LINKS,
    ),
    SiteKind(
        name="feed",
        spider="crawler.spiders.feed.FeedSpider",
        settings=_LINKS,
    ),
    SiteKind(
        name="novel",
        spider="crawler.spiders.novel.NovelSpider",
        settings=_LINKS | _CHAPTERS,
        has_chapters=True,
    ),
    SiteKind(
        name="list",
        spider="crawler.spiders.list.ListSpider",
        starts_are_pages=True,
    ),
    SiteKind(
        name="archive",
        spider="",
    ),
)
KINDS: Mapping[str, SiteKind] = MappingProxyType({kind.name: kind for kind in _ALL})
