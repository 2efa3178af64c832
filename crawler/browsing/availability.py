"""Whether this machine can load pages in a browser, asked without loading any of it."""

from importlib.util import find_spec

from core.settings import CrawlSettings
from core.wording import Message
from crawler.browsing.chromium import find_chromium


def missing_browser(settings: CrawlSettings) -> Message | None:
    """What is to be installed before pages can be loaded in a browser; None where all is there."""
    if find_spec("scrapy_playwright") is None:
        return Message("site.no-browser")
    return Message("site.no-chromium") if find_chromium(settings.chromium) is None else None
