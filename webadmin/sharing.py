"""How many processes crawl a site, and what a site of that kind gains from several."""

from django.conf import settings
from django.utils.translation import gettext_noop

from core.settings import CrawlSettings
from webadmin.models import Site

ALONE = gettext_noop("One process crawls each site; ZHUIWEN_CRAWL_SHARED=1 lets several do it.")
_SHARED = {
    Site.Kind.NOVEL: gettext_noop(
        "A chapter is read by one process with all its parts, different chapters by several."
    ),
    Site.Kind.FEED: gettext_noop(
        "Pages whose text the feed carries are fetched by the process that read the feed; one such feed gains nothing"
        " from several."
    ),
}
_EACH_PAGE = gettext_noop("Each page is fetched by one of the processes, whoever is free.")


def processes(crawl: CrawlSettings | None = None) -> int:
    """How many crawl one site, without those on other machines that help."""
    crawl = crawl or settings.ZHUIWEN.crawl
    return crawl.processes if crawl.is_shared else 1


def what_is_shared(kind: str, crawl: CrawlSettings | None = None) -> str:
    """One sentence, to be translated, on what several processes do at a site of this kind; "" where none crawls it."""
    if kind == Site.Kind.ARCHIVE:
        return ""
    if processes(crawl) == 1:
        return ALONE
    return _SHARED.get(Site.Kind(kind), _EACH_PAGE)
