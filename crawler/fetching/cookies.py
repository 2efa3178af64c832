"""Scrapy's cookie middleware with a bundled list of public suffixes and a limit on the cookies of a site.

Scrapy's own middleware downloads that list from two hosts at the first cookie of a crawl. This would bypass the address
checks and block the crawl.
"""

from collections.abc import Iterable
from http.cookiejar import Cookie

from scrapy import Request
from scrapy.downloadermiddlewares import cookies
from scrapy.http.cookies import CookieJar
from tldextract import TLDExtract

from core.hosts import host_key

# A browser stores some 180 cookies for a host, each of at most 4,096 bytes (RFC 6265, 6.1: at least 50 and 4,096).
MAX_COOKIES, MAX_COOKIE_BYTES = 200, 4_096


class CookiesMiddleware(cookies.CookiesMiddleware):
    """Stores the cookies of a crawl in memory.

    Cookies set for a public suffix are restricted to the host that set them.
    """

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        # The list that tldextract ships. Nothing is fetched or written.
        self._parts_of = TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)

    def _process_cookies(self, cookies: Iterable[Cookie], *, jar: CookieJar, request: Request) -> None:
        host = host_key(request.url)[0]
        for cookie in cookies:
            domain = cookie.domain.removeprefix(".")
            if domain and not self._parts_of(domain).domain:
                if domain != host:
                    continue
                cookie.domain = host
            if _has_room(jar, cookie):
                jar.set_cookie_if_ok(cookie, request)


def _has_room(jar: CookieJar, cookie: Cookie) -> bool:
    """Return True if the jar accepts a cookie. It must be small enough; a new one must also be within the limit."""
    if len(cookie.name) + len(cookie.value or "") > MAX_COOKIE_BYTES:
        return False
    known = jar._cookies.get(cookie.domain, {}).get(cookie.path, {})
    return cookie.name in known or len(jar) < MAX_COOKIES
