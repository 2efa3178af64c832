"""Compare what Chromium shows of a page at the ordinary widths with what the crawler keeps of it."""

import mimetypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, Route

from crawler.css.cascade import cascade
from crawler.css.values import SCREENS
from crawler.fetching.resources import ResourceKind
from crawler.markup import parse
from crawler.obfuscation.page_styles import collect_page_sheets
from crawler.obfuscation.visibility import remove_hidden

URL = "http://site.example/page.html"
SIZES = sorted({(screen.width_px, screen.height_px) for screen in SCREENS})
_TEXTS = (Path(__file__).parent / "texts.js").read_text()


@dataclass(frozen=True)
class View:
    """A page. reasons: why Chromium does not show a text ("": it does), width by width; kept: by the crawler."""

    reasons: Mapping[str, Sequence[str]]
    kept: frozenset[str]

    @property
    def shown(self) -> frozenset[str]:
        """The texts that Chromium shows at some width."""
        return frozenset(text for text, reasons in self.reasons.items() if "" in reasons)

    @property
    def accused(self) -> frozenset[str]:
        """Return what the crawler calls hidden although Chromium shows it: must be none."""
        return self.shown - self.kept

    @property
    def missed(self) -> frozenset[str]:
        """Return what Chromium shows at no width and the crawler keeps."""
        return (self.reasons.keys() - self.shown) & self.kept


class Files:
    """The files of a page, by their names."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files

    def get(self, url: str, kind: ResourceKind) -> bytes | None:
        return self._files.get(url.rpartition("/")[2])

    def answer(self, route: Route) -> None:
        name = route.request.url.partition("?")[0].rpartition("/")[2]
        if name in self._files:
            kind = mimetypes.guess_type(name)[0] or "text/html"
            route.fulfill(body=self._files[name], content_type=f"{kind}; charset=utf-8")
        else:
            route.fulfill(status=404)


def kept_texts(markup: str, files: Files) -> frozenset[str]:
    """The texts that the crawler keeps of a page, each as one text node has it."""
    tree = parse(markup)
    remove_hidden(tree, cascade(tree, collect_page_sheets(tree, URL, files, with_linked=True)))
    return frozenset(text for node in tree.itertext() if (text := node.strip()))


def view(page: Page, markup: str, files: Mapping[str, bytes]) -> View:
    """A page in Chromium, at all ordinary widths, and as the crawler reads it."""
    served = Files({**files, "page.html": markup.encode()})
    page.route("**/*", served.answer)
    page.goto(URL)
    page.unroute("**/*")
    metrics = page.context.new_cdp_session(page)
    reasons: dict[str, list[str]] = {}
    for width, height in SIZES:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        metrics.send("Emulation.setDeviceMetricsOverride", size)
        for text, reason in page.evaluate(_TEXTS):
            reasons.setdefault(text, []).append(reason)
    metrics.detach()
    return View(reasons, kept_texts(markup, served))


def new_page(browser: Browser) -> Page:
    """A window for views."""
    return browser.new_context().new_page()
