"""Checks that this machine can load pages in a browser, without importing any of it."""

from importlib.util import find_spec

from core.settings import CrawlSettings
from core.wording import Message
from crawler.browsing.chromium import find_chromium
from crawler.browsing.rights import UNPRIVILEGED, may_be_run


def missing_browser(settings: CrawlSettings) -> Message | None:
    """Return what is to be installed before pages can be loaded in a browser; None if all is there."""
    if find_spec("scrapy_playwright") is None:
        return Message("site.no-browser")
    path = find_chromium(settings.chromium)
    if path is None:
        return Message("site.no-chromium")
    return None if may_be_run(path) else Message("site.chromium-as-root", path=path, user=UNPRIVILEGED)
