"""URLs: the identity of pages, the scope of a crawl plan, and traps for crawlers."""

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

MAX_URL_CHARS = 2_000  # the limit of browsers and servers; longer URLs result from loops
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
# Suffixes of files that may contain a book. A `.txt` file is read like a page.
_BOOK = re.compile(r"\.(?:txt|zip|epub|docx|pdf)$", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")


# The site-wide links are the same on every page.
ADDRESSES_REMEMBERED = 4_096


@lru_cache(maxsize=ADDRESSES_REMEMBERED)
def canonical(url: str) -> CanonicalUrl:
    """Return the canonical form of a URL, which all its equivalent spellings share.

    Scheme and host are in lower case. Default ports, fragments that are no routes, tracking and session parameters and
    index files are removed; parameters are sorted. Raises ValueError if it is not a URL.

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
    """Return the fragment of a URL, including "#", if scripts use it as the path of a page, or else "".

    >>> script_route("http://a.example/#/chapter/1"), script_route("http://a.example/#top")
    ('#/chapter/1', '')
    """
    fragment = url.partition("#")[2]
    return f"#{fragment}" if _ROUTE.match(fragment) else ""


def identity(url: str, declared: str) -> CanonicalUrl:
    """Return the canonical URL of a page. declared: the absolute URL in its <link rel=canonical>, or "".

    A declared URL counts only if it has the same host, numbers and last path segment. Some sites declare their front
    page on all pages, or the first part of a text on every part; such pages would be merged. Raises ValueError if `url`
    is not a URL.
    """
    own = canonical(url)
    try:
        stated = canonical(declared) if declared else own
    except ValueError:
        return own
    ours, theirs = urlsplit(own), urlsplit(stated)
    is_same_place = ours.netloc == theirs.netloc and theirs.scheme in DEFAULT_PORTS
    return (
        stated if is_same_place and _url_marks(ours.path, ours.query) == _url_marks(theirs.path, theirs.query) else own
    )


@lru_cache(maxsize=ADDRESSES_REMEMBERED)
def is_trap(url: str) -> bool:
    """Return True if a crawler should not follow a URL: logins, searches, carts, endless paths."""
    parts = urlsplit(url)
    segments = [part for part in parts.path.split("/") if part]
    repeats = max((segments.count(part) for part in segments), default=0)
    is_endless = len(url) > MAX_URL_CHARS or repeats > 2 or len(segments) > 15 or parts.query.count("&") > 8
    return is_endless or bool(_TRAPS.search(f"{parts.path}?{parts.query}"))


def is_binary(url: str) -> bool:
    """Return True if the path of a URL has the suffix of a file that is not a page."""
    return bool(_BINARY.search(urlsplit(url).path))


def is_book(url: str) -> bool:
    """Return True if the path or query of a URL ends with the suffix of a file that may contain a book.

    >>> is_book("http://a.example/1.EPUB"), is_book("http://a.example/down.php?file=1.zip"), is_book("http://a.example/1")
    (True, True, False)
    """
    parts = urlsplit(url)
    return bool(_BOOK.search(parts.path) or _BOOK.search(parts.query))


@dataclass(frozen=True, slots=True)
class CrawlScope:
    """The URLs that a crawl plan admits.

    follow, keep, deny: the patterns of links, of stored pages and of excluded URLs.
    """

    hosts: tuple[Host, ...]
    follow: tuple[UrlPattern, ...]
    keep: tuple[UrlPattern, ...]
    deny: tuple[UrlPattern, ...]

    def is_on_site(self, url: str) -> bool:
        """Return True if the host of a URL is one of the plan's hosts.

        `www.` makes no difference, and a port only if the plan names one.
        """
        try:
            name, port = host_key(url)
        except ValueError:
            return False
        return urlsplit(url).scheme in DEFAULT_PORTS and any(host.equals(name, port) for host in self.hosts)

    def allows(self, url: str) -> bool:
        """Return True if a link may be fetched."""
        is_clean = not is_trap(url) and not is_binary(url) and not _matches_any(self.deny, url)
        return is_clean and self.is_on_site(url)

    def follows(self, url: str) -> bool:
        """Return True if an ordinary link may be fetched and matches a pattern of links or pages, if there are any."""
        return self.allows(url) and (not self.follow or _matches_any(self.follow, url) or _matches_any(self.keep, url))

    def offers(self, url: str) -> bool:
        """Return True if a file that a page offers for download may be fetched, whatever the link patterns are."""
        is_ours = is_book(url) or not is_binary(url)
        return is_ours and not is_trap(url) and not _matches_any(self.deny, url) and self.is_on_site(url)

    def keeps(self, url: str) -> bool:
        """Return True if the page at a URL is to be stored."""
        return (not self.keep or _matches_any(self.keep, url)) and not _matches_any(self.deny, url)


def scope(plan: CrawlPlan, report: Callable[[Message], None] = lambda _: None) -> CrawlScope:
    """Return the scope of a plan. Raises BadConfiguration that names each invalid host and pattern.

    report: called once for each pattern that is too slow on a URL
    """
    faults: list[Message] = []
    compiled = [
        _compile_patterns(patterns, faults, report)
        for patterns in (plan.follow_patterns, plan.page_patterns, plan.deny_patterns)
    ]
    hosts = _site_hosts(plan.allowed_hosts or plan.start_urls, faults)
    if faults:
        raise BadConfiguration(faults)
    return CrawlScope(hosts, *compiled)


def _site_hosts(named: Sequence[str], faults: list[Message]) -> tuple[Host, ...]:
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


def _matches_any(patterns: Sequence[UrlPattern], url: str) -> bool:
    return any(pattern.matches(url) for pattern in patterns)


def _is_unwanted(query: str) -> list[str]:
    names = [pair.partition("=") for pair in query.split("&")]
    sessions = [name for name, _, value in names if name.lower() == "sid" and _SESSION_ID.match(value)]
    return [name for name, _, _ in names if name.lower() in _TRACKING] + sessions


def _url_marks(path: str, query: str) -> tuple[list[str], str]:
    """Return what distinguishes a page from others on its site: the numbers in its URL, or else its last segment."""
    numbers = sorted(_DIGITS.findall(f"{path}?{query}"))
    return numbers, "" if numbers else path.rstrip("/").rpartition("/")[2].partition(".")[0]
