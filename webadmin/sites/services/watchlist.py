"""Adds sites to the watchlist of a rights holder, and finds sites and their hosts."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import SplitResult, urlsplit, urlunsplit

from django.core.exceptions import ValidationError
from django.db import transaction

from core.errors import BadInput, NotFound, UnsafeUrl
from core.hosts import DEFAULT_PORTS, Host, parse_host, parse_hosts
from core.wording import Message
from crawler.characters.decoding import resolve_codec
from crawler.rule_checks import rule_faults
from crawler.site_kinds import KINDS
from crawler.sources.url_list import BadLine, read_url_list
from webadmin.accounts.models import RightsHolder
from webadmin.sites.models import Site, SiteDomain

MAX_URL_CHARS = 2_000
MAX_BAD_LINES = 10  # invalid lines that a message lists; an unrelated file has thousands
_PATTERNS = ("follow_patterns", "page_patterns", "deny_patterns")
_SELECTORS = ("body_selector", "title_selector", "next_page_selector", "chapter_list_selector")
MAX_START_URLS = 50  # start URLs whose hosts are read; lists of pages, which have thousands, cover no host


def add_site(rights_holder: RightsHolder, url: str, name: str = "", **options: Any) -> Site:
    """Create or update the rights holder's site with the start URL `url`, and return it. Safe to repeat.

    name: the name of a new site, or of the existing site to which the URL is added; "" for the host. options: values
    for fields of `Site`. Raises UnsafeUrl if the URL cannot be crawled, and BadInput for an invalid option.
    """
    parts, host = _parse_url(url)
    start_url = urlunsplit((parts.scheme.lower(), str(host), parts.path or "/", parts.query, ""))
    _check_options(options)
    with transaction.atomic():
        site = _find_or_create_site(rights_holder, name.strip(), host)
        addresses = site.start_urls.splitlines()
        site.start_urls = "\n".join(dict.fromkeys([*addresses, start_url]))
        _save_site(site, options)
        if not site.domains.filter(host__in=host.spellings()).exists():
            SiteDomain.objects.create(site=site, host=str(host))
    return site


def add_list(rights_holder: RightsHolder, name: str, text: str, kind: str = "list", **options: Any) -> Site:
    """Create or replace the rights holder's list of pages with this name, and return its site.

    text: the list (crawler.sources.url_list). options: values for fields of `Site`. Raises BadInput for an invalid
    option, without any URL, or with the numbers of the lines that are not URLs.
    """
    found = read_url_list(text)
    if found.bad:
        raise BadInput("watch.bad-lines", lines=bad_lines(found.bad))
    if not found.urls:
        raise BadInput("watch.empty-list")
    _check_options(options)
    return _named_site(rights_holder, name, kind, start_urls="\n".join(found.urls), **options)


def bad_lines(found: Sequence[BadLine]) -> list[Message]:
    """Return messages about the first MAX_BAD_LINES invalid lines of a list, and about the number of the others."""
    named = [line.message for line in found[:MAX_BAD_LINES]]
    unnamed = len(found) - len(named)
    return [*named, Message("watch.more-bad-lines", count=unnamed)] if unnamed else named


def archive_site(rights_holder: RightsHolder, name: str) -> Site:
    """Return the rights holder's site with this name. A site of archives is created if there is none."""
    known = Site.objects.filter(rights_holder=rights_holder, name=name.strip()).first()
    return known or _named_site(rights_holder, name, "archive")


def find_site(key: str) -> Site:
    """Return the site with this number, name, host or URL.

    Raises NotFound if there is none, and BadInput if there are several.
    """
    wanted = key.strip()
    if "://" in wanted:
        return _single_site(key, _sites_with_host(_parse_url(wanted)[1]))
    found = list(Site.objects.filter(name=wanted)) or _sites_with_typed_host(wanted)
    if not found and wanted.isdecimal() and len(wanted) < 19:
        found = list(Site.objects.filter(pk=int(wanted)))
    return _single_site(key, found)


def _sites_with_host(host: Host) -> list[Site]:
    return list(Site.objects.filter(domains__host__in=host.spellings()).distinct())


def _sites_with_typed_host(text: str) -> list[Site]:
    try:
        return _sites_with_host(parse_host(text))
    except ValueError:
        return []


def _parse_url(url: str) -> tuple[SplitResult, Host]:
    given = url.strip()
    shown = given if len(given) <= 200 else f"{given[:200]}..."
    if len(given) > MAX_URL_CHARS or re.search(r"[\s\x00-\x20\x7f]", given):
        raise UnsafeUrl(shown, "watch.address-blanks", most=MAX_URL_CHARS)
    try:
        parts = urlsplit(given)
        host = None if parts.hostname is None else parse_host(given)
    except ValueError as error:
        raise UnsafeUrl(shown, "watch.address-bad-host") from error
    if parts.scheme.lower() not in DEFAULT_PORTS:
        raise UnsafeUrl(shown, "watch.address-scheme")
    if parts.username is not None or parts.password is not None:
        raise UnsafeUrl(str(parts.hostname), "list.login")
    if host is None or not re.fullmatch(r"[a-z0-9_.-]+|[0-9a-f:.]+", host.name):
        raise UnsafeUrl(shown, "watch.address-no-host")
    return parts, host


def _named_site(rights_holder: RightsHolder, name: str, kind: str, **values: Any) -> Site:
    wanted = name.strip()
    if not wanted:
        raise BadInput("watch.no-name")
    site = Site.objects.filter(rights_holder=rights_holder, name=wanted).first()
    if site is not None and site.kind != kind:
        raise BadInput("watch.other-kind", site=wanted)
    site = site or Site(rights_holder=rights_holder, name=wanted, kind=kind)
    _save_site(site, values)
    return site


def _find_or_create_site(rights_holder: RightsHolder, name: str, host: Host) -> Site:
    """Return the site with this name, or if `name` is "" with this host; an unsaved site if there is none.

    If names are given, several sites may have the same host, about which `shared_hosts` warns.
    """
    watched = Site.objects.filter(rights_holder=rights_holder)
    found = watched.filter(name=name) if name else watched.filter(domains__host__in=host.spellings())
    return found.first() or Site(rights_holder=rights_holder, name=name or str(host))


def _check_options(options: dict[str, Any]) -> None:
    known = {field.name for field in Site._meta.concrete_fields} - {
        "id",
        "rights_holder",
        "name",
        "start_urls",
        "added_at",
    }
    for name in options:
        if name not in known:
            raise BadInput("watch.no-option", name=name)
    _check_rules(options)
    encoding = str(options.get("encoding", ""))
    if encoding and not resolve_codec(encoding):
        raise BadInput("watch.no-encoding", encoding=encoding)


def _check_rules(options: dict[str, Any]) -> None:
    """Raise BadInput if a pattern or selector in the options is invalid or slow."""
    patterns = [line for name in _PATTERNS for line in str(options.get(name, "")).splitlines() if line.strip()]
    selectors = [text for name in _SELECTORS if (text := str(options.get(name, "")).strip())]
    for rule, fault in rule_faults(patterns, selectors).items():
        is_of_pattern = fault.code.startswith("pattern.")
        raise BadInput(Message("site.no-pattern", pattern=rule, fault=fault) if is_of_pattern else fault)


def _save_site(site: Site, options: dict[str, Any]) -> None:
    """Save a site with these options. Raises BadInput if one is invalid or does not apply to the kind of the site."""
    for field, value in options.items():
        setattr(site, field, value)
    ignored = KINDS[site.kind].ignored_settings(options)
    if ignored:
        names = [name.replace("_", " ") for name in ignored]
        raise BadInput("watch.not-for-its-kind", names=names, site=site.name, kind=site.kind)
    try:
        site.full_clean(validate_unique=False, validate_constraints=False)
    except ValidationError as error:
        name, messages = next(iter(error.message_dict.items()))
        raise BadInput("watch.bad-option", name=name.replace("_", " "), site=site.name, reason=messages[0]) from error
    site.save()


def _single_site(key: str, found: list[Site]) -> Site:
    if not found:
        raise NotFound("site", key)
    if len(found) > 1:
        raise BadInput("watch.several", key=key, numbers=[site.pk for site in found])
    return found[0]


def shared_hosts(site: Site) -> list[Message]:
    """Return a message about each other site of the rights holder that covers a host of this site."""
    own = {spelling for host in crawled_hosts(site) for spelling in host.spellings()}
    others = Site.objects.filter(rights_holder=site.rights_holder_id).exclude(pk=site.pk)
    return [
        Message("watch.host-shared", hosts=shared, site=other.name, id=other.pk)
        for other in others.prefetch_related("domains").order_by("pk")
        if (shared := sorted({str(host) for host in crawled_hosts(other) if host.spellings() & own}))
    ]


def crawled_hosts(site: Site) -> list[Host]:
    """Return the hosts that crawls of the site cover, which is none for lists of pages and sites of archives."""
    kind = KINDS[site.kind]
    return site_hosts(site) if kind.is_crawled and not kind.starts_are_pages else []


def site_hosts(site: Site) -> list[Host]:
    """Return the hosts of a site: its domains, or the hosts of its start URLs if it has no domains."""
    domains = [domain.host for domain in site.domains.all()]
    return list(dict.fromkeys(parse_hosts(domains or site.start_urls.split()[:MAX_START_URLS])))
