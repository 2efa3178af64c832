"""Finds sites that probably have the same operator, by identifiers and HTML templates that their pages share.

Both are read from a few stored pages at the end of a crawl. docs/decisions/cases-and-verdicts.md explains the criteria.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import nsmallest

from django.db import transaction
from django.db.models import Q
from lxml.html import HtmlElement

from core.ids import VersionId
from core.ports import PageStore
from crawler.main_text.templates import skeleton, template
from crawler.opening import Rejected, open_page
from crawler.site_identifiers import identifiers, registrable
from webadmin.sites.models import Address, Site, SiteIdentifier, SiteTemplate
from webadmin.sites.services.watchlist import site_hosts

READ_EVERY = timedelta(days=7)
MAX_PAGES, MIN_PAGES = 6, 2  # pages read for a site; an identifier must be on half of them and on at least two
MAX_BODY_BYTES = 1_000_000
MAX_IDENTIFIERS = 30  # identifiers of a site; a page with more is a directory, not an imprint
MAX_SITES = 20  # sites with one identifier; an identifier on more sites belongs to a platform, a counter or a template
# Templates are compared by the smallest hashes of their entries. With 128 hashes, an estimate of 0.9 errs by 0.03.
SKETCH, MIN_ENTRIES, MIN_AGREEMENT, MAX_ALIKE = 128, 20, 0.9, 5
MAX_COMPARED = 2_000


@dataclass(frozen=True, slots=True)
class Shared:
    """An identifier that a site shares with other sites. own, others: the rows of the site and of the others."""

    own: SiteIdentifier
    others: tuple[SiteIdentifier, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """The features that a site shares with other sites of the rights holder.

    shared: the identifiers. alike: the sites with a similar template, each with the similarity.
    """

    shared: tuple[Shared, ...] = ()
    alike: tuple[tuple[Site, float], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.shared or self.alike)


def read_site(site: Site, pages: PageStore, now: datetime) -> bool:
    """Read and store the identifiers and the template of a site. Returns whether they were read.

    They are not read again within READ_EVERY, or if the site has fewer than MIN_PAGES stored pages.
    """
    if SiteTemplate.objects.filter(site=site, read_at__gt=now - READ_EVERY).exists():
        return False
    trees = _page_trees(site, pages)
    if len(trees) < MIN_PAGES:
        return False
    with transaction.atomic():
        kept = [_store_identifier(site, found, url, now) for found, url in _common_identifiers(trees).items()]
        SiteIdentifier.objects.filter(site=site).exclude(pk__in=kept).delete()
        entries = template([skeleton(tree) for _, tree in trees])
        values = {"sketch": _template_sketch(entries) if len(entries) >= MIN_ENTRIES else [], "read_at": now}
        SiteTemplate.objects.update_or_create(site=site, defaults=values)
    return True


def site_family(site: Site) -> Family:
    """Return the evidence that the site has the same operator as other sites of the rights holder."""
    return Family(_shared_identifiers(site), _similar_sites(site))


def _page_trees(site: Site, pages: PageStore) -> list[tuple[str, HtmlElement]]:
    """Return the URLs and HTML trees of at most MAX_PAGES pages of the site, in their last stored version."""
    found: list[tuple[str, HtmlElement]] = []
    rows = Address.objects.filter(site=site, gone_since=None).exclude(version_id="").order_by("-due_at", "pk")
    for row in rows[: 2 * MAX_PAGES]:
        version = pages.version(VersionId(row.version_id))
        body = pages.raw(version.raw_digest) if version is not None else None
        if version is None or not body or len(body) > MAX_BODY_BYTES:
            continue
        page = open_page(body, dict(version.headers), version.final_url)
        if not isinstance(page, Rejected) and page.tree is not None:
            found.append((row.url, page.tree))
        if len(found) == MAX_PAGES:
            break
    return found


def _common_identifiers(trees: Sequence[tuple[str, HtmlElement]]) -> dict[tuple[str, str], str]:
    """Return the identifiers on at least half of the pages and on MIN_PAGES, with the URL of the first such page."""
    counts: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], str] = {}
    for url, tree in trees:
        for found in identifiers(tree):
            counts[found] += 1
            first.setdefault(found, url)
    least = max(MIN_PAGES, (len(trees) + 1) // 2)
    kept = [found for found, count in counts.most_common() if count >= least][:MAX_IDENTIFIERS]
    return {found: first[found] for found in kept}


def _store_identifier(site: Site, found: tuple[str, str], url: str, now: datetime) -> int:
    values = {"page_url": url, "read_at": now}
    row, _ = SiteIdentifier.objects.update_or_create(
        site=site, kind=found[0], value=found[1], defaults=values, create_defaults={**values, "first_read_at": now}
    )
    return row.pk


def _shared_identifiers(site: Site) -> tuple[Shared, ...]:
    own = list(SiteIdentifier.objects.filter(site=site).order_by("kind", "value"))
    if not own:
        return ()
    wanted = Q()
    for each in own:
        wanted |= Q(kind=each.kind, value=each.value)
    rows = SiteIdentifier.objects.filter(wanted, site__rights_holder=site.rights_holder_id).exclude(site=site)
    by_value: dict[tuple[str, str], list[SiteIdentifier]] = defaultdict(list)
    most = MAX_SITES * len(own) * 5
    for row in rows.select_related("site").prefetch_related("site__domains").order_by("site__name", "pk")[:most]:
        by_value[row.kind, row.value].append(row)
    names = _registrable_domains(site)
    found = []
    for each in own:
        carriers = by_value[each.kind, each.value]
        others = tuple(row for row in carriers if not names & _registrable_domains(row.site))
        if others and len(carriers) < MAX_SITES:
            found.append(Shared(each, others))
    return tuple(found)


def _registrable_domains(site: Site) -> set[str]:
    """Return the registrable domains of a site. Sites on the same domain may share identifiers of its platform."""
    return {registrable(host.name) for host in site_hosts(site)}


def _similar_sites(site: Site) -> tuple[tuple[Site, float], ...]:
    own = SiteTemplate.objects.filter(site=site).first()
    if own is None or not own.sketch:
        return ()
    rows = SiteTemplate.objects.filter(site__rights_holder=site.rights_holder_id).exclude(site=site)
    found = []
    for row in rows.exclude(sketch=[]).order_by("-read_at").values_list("site", "sketch")[:MAX_COMPARED]:
        share = _estimate_similarity(own.sketch, row[1])
        if share >= MIN_AGREEMENT:
            found.append((share, row[0]))
    if len(found) > MAX_ALIKE:  # A template that many sites use is a standard product.
        return ()
    names = _registrable_domains(site)
    sites = Site.objects.prefetch_related("domains").in_bulk([pk for _, pk in found])
    ordered = sorted(found, key=lambda each: (-each[0], each[1]))
    return tuple((sites[pk], share) for share, pk in ordered if not names & _registrable_domains(sites[pk]))


def _template_sketch(entries: frozenset[str]) -> list[int]:
    hashes = (int.from_bytes(hashlib.sha256(each.encode()).digest()[:6], "big") for each in entries)
    return nsmallest(SKETCH, hashes)


def _estimate_similarity(one: Sequence[int], other: Sequence[int]) -> float:
    """Return an estimate of the Jaccard similarity of two sets from their sketches, the smallest hashes of each."""
    first, second = set(one), set(other)
    smallest = nsmallest(SKETCH, first | second)
    return sum(each in first and each in second for each in smallest) / len(smallest)
