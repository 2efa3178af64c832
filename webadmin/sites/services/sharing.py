"""Finds sites of one rights holder that cover the same host; it is allowed, but each page then counts for both."""

from core.hosts import Host, parse_hosts
from core.wording import Message
from crawler.site_kinds import KINDS
from webadmin.sites.models import Site

MAX_START_URLS = 50  # of a site; lists of pages, which have thousands, cover no host


def shared_hosts(site: Site) -> list[Message]:
    """Return a message for each other site of the rights holder that covers a host of this one."""
    own = {spelling for host in crawled_hosts(site) for spelling in host.spellings()}
    others = Site.objects.filter(rights_holder=site.rights_holder_id).exclude(pk=site.pk)
    return [
        Message("watch.host-shared", hosts=shared, site=other.name, id=other.pk)
        for other in others.prefetch_related("domains").order_by("pk")
        if (shared := sorted({str(host) for host in crawled_hosts(other) if host.spellings() & own}))
    ]


def crawled_hosts(site: Site) -> list[Host]:
    """Return the hosts that a crawl of the site covers."""
    kind = KINDS[site.kind]
    return site_hosts(site) if kind.is_crawled and not kind.starts_are_pages else []


def site_hosts(site: Site) -> list[Host]:
    """Return the hosts of a site: its domains, or else those of its start URLs."""
    domains = [domain.host for domain in site.domains.all()]
    return list(parse_hosts(domains or site.start_urls.split()[:MAX_START_URLS]))
