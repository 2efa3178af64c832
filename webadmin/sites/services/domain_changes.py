"""Proposes moves of sites to other hosts, and carries them out when a user accepts them.

See docs/decisions/crawling.md.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from core.errors import BadInput
from core.hosts import host_key, parse_host, parse_hosts
from core.ids import PageId, SiteId
from core.ports import PageStore
from core.shares import cut_share, format_percentage
from core.visits import AddressKind, address_id
from core.wording import Message
from crawler.main_text.templates import agreement, skeleton, template
from crawler.opening import Rejected, open_page
from crawler.urls import canonical
from webadmin.accounts.models import User
from webadmin.sites.models import Address, OffSiteRedirect, Site, SiteDomain, SiteMove
from webadmin.sites.services.runs import field_lines
from webadmin.sites.services.visit_repository import url_host
from webadmin.works.models import Licence, OwnDomain

# Chosen (November 2026): a single page that redirects is an advertisement; three pages that keep their path are a move.
MIN_PAGES_LED = 3
# Two sites that copy the same novel have the same texts, but only a moved site has the same paths and template.
MIN_SHARED_TEXTS, MIN_SHARE = 3, 0.5
MIN_TEMPLATE = 0.8
MIN_RESEMBLANCE = 0.8  # similarity of two texts at the same path, which differ in their advertisements
MAX_PAIRS, MAX_TEMPLATE_PAGES, MAX_EXAMPLES = 40, 5, 5
_SHINGLE_CHARS = 8


class MoveRefused(BadInput):
    """The error if a move cannot be accepted or refused."""


@dataclass(frozen=True, slots=True)
class MoveEvidence:
    """The evidence for a move of a site from one host to another."""

    start_pages_led: int = 0  # start pages that redirect to the new host
    pages_led: int = 0  # known pages that redirect to the new host
    same_place: int = 0  # known pages that redirect to the same path there
    known_pages: int = 0  # pages with a text on the old host
    shared_texts: int = 0  # identical texts on both hosts
    compared: int = 0  # pages at the same path on both hosts whose texts were compared
    alike: int = 0  # compared pages with similar texts
    template: float | None = None  # the similarity of the pages' HTML structures in [0, 1], or None without pages
    examples: tuple[tuple[str, str], ...] = ()

    @property
    def is_enough(self) -> bool:
        """True if the move should be proposed to the users."""
        is_led = self.start_pages_led > 0 or self.same_place >= MIN_PAGES_LED
        texts = max(self.shared_texts, self.alike)
        has_texts = texts >= MIN_SHARED_TEXTS and texts >= MIN_SHARE * min(self.known_pages, MAX_PAIRS)
        has_place = self.alike >= MIN_SHARE * max(1, self.compared) and self.compared >= MIN_SHARED_TEXTS
        return is_led or (has_texts and has_place and (self.template or 0.0) >= MIN_TEMPLATE)


def describe_evidence(evidence: Mapping[str, Any]) -> list[Message]:
    """Return sentences that describe the evidence stored in a SiteMove."""
    said = []
    if count := evidence.get("start_pages_led"):
        said.append(Message("tracking.start-pages-led", count=count))
    if count := evidence.get("pages_led"):
        said.append(Message("tracking.pages-led", count=count, same=evidence.get("same_place", 0)))
    if count := evidence.get("shared_texts"):
        said.append(Message("tracking.shared-texts", count=count, known=evidence.get("known_pages", 0)))
    if compared := evidence.get("compared"):
        said.append(Message("tracking.alike", alike=evidence.get("alike", 0), compared=compared))
    if (share := evidence.get("template")) is not None:
        said.append(Message("tracking.template", share=format_percentage(share)))
    return said


def propose_moves(site: Site, pages: PageStore, now: datetime) -> list[SiteMove]:
    """Record the possible moves of a site that have enough evidence, and return the new ones.

    The evidence of an undecided move is updated. A decided move is unchanged.
    """
    new = []
    for from_host, to_host, other in sorted(_candidate_moves(site), key=lambda each: each[:2]):
        known = SiteMove.objects.filter(site=site, from_host=from_host, to_host=to_host).first()
        if (known is not None and known.state != SiteMove.State.PROPOSED) or _authorization_reason(site, to_host):
            continue
        evidence = _collect_evidence(site, from_host, to_host, other, pages)
        if not evidence.is_enough:
            continue
        move, is_new = SiteMove.objects.update_or_create(
            site=site,
            from_host=from_host,
            to_host=to_host,
            defaults={"evidence": asdict(evidence), "other": other},
            create_defaults={"evidence": asdict(evidence), "other": other, "proposed_at": now},
        )
        new += [move] if is_new else []
    return new


def refuse_move(move: SiteMove, user: User | None, now: datetime | None = None) -> None:
    """Refuse a move, so that it is not proposed again. Raises MoveRefused if it was already decided."""
    _decide_move(move, SiteMove.State.REFUSED, user, now)


def accept_move(move: SiteMove, user: User | None, now: datetime | None = None) -> None:
    """Accept a move: add the new host to the site, and move its visits and start pages there.

    Pages keep their identity and history under their old URL. If the new host was watched as another site, that site is
    no longer crawled, but its pages and cases remain. Raises MoveRefused if the host belongs to the rights holder or is
    licensed, or if the move was already decided.
    """
    with transaction.atomic():
        move = SiteMove.objects.select_for_update().select_related("site").get(pk=move.pk)
        if reason := _authorization_reason(move.site, move.to_host):
            raise MoveRefused(reason)
        _decide_move(move, SiteMove.State.ACCEPTED, user, now)
        site = Site.objects.select_for_update().get(pk=move.site_id)
        scheme = _new_host_scheme(move)
        site.start_urls = "\n".join(dict.fromkeys(_move_url(url, move, scheme) for url in field_lines(site.start_urls)))
        site.save(update_fields=["start_urls"])
        for host in (move.from_host, move.to_host):
            if not site.domains.filter(host__in=parse_host(host).spellings()).exists():
                SiteDomain.objects.create(site=site, host=host)
        _move_addresses(move, scheme, now or timezone.now())
        others = Site.objects.filter(rights_holder=site.rights_holder, is_active=True).exclude(pk=site.pk)
        others.filter(domains__host__in=parse_host(move.to_host).spellings()).update(is_active=False)


def _candidate_moves(site: Site) -> set[tuple[str, str, Site | None]]:
    """Return the old host, the new host, and the watched site with the new host or None, for each possible move."""
    own = {spelling for domain in site.domains.all() for spelling in parse_host(domain.host).spellings()}
    found: set[tuple[str, str, Site | None]] = set()
    for redirect in OffSiteRedirect.objects.filter(site=site).values("from_host", "to_host").distinct():
        if redirect["to_host"] and redirect["to_host"] not in own:
            other = _existing_site(site, redirect["to_host"])
            found.add((redirect["from_host"], redirect["to_host"], other))
    from_host = _main_host(site)
    texts = Address.objects.filter(site=site).exclude(text_digest="").values("text_digest")
    sharing = Address.objects.filter(
        site__rights_holder=site.rights_holder, site__added_at__gt=site.added_at, text_digest__in=texts
    ).exclude(site=site)
    for row in sharing.values("site").annotate(texts=Count("text_digest", distinct=True)):
        if row["texts"] >= MIN_SHARED_TEXTS:
            other = Site.objects.get(pk=row["site"])
            to_host = _main_host(other)
            if from_host and to_host and to_host not in own:
                found.add((from_host, to_host, other))
    return found


def _collect_evidence(site: Site, from_host: str, to_host: str, other: Site | None, pages: PageStore) -> MoveEvidence:
    led = list(OffSiteRedirect.objects.filter(site=site, from_host=from_host, to_host=to_host).order_by("pk"))
    ours = _pages_by_path(site, from_host)
    theirs = _pages_by_path(other, to_host) if other is not None else {}
    pairs = [(ours[place], theirs[place]) for place in sorted(ours.keys() & theirs.keys())][:MAX_PAIRS]
    our_texts = {address.text_digest for address in ours.values()} - {""}
    their_texts = {address.text_digest for address in theirs.values()} - {""}
    examples = [(row.from_url, row.to_url) for row in led] + [(old.url, new.url) for old, new in pairs]
    return MoveEvidence(
        start_pages_led=sum(row.is_start for row in led),
        pages_led=sum(not row.is_start for row in led),
        same_place=sum(
            not row.is_start and _path_and_query(row.from_url) == _path_and_query(row.to_url) for row in led
        ),
        known_pages=len(ours),
        shared_texts=len(our_texts & their_texts),
        compared=len(pairs),
        alike=sum(_are_alike(old, new, pages) for old, new in pairs),
        template=_template_agreement(list(ours.values()), list(theirs.values()), pages) if theirs else None,
        examples=tuple(examples[:MAX_EXAMPLES]),
    )


def _pages_by_path(site: Site, host: str) -> dict[str, Address]:
    """Return the URLs on a host at which the site has pages with a text, by path and query."""
    rows = Address.objects.filter(site=site, kind=AddressKind.DETAIL.value).exclude(page_id="").order_by("pk")
    return {_path_and_query(row.url): row for row in rows if url_host(row.url) == host}


def _are_alike(old: Address, new: Address, pages: PageStore) -> bool:
    if old.text_digest and old.text_digest == new.text_digest:
        return True
    first, second = _shingles(_page_text(old, pages)), _shingles(_page_text(new, pages))
    return bool(first and second) and len(first & second) >= MIN_RESEMBLANCE * min(len(first), len(second))


def _page_text(address: Address, pages: PageStore) -> str:
    versions = pages.versions(PageId(address.page_id))
    return next((each.reading.text for each in versions if each.id == address.version_id), "")


def _shingles(text: str) -> frozenset[str]:
    bare = "".join(text.split())
    return frozenset(bare[at : at + _SHINGLE_CHARS] for at in range(len(bare) - _SHINGLE_CHARS + 1))


def _template_agreement(ours: list[Address], theirs: list[Address], pages: PageStore) -> float | None:
    one, other = (
        template([found for each in addresses[:MAX_TEMPLATE_PAGES] if (found := _page_skeleton(each, pages))])
        for addresses in (ours, theirs)
    )
    return cut_share(agreement(one, other)) if one and other else None


def _page_skeleton(address: Address, pages: PageStore) -> frozenset[str]:
    versions = pages.versions(PageId(address.page_id))
    if not versions:
        return frozenset()
    version = versions[-1]
    page = open_page(pages.raw(version.raw_digest) or b"", dict(version.headers), version.final_url)
    return frozenset() if isinstance(page, Rejected) or page.tree is None else skeleton(page.tree)


def _authorization_reason(site: Site, host: str) -> Message | None:
    """Return a message if the host is the rights holder's own or is licensed, or None if it is neither."""
    name, port = host_key(f"http://{host}/")
    holder = site.rights_holder
    for domain in OwnDomain.objects.filter(rights_holder=holder).values_list("domain", flat=True):
        if any(each.holds(name, port) for each in parse_hosts([domain])):
            return Message("watch.own-domain", host=host, holder=holder.name, domain=domain)
    for licence in Licence.objects.filter(rights_holder=holder, address=""):  # for a whole domain, not for a page
        if any(each.holds(name, port) for each in parse_hosts([licence.domain])):
            return Message("watch.licensed", host=host, licence=f"{licence.licensee} {licence.number}".strip())
    return None


def _decide_move(move: SiteMove, state: str, user: User | None, now: datetime | None) -> None:
    decided = {"state": state, "decided_by": user, "decided_at": now or timezone.now()}
    waiting = SiteMove.objects.filter(pk=move.pk, state=SiteMove.State.PROPOSED)
    if not waiting.update(**decided):
        move.refresh_from_db()
        raise MoveRefused(
            "watch.move-accepted" if move.state == SiteMove.State.ACCEPTED else "watch.move-refused",
            number=move.pk,
            move=move,
        )
    move.refresh_from_db()


def _move_addresses(move: SiteMove, scheme: str, now: datetime) -> None:
    """Move the URLs on the old host to the new host, where they are due immediately.

    If the new URL is already known, the old URL is deleted, and its page is linked to the new one.
    """
    site = SiteId(str(move.site_id))
    for old in Address.objects.filter(site_id=move.site_id).order_by("pk"):
        if url_host(old.url) != move.from_host:
            continue
        url = _move_url(old.url, move, scheme)
        key = address_id(site, canonical(url))
        history = {"page_id": old.page_id, "page_url": old.page_url, "version_id": old.version_id, "is_moved": True}
        found = Address.objects.filter(pk=key)
        if found.exists():
            found.filter(page_id="").update(**history)
        else:
            started: Mapping[str, Any] = {
                "due_at": now,
                "etag": "",
                "last_modified": "",
                "unmodified": 0,
                "failures": 0,
                "failed_at": None,
                "reason": "",
                "sentence": None,
                "absent_since": None,
            }
            kept = {field.attname: getattr(old, field.attname) for field in Address._meta.concrete_fields}
            Address.objects.create(**{**kept, "id": key, "url": url, **history, **started})
        Address.objects.filter(pk=old.pk).delete()


def _move_url(url: str, move: SiteMove, scheme: str) -> str:
    if url_host(url) not in parse_host(move.from_host).spellings():
        return url
    parts = urlsplit(url)
    return urlunsplit((scheme, str(parse_host(move.to_host)), parts.path or "/", parts.query, ""))


def _new_host_scheme(move: SiteMove) -> str:
    """Return the scheme of the example URLs on the new host, or "https" if there are none."""
    known = [new for _, new in move.evidence.get("examples", [])]
    return next((urlsplit(url).scheme for url in known if url_host(url) == move.to_host), "https")


def _existing_site(site: Site, host: str) -> Site | None:
    spellings = parse_host(host).spellings()
    others = Site.objects.filter(rights_holder=site.rights_holder, domains__host__in=spellings).exclude(pk=site.pk)
    return others.order_by("pk").first()


def _main_host(site: Site) -> str:
    """Return the host on which the site has the most pages with a text, or "" if it has none."""
    urls = Address.objects.filter(site=site).exclude(text_digest="").values_list("url", flat=True)
    hosts = Counter(filter(None, map(url_host, urls)))
    return min(hosts, key=lambda host: (-hosts[host], host)) if hosts else ""


def _path_and_query(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path or '/'}?{parts.query}"
