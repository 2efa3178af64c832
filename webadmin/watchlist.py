"""Which sites a rights holder watches: an address that a person typed -> a site that can be crawled."""

import re
from typing import Any
from urllib.parse import SplitResult, urlsplit, urlunsplit

from django.core.exceptions import ValidationError
from django.db import transaction
from lxml import html

from core.errors import BadConfiguration, BadInput, NotFound, UnsafeUrl
from core.hosts import DEFAULT_PORTS, Host, parse_host
from crawler.characters.decoding import codec_of
from crawler.main_text.extraction import select
from crawler.patterns import UnusablePattern, require_quick
from crawler.sources.url_list import read_url_list
from webadmin.models import RightsHolder, Site, SiteDomain

MAX_URL_CHARS = 2_000
MAX_BAD_LINES = 10  # named at once; a file of something else has thousands
_PATTERNS = ("follow_patterns", "page_patterns", "deny_patterns")
_SELECTORS = ("body_selector", "title_selector", "next_page_selector", "chapter_list_selector")


def add_site(rights_holder: RightsHolder, url: str, name: str = "", **options: Any) -> Site:
    """The rights holder's site at that address, made or brought up to date; safe to repeat.

    name: of a new site, or of one that this address belongs to as well; "" stands for the host. options: fields of
    `Site`; those left out keep their values. Raises UnsafeUrl for an address that cannot be crawled, BadInput for an
    option that cannot be.
    """
    parts, host = _checked(url)
    start_url = urlunsplit((parts.scheme.lower(), str(host), parts.path or "/", parts.query, ""))
    _check_options(options)
    with transaction.atomic():
        site = _site_of(rights_holder, name.strip(), host)
        addresses = site.start_urls.splitlines()
        site.start_urls = "\n".join(dict.fromkeys([*addresses, start_url]))
        for field, value in options.items():
            setattr(site, field, value)
        _validate(site)
        site.save()
        if not site.domains.filter(host__in=host.spellings()).exists():
            SiteDomain.objects.create(site=site, host=str(host))
    return site


def add_list(rights_holder: RightsHolder, name: str, text: str, **options: Any) -> Site:
    """The rights holder's list of pages of that name, made or filled anew from `text` (crawler.sources.url_list).

    Raises BadInput naming every line that is no address, with its number.
    """
    found = read_url_list(text)
    if found.bad:
        shown = "; ".join(str(line) for line in found.bad[:MAX_BAD_LINES])
        more = len(found.bad) - MAX_BAD_LINES
        raise BadInput(shown + (f"; and {more} more" if more > 0 else ""))
    if not found.urls:
        raise BadInput("the list has no address; write one a line")
    _check_options(options)
    return _named_site(rights_holder, name, Site.Kind.LIST, start_urls="\n".join(found.urls), **options)


def archive_site(rights_holder: RightsHolder, name: str) -> Site:
    """The rights holder's site of that name; one for pages of archive files is made if there is none."""
    known = Site.objects.filter(rights_holder=rights_holder, name=name.strip()).first()
    return known or _named_site(rights_holder, name, Site.Kind.ARCHIVE)


def find_site(key: str) -> Site:
    """The site of that number, name, host or address. Raises NotFound, or BadInput where several could be meant."""
    wanted = key.strip()
    if "://" in wanted:
        return _only(key, _at(_checked(wanted)[1]))
    found = list(Site.objects.filter(name=wanted)) or _at_typed(wanted)
    if not found and wanted.isdecimal() and len(wanted) < 19:
        found = list(Site.objects.filter(pk=int(wanted)))
    return _only(key, found)


def _at(host: Host) -> list[Site]:
    return list(Site.objects.filter(domains__host__in=host.spellings()).distinct())


def _at_typed(text: str) -> list[Site]:
    try:
        return _at(parse_host(text))
    except ValueError:
        return []


def _checked(url: str) -> tuple[SplitResult, Host]:
    given = url.strip()
    shown = given if len(given) <= 200 else f"{given[:200]}..."
    if len(given) > MAX_URL_CHARS or re.search(r"[\s\x00-\x20\x7f]", given):
        raise UnsafeUrl(shown, "an address has no blanks and at most 2,000 characters")
    try:
        parts = urlsplit(given)
        host = None if parts.hostname is None else parse_host(given)
    except ValueError as error:
        raise UnsafeUrl(shown, "its host or port cannot be; write it like https://www.example.com/") from error
    if parts.scheme.lower() not in DEFAULT_PORTS:
        raise UnsafeUrl(shown, "an address begins with http:// or https://")
    if parts.username is not None or parts.password is not None:
        raise UnsafeUrl(f"the address at {parts.hostname}", "it carries a user name or password; leave them out")
    if host is None or not re.fullmatch(r"[a-z0-9_.-]+|[0-9a-f:.]+", host.name):
        raise UnsafeUrl(shown, "it names no host; write it like https://www.example.com/")
    return parts, host


def _named_site(rights_holder: RightsHolder, name: str, kind: str, **values: Any) -> Site:
    wanted = name.strip()
    if not wanted:
        raise BadInput("a list of pages and a site of archive files need a name; give one with --name")
    site = Site.objects.filter(rights_holder=rights_holder, name=wanted).first()
    if site is not None and site.kind != kind:
        raise BadInput(f"the site {wanted} is there already, and of another kind; choose another name")
    site = site or Site(rights_holder=rights_holder, name=wanted, kind=kind)
    for field, value in values.items():
        setattr(site, field, value)
    _validate(site)
    site.save()
    return site


def _site_of(rights_holder: RightsHolder, name: str, host: Host) -> Site:
    """The site that an address belongs to: the one of that name, the one that has the host, or a new one."""
    watched = Site.objects.filter(rights_holder=rights_holder)
    by_host = watched.filter(domains__host__in=host.spellings()).first()
    by_name = watched.filter(name=name).first() if name else None
    if by_host is not None and name and by_name != by_host:
        raise BadInput(f"{host} belongs to the site {by_host.name} already; add the address with --name {by_host.name}")
    return by_name or by_host or Site(rights_holder=rights_holder, name=name or str(host))


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
            raise BadInput(f"a site has no option {name}")
    for name in _PATTERNS:
        for pattern in str(options.get(name, "")).splitlines():
            _require_pattern(pattern)
    for name in _SELECTORS:
        _require_selector(str(options.get(name, "")))
    encoding = str(options.get("encoding", ""))
    if encoding and not codec_of(encoding):
        raise BadInput(f"there is no encoding {encoding!r}; write one like utf-8, gb18030 or big5")


def _require_pattern(pattern: str) -> None:
    try:
        require_quick(pattern)
    except UnusablePattern as error:
        raise BadInput(f"{pattern!r} is no regular expression: {error}") from error


def _require_selector(selector: str) -> None:
    if not selector.strip():
        return
    try:
        select(html.fromstring("<p></p>"), selector)
    except BadConfiguration as error:
        raise BadInput(str(error)) from error


def _validate(site: Site) -> None:
    try:
        site.full_clean(validate_unique=False, validate_constraints=False)
    except ValidationError as error:
        name, messages = next(iter(error.message_dict.items()))
        raise BadInput(f"{name.replace('_', ' ')} of the site {site.name}: {messages[0]}") from error


def _only(key: str, found: list[Site]) -> Site:
    if not found:
        raise NotFound("site", key)
    if len(found) > 1:
        numbers = ", ".join(str(site.pk) for site in found)
        raise BadInput(f"several sites are called {key}; give the number of the one you mean ({numbers})")
    return found[0]
