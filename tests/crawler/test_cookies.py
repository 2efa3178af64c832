"""Cookies of a crawl: whom they are for is known without asking anybody; no site sets more than a browser keeps."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from scrapy import Request
from scrapy.http import Response

from crawler.fetching.cookies import MAX_COOKIE_BYTES, MAX_COOKIES, CookiesMiddleware

URL = "http://www.site.com.cn/"
_watched: list[tuple[str, str]] = []
_is_watching = False


def _hook(event: str, given: tuple[object, ...]) -> None:
    if _is_watching and event in ("socket.getaddrinfo", "socket.connect", "os.mkdir"):
        _watched.append((event, str(given)))


sys.addaudithook(_hook)


@contextmanager
def watched() -> Iterator[list[tuple[str, str]]]:
    """Record what is looked up, connected to and made inside."""
    global _is_watching  # noqa: PLW0603 - a hook stays for good
    _watched.clear()
    _is_watching = True
    try:
        yield _watched
    finally:
        _is_watching = False


def sent(middleware: CookiesMiddleware, url: str) -> dict[str, str]:
    """The cookies that a request goes out with."""
    request = Request(url)
    middleware.process_request(request)
    header = (request.headers.get("Cookie") or b"").decode()
    return dict(pair.split("=", 1) for pair in header.split("; ") if pair)


def set_by(middleware: CookiesMiddleware, url: str, *cookies: str) -> None:
    middleware.process_response(Request(url), Response(url, headers={"Set-Cookie": list(cookies)}))


def test_whom_a_cookie_is_for_is_known_without_asking_anybody() -> None:
    middleware = CookiesMiddleware()
    with watched() as seen:
        set_by(middleware, URL, "own=1", "site=1; Domain=site.com.cn", "all=1; Domain=com.cn")
        assert sent(middleware, "http://m.site.com.cn/") == {"site": "1"}
        assert sent(middleware, "http://other.com.cn/") == {}
        assert sent(middleware, URL) == {"own": "1", "site": "1"}
    assert seen == []


def test_a_site_sets_no_more_cookies_than_a_browser_keeps() -> None:
    middleware = CookiesMiddleware()
    for number in range(0, 2 * MAX_COOKIES, 20):
        set_by(middleware, URL, *(f"c{each}={each}" for each in range(number, number + 20)))
    set_by(middleware, URL, "c1=changed", f"large={'a' * MAX_COOKIE_BYTES}")
    kept = sent(middleware, URL)
    assert len(kept) == MAX_COOKIES
    assert kept["c1"] == "changed"
    assert "large" not in kept
