"""URLs: the identity of a page, the scope of a crawl plan, and traps for crawlers."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit, urlunsplit

from w3lib.url import canonicalize_url, url_query_cleaner

from core.errors import BadConfiguration
from core.hosts import DEFAULT_PORTS, Host, host_key, parse_host
from core.ids import CanonicalUrl
from core.pages import CrawlPlan
from core.wording import Message
from crawler.patterns import UnusablePattern, UrlPattern

MAX_URL_CHARS = 2_000  # what browsers and servers agree on; longer ones are made by loops
_TRACKING = [
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "utm_term",
    "utm_content",
    "utm_id",
    "spm",
    "scm",
    "from_source",
    "share_from",
    "share_source",
    "sharer_shareid",
    "share_token",
    "gclid",
    "fbclid",
    "msclkid",
    "bd_vid",
    "_ga",
    "_gl",
    "hmsr",
    "hmpl",
    "hmcu",
    "hmkw",
    "hmci",
    "isappinstalled",
    "phpsessid",
    "jsessionid",
    "sessionid",
    "session_id",
    "aspsessionid",
    "cfid",
    "cftoken",
]
_SESSION_PATH = re.compile(r";(?:jsessionid|sid|phpsessid)=[^/?#]*", re.IGNORECASE)
_SESSION_ID = re.compile(r"(?=.*[0-9])(?=.*[a-zA-Z])[0-9a-zA-Z]{6,}$")
_ROUTE = re.compile(r"!?/[^\s]|!\w")
_INDEX_FILE = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?|jsp|shtml)$", re.IGNORECASE)
_TRAPS = re.compile(
    r"(?:^|[/?&=_.-])(?:log-?in|log-?out|sign-?(?:in|up|out)|regist(?:er|ration)|passport|logging|search|so\.php|cart|checkout"
    r"|add-?to-?cart|captcha|bookcase|addbookcase|addbookmark|recommend\.php|reply|newreply|report|print(?:able)?|feedback|password"
    r"|denglu|zhuce|sousuo|shoucang)(?=$|[/?&=_.-])",
    re.IGNORECASE,
)
_BINARY = re.compile(
    r"\.(?:7z|apk|avi|bmp|bz2|css|csv|docx?|dmg|eot|epub|exe|flac|flv|gif|gz|ico|iso|jar|jpe?g|js|json|m4[av]|mobi|mov|mp[34]"
    r"|mpe?g|msi|og[gv]|otf|pdf|png|pptx?|ps|rar|rss|svg|swf|tar|tiff?|torrent|ttf|txt\.zip|wav|webm|webp|wm[av]|woff2?|xlsx?|xz|zip)$",
    re.IGNORECASE,
)
# Of these, and of what is not a page either, files that may hold a book; `.txt` is read as a page is.
_BOOK = re.compile(r"\.(?:txt|zip|epub|docx|pdf)$", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")


# A site shows the same links of its own on every page.
ADDRESSES_REMEMBERED = 4_096


@lru_cache(maxsize=ADDRESSES_REMEMBERED)
def canonical(url: str) -> CanonicalUrl:
    """Return the canonical form of an address: one for all that differ in nothing that matters.

    Scheme and host in lower case, no default port, no fragment that is not a route, no tracking or session parameters,
    parameters sorted, no trailing index file. Raises ValueError for what is not a URL.

    >>> canonical("HTTP://Example.com:80/a/index.html?utm_source=x&b=2&a=1#top")
    'http://example.com/a/?a=1&b=2'
    """
    parts = urlsplit(url.strip())
    scheme, host, port = parts.scheme.lower(), (parts.hostname or "").lower().rstrip("."), parts.port
    netloc = f"[{host}]" if ":" in host else host
    if port and port != DEFAULT_PORTS.get(scheme):
        netloc = f"{netloc}:{port}"
    path = _INDEX_FILE.sub("/", _SESSION_PATH.sub("", parts.path)) or "/"
    bare = urlunsplit((scheme, netloc, path, parts.query, ""))
    cleaned = url_query_cleaner(bare, _is_unwanted(parts.query), remove=True)
    return CanonicalUrl(canonicalize_url(cleaned, keep_blank_values=True) + script_route(url))


def script_route(url: str) -> str:
    """Return the fragment of an address that scripts read as the path of a page, with its sign; "" for any other.

    >>> script_route("http://a.example/#/chapter/1"), script_route("http://a.example/#top")
    ('#/chapter/1', '')
    """
    fragment = url.partition("#")[2]
    return f"#{fragment}" if _ROUTE.match(fragment) else ""


def identity(url: str, declared: str) -> CanonicalUrl:
    """Return the canonical URL of a page that declares `declared` (absolute, or "") in <link rel=canonical>.

    A declaration is believed only when it names the same host and the same numbers and last part: pages of a site that
    all name its front page, or every part of a text its first part, would otherwise swallow each other.
    """
    own = canonical(url)
    try:
        stated = canonical(declared) if declared else own
    except ValueError:
        return own
    ours, theirs = urlsplit(own), urlsplit(stated)
    is_same_place = ours.netloc == theirs.netloc and theirs.scheme in DEFAULT_PORTS
    return stated if is_same_place and _marks(ours.path, ours.query) == _marks(theirs.path, theirs.query) else own


@lru_cache(maxsize=ADDRESSES_REMEMBERED)
def is_trap(url: str) -> bool:
    """Return True if a crawler has no business there: logins, searches, carts, endless paths."""
    parts = urlsplit(url)
    segments = [part for part in parts.path.split("/") if part]
    repeats = max((segments.count(part) for part in segments), default=0)
    is_endless = len(url) > MAX_URL_CHARS or repeats > 2 or len(segments) > 15 or parts.query.count("&") > 8
    return is_endless or bool(_TRAPS.search(f"{parts.path}?{parts.query}"))


def is_binary(url: str) -> bool:
    """Return True if the path ends like a file that is not a page."""
    return bool(_BINARY.search(urlsplit(url).path))


def is_book(url: str) -> bool:
    """Return True if the path, or the last value of the query, ends like a file that may hold a book.

    >>> is_book("http://a.example/1.EPUB"), is_book("http://a.example/down.php?file=1.zip"), is_book("http://a.example/1")
    (True, True, False)
    """
    parts = urlsplit(url)
    return bool(_BOOK.search(parts.path) or _BOOK.search(parts.query))


@dataclass(frozen=True, slots=True)
class CrawlScope:
    """The URLs that a crawl plan admits."""

    hosts: tuple[Host, ...]
    follow: tuple[UrlPattern, ...]
    keep: tuple[UrlPattern, ...]
    deny: tuple[UrlPattern, ...]

    def is_on_site(self, url: str) -> bool:
        """Return True if the host is one of the plan's.

        `www.` makes no difference, a port only where the plan names one.
        """
        try:
            name, port = host_key(url)
        except ValueError:
            return False
        return urlsplit(url).scheme in DEFAULT_PORTS and any(host.equals(name, port) for host in self.hosts)

    def allows(self, url: str) -> bool:
        """Return True if a link may be fetched at all."""
        is_clean = not is_trap(url) and not is_binary(url) and not _any(self.deny, url)
        return is_clean and self.is_on_site(url)

    def follows(self, url: str) -> bool:
        """Return True if an ordinary link is worth a request."""
        return self.allows(url) and (not self.follow or _any(self.follow, url) or _any(self.keep, url))

    def offers(self, url: str) -> bool:
        """Return True if a file that a page offers for download may be fetched, whatever the patterns of links say."""
        is_ours = is_book(url) or not is_binary(url)
        return is_ours and not is_trap(url) and not _any(self.deny, url) and self.is_on_site(url)

    def keeps(self, url: str) -> bool:
        """Return True if the page at an address is stored."""
        return (not self.keep or _any(self.keep, url)) and not _any(self.deny, url)


def scope(plan: CrawlPlan, report: Callable[[Message], None] = lambda _: None) -> CrawlScope:
    """Make the scope of a plan. Raises BadConfiguration naming each invalid host and pattern.

    report: gets one message for each pattern that turns out to be too slow for an address.
    """
    faults: list[Message] = []
    compiled = [
        _compile_patterns(patterns, faults, report)
        for patterns in (plan.follow_patterns, plan.page_patterns, plan.deny_patterns)
    ]
    hosts = _hosts(plan.allowed_hosts or plan.start_urls, faults)
    if faults:
        raise BadConfiguration(faults)
    return CrawlScope(hosts, *compiled)


def _hosts(named: Sequence[str], faults: list[Message]) -> tuple[Host, ...]:
    hosts: list[Host] = []
    for name in filter(None, named):
        try:
            hosts.append(parse_host(name))
        except ValueError:
            faults.append(Message("site.no-host", name=name))
    return tuple(dict.fromkeys(hosts))


def _compile_patterns(
    patterns: Sequence[str], faults: list[Message], report: Callable[[Message], None]
) -> tuple[UrlPattern, ...]:
    result = []
    for pattern in patterns:
        try:
            result.append(UrlPattern(pattern, report))
        except UnusablePattern as fault:
            faults.append(Message("site.no-pattern", pattern=pattern, fault=fault))
    return tuple(result)


def _any(patterns: Sequence[UrlPattern], url: str) -> bool:
    return any(pattern.matches(url) for pattern in patterns)


def _is_unwanted(query: str) -> list[str]:
    names = [pair.partition("=") for pair in query.split("&")]
    sessions = [name for name, _, value in names if name.lower() == "sid" and _SESSION_ID.match(value)]
    return [name for name, _, _ in names if name.lower() in _TRACKING] + sessions


def _marks(path: str, query: str) -> tuple[list[str], str]:
    """Return what tells one page of a site from another: the numbers in its address, else the path's last part."""
    numbers = sorted(_DIGITS.findall(f"{path}?{query}"))
    return numbers, "" if numbers else path.rstrip("/").rpartition("/")[2].partition(".")[0]
