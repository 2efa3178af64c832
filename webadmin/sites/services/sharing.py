"""Finds sites of one rights holder that cover the same host; it is allowed, but each page then counts for both."""

from collections.abc import Iterable

from core.hosts import Host, parse_hosts
from core.wording import Message
from crawler.site_kinds import KINDS
from webadmin.sites.models import Site

MAX_START_URLS = 50  # of a site; lists of pages, which have thousands, cover no host


def shared_hosts(site: Site) -> list[Message]:
    """Return a message for each other site of the rights holder that covers a host of this one."""
    own = _spellings(crawled_hosts(site))
    others = Site.objects.filter(rights_holder=site.rights_holder_id).exclude(pk=site.pk)
    return [
        Message("watch.host-shared", hosts=shared, site=other.name, id=other.pk)
        for other in others.prefetch_related("domains").order_by("pk")
        if (shared := sorted({str(host) for host in crawled_hosts(other) if host.spellings() & own}))
    ]


def crawled_hosts(site: Site) -> list[Host]:
    """Return the hosts that a crawl of the site covers: its domains, or else those of its start URLs."""
    if KINDS[site.kind].starts_are_pages or not KINDS[site.kind].is_crawled:
        return []
    entered = list(parse_hosts(domain.host for domain in site.domains.all()))
    return entered or list(parse_hosts(site.start_urls.splitlines()[:MAX_START_URLS]))


def _spellings(hosts: Iterable[Host]) -> set[str]:
    return {spelling for host in hosts for spelling in host.spellings()}
