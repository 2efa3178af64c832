"""The kinds of sites: what walks each, what its start addresses are, which of a site's settings it reads, its words.

Form, command line and desk are made from these records; docs/recipes/kind-of-site.md says how to add one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.wording import Message


@dataclass(frozen=True, slots=True)
class SiteKind:
    """One kind.

    spider: dotted path of its class, loaded for a crawl alone; "" if nothing is crawled.
    settings: names of those fields of a site, among SETTINGS, that say something to the spider.
    starts_are_pages: the start addresses are the site's pages, all of them; they come as a list, not one by one.
    has_chapters: its pages are chapters, read with the links between them.
    """

    name: str
    spider: str
    settings: frozenset[str] = frozenset()
    starts_are_pages: bool = False
    has_chapters: bool = False

    @property
    def label(self) -> Message:
        """Return the kind's name for people."""
        return Message(f"site-kind.{self.name}")

    @property
    def starts(self) -> Message:
        """Return what a line of the site's start addresses is."""
        return Message(f"site-kind.{self.name}-starts")

    @property
    def is_crawled(self) -> bool:
        return bool(self.spider)

    def ignored_settings(self, settings: Mapping[str, object]) -> list[str]:
        """Return those of some settings that the spider ignores.

        >>> KINDS["list"].ignored_settings({"max_depth": 3, "delay_s": 1.0})
        ['max_depth']
        """
        return [name for name in settings if name in SETTINGS and name not in self.settings]


_LINKS = frozenset({"follow_patterns"})
_CHAPTERS = frozenset({"next_page_selector", "chapter_list_selector"})
_DEPTH = frozenset({"max_depth", "use_sitemap"})
SETTINGS = _LINKS | _CHAPTERS | _DEPTH  # that only some kinds read; every kind that is crawled reads all others

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
