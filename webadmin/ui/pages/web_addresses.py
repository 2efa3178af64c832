"""Decides which URLs on crawled pages become links."""

from urllib.parse import urlsplit


def is_web_address(url: str) -> bool:
    """Return True if a link to a URL is safe, that is, if it is an http or https URL.

    >>> is_web_address("https://example.com/"), is_web_address("javascript:alert(1)"), is_web_address("http://[")
    (True, False, False)
    """
    try:
        return urlsplit(url).scheme in {"http", "https"}
    except ValueError:
        return False
