"""The kinds of sites: what walks each, what its start addresses are, which of a site's settings it reads, its words.

Form, command line and desk are made from these records; docs/recipes/kind-of-site.md says how to add one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from core.words import Words


@dataclass(frozen=True, slots=True)
class SiteKind:
    """One kind.

    spider: dotted path of its class, loaded for a crawl alone; "" where nothing is crawled.
    starts: what a line of the site's start addresses is.
    settings: names of those fields of a site, among SETTINGS, that say something to the spider.
    starts_are_pages: the start addresses are the site's pages, all of them; they come as a list, not one by one.
    has_chapters: its pages are chapters, read with the links between them.
    """

    name: str
    spider: str
    label: Words
    starts: Words
    settings: frozenset[str] = frozenset()
    starts_are_pages: bool = False
    has_chapters: bool = False

    @property
    def is_crawled(self) -> bool:
        return bool(self.spider)

    def ignored_settings(self, settings: Mapping[str, object]) -> list[str]:
        """Those of some settings that say nothing to the spider.

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
        label=Words("website (links are followed)", "网站（跟随链接）"),
        starts=Words("pages to begin at", "从哪些页面开始"),
        settings=_LINKS | _CHAPTERS | _DEPTH,
    ),
    SiteKind(
        name="sitemap",
        spider="crawler.spiders.sitemap.SitemapSpider",
        label=Words("sitemap", "站点地图"),
        starts=Words("sitemaps, or the front page of a site that has some", "站点地图本身，或有站点地图的网站首页"),
        settings=_LINKS,
    ),
    SiteKind(
        name="feed",
        spider="crawler.spiders.feed.FeedSpider",
        label=Words("RSS or Atom feed", "RSS 或 Atom 订阅源"),
        starts=Words("RSS or Atom feeds, or pages that name them", "RSS 或 Atom，或列出它们的页面"),
        settings=_LINKS,
    ),
    SiteKind(
        name="novel",
        spider="crawler.spiders.novel.NovelSpider",
        label=Words("novel (catalogue and chapters)", "小说（目录与章节）"),
        starts=Words("catalogues of chapters", "章节目录页"),
        settings=_LINKS | _CHAPTERS,
        has_chapters=True,
    ),
    SiteKind(
        name="list",
        spider="crawler.spiders.list.ListSpider",
        label=Words("list of pages", "页面列表"),
        starts=Words("the pages themselves; what follows # is a comment", "就是这些页面，# 之后为注释"),
        starts_are_pages=True,
    ),
    SiteKind(
        name="archive",
        spider="",
        label=Words("archive files (nothing is crawled)", "存档文件（不抓取）"),
        starts=Words("none", "不填"),
    ),
)
KINDS: Mapping[str, SiteKind] = MappingProxyType({kind.name: kind for kind in _ALL})
