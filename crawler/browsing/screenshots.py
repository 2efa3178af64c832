"""Renders a stored response in a browser: an image of the whole page, and a PDF.

Only the stored response is rendered, never the live page: the browser requests the page's URL and receives the stored
bytes. It also receives the style sheets, fonts and images that were fetched to read the page; all other requests are
refused. Scripts are off. So an image shows only what was fetched, and `ResponseRendering` lists what was missing.
"""

import base64
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from w3lib.url import safe_url_string

from core.captures import CapturedResource
from crawler.browsing.chromium import BrowserFault, Chromium, find_chromium

WIDTH_PX = 1280  # the width that most desktop pages are designed for
VIEW_HEIGHT_PX = 1024
# Chromium cannot render more than 16,384 px in height; 20 megapixels are 0.2 to 4 MB of PNG. The PDF has no such limit.
MAX_HEIGHT_PX = 16_000
MAX_PDF_PAGES = 300  # a chapter has 2 to 10; a whole novel of 300,000 characters about 250
DEADLINE_S = 30.0  # a page takes 0.8 to 2 s (2 cores, November 2026); only pages designed to be slow take longer
A4_INCHES = (8.27, 11.69)
MAX_LISTED, MAX_URL_CHARS = 50, 500  # for the refused requests; pages of novels send 5 to 40
_log = logging.getLogger(__name__)
_SHOWN_AS_THEY_ARE = ("text/html", "text/plain", "application/xhtml+xml", "text/xml", "application/xml")


class NoRendering(StrEnum):
    """The reason why a response has no rendering. It is a fact of the evidence, not an error."""

    SWITCHED_OFF = "switched_off"
    NO_BROWSER = "no_browser"
    BROWSER_FAILED = "browser_failed"  # the browser did not start in its sandbox, crashed, or took too long


@dataclass(frozen=True, slots=True)
class ResponseRendering:
    """A stored response as a browser rendered it. `pdf` is b"" if the page could not be printed."""

    png: bytes
    pdf: bytes
    width_px: int
    height_px: int  # height of the image
    page_height_px: int  # height of the page; the image ends at MAX_HEIGHT_PX
    refused_requests: int  # number of requests for style sheets, images and frames that were never fetched
    served: tuple[str, ...]  # URLs of the resources that the browser received
    missing: tuple[str, ...]  # URLs of the refused requests, each once, at most MAX_LISTED
    drawn_from: str  # "the stored response"
    browser: str  # "Chromium 150.0.7871.100"
    rendered_at: datetime

    @property
    def how(self) -> str:
        """Describe in one sentence how the image was made."""
        cut = f"; the picture shows the first {self.height_px:,} of {self.page_height_px:,} px" if self.is_cut else ""
        return (
            f"{self.browser}, drawn from {self.drawn_from}, scripts off, no network "
            f"({len(self.served)} resources given that were fetched with the page, "
            f"{self.refused_requests} requests of the page refused){cut}"
        )

    @property
    def is_cut(self) -> bool:
        return self.height_px < self.page_height_px


@dataclass(frozen=True, slots=True)
class Drawable:
    """A page to render as if it came from `url`.

    resources: the files fetched to read it; the browser loads no others.
    """

    body: bytes
    headers: Mapping[str, str]
    url: str
    resources: Sequence[CapturedResource] = ()
    told: str = "the stored response"


def render(
    body: bytes, headers: Mapping[str, str], url: str, *, chromium: str = "", deadline_s: float = DEADLINE_S
) -> ResponseRendering | NoRendering:
    """Render a stored response without any resources; see `render_page`."""
    return render_page(Drawable(body, headers, url), chromium=chromium, deadline_s=deadline_s)


def render_page(
    given: Drawable, *, chromium: str = "", deadline_s: float = DEADLINE_S
) -> ResponseRendering | NoRendering:
    """Render a page with its resources, or return why it was not rendered. No content of the page raises an exception.

    chromium: the path of the executable; "" to search for it. deadline_s: the time limit for the rendering, in seconds.
    """
    executable = find_chromium(chromium)
    if executable is None:
        return NoRendering.NO_BROWSER
    try:
        with Chromium(executable, time.monotonic() + deadline_s) as browser:
            return _DrawnPage(browser, given).draw()
    except (BrowserFault, OSError, ValueError, KeyError) as fault:
        _log.warning("a page is not drawn, the browser failed: %s: %s", type(fault).__name__, fault)
        return NoRendering.BROWSER_FAILED


class _DrawnPage:
    """The only page that one browser renders."""

    def __init__(self, browser: Chromium, given: Drawable) -> None:
        self._browser, self._given = browser, given
        self._resources = {_browser_url(each.url): each for each in given.resources}
        self._session = ""
        self._is_served = self._is_loaded = False
        self._refused = 0
        self._served: dict[str, None] = {}
        self._missing: dict[str, None] = {}

    def draw(self) -> ResponseRendering:
        product = str(self._browser.call("Browser.getVersion")["product"])
        self._prepare_page()
        self._browser.send("Page.navigate", {"url": self._given.url}, self._session)
        while not self._is_loaded:
            self._handle_event(self._browser.receive())
        size = self._send_command("Page.getLayoutMetrics")["cssContentSize"]
        page_height = max(1, round(float(size["height"])))
        height = min(page_height, MAX_HEIGHT_PX)
        png = self._take_picture(height)
        return ResponseRendering(
            png=png,
            pdf=self._print_pdf(),
            width_px=WIDTH_PX,
            height_px=height,
            page_height_px=page_height,
            refused_requests=self._refused,
            served=tuple(self._served),
            missing=tuple(self._missing),
            drawn_from=self._given.told,
            browser=product.replace("HeadlessChrome/", "Chromium ").replace("Chrome/", "Chromium "),
            rendered_at=datetime.now(UTC),
        )

    def _prepare_page(self) -> None:
        target = self._browser.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        attached = self._browser.call("Target.attachToTarget", {"targetId": target, "flatten": True})
        self._session = str(attached["sessionId"])
        self._browser.call("Browser.setDownloadBehavior", {"behavior": "deny"})
        metrics = {"width": WIDTH_PX, "height": VIEW_HEIGHT_PX, "deviceScaleFactor": 1, "mobile": False}
        self._send_command("Emulation.setDeviceMetricsOverride", metrics)
        self._send_command("Emulation.setScriptExecutionDisabled", {"value": True})
        self._send_command("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        self._send_command("Page.enable")

    def _send_command(self, method: str, parameters: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return self._browser.call(method, parameters, self._session, self._handle_event)

    def _handle_event(self, message: dict[str, Any]) -> None:
        """Handle an event of the browser: respond to a paused request, or note that the page has loaded."""
        if message.get("method") == "Fetch.requestPaused":
            self._answer_request(message["params"])
        elif message.get("method") == "Page.loadEventFired" and self._is_served:
            self._is_loaded = True

    def _answer_request(self, paused: dict[str, Any]) -> None:
        url = str(paused["request"]["url"])
        resource = self._resources.get(_browser_url(url))
        if paused.get("resourceType") == "Document":
            if self._is_served:
                self._refuse_request(paused, url)
                return
            self._is_served = True
            self._fulfil_request(paused, _content_type(self._given.headers), self._given.body)
        elif resource is not None:
            self._served[resource.url] = None
            self._fulfil_request(paused, resource.content_type, resource.body)
        else:
            self._refuse_request(paused, url)

    def _refuse_request(self, paused: dict[str, Any], url: str) -> None:
        self._refused += 1
        is_shown = paused.get("resourceType") != "Other"  # the icon is requested by the browser, not by the page
        if is_shown and len(self._missing) < MAX_LISTED:
            self._missing[url[:MAX_URL_CHARS]] = None
        # If a redirect is aborted, the page is unchanged; if it were blocked, an error page would replace the page.
        refusal = {"requestId": paused["requestId"], "errorReason": "Aborted"}
        self._browser.send("Fetch.failRequest", refusal, self._session)

    def _fulfil_request(self, paused: dict[str, Any], content_type: str, body: bytes) -> None:
        # A browser uses fonts of another host only if that host allows it. Here, only the page can request them.
        headers = {"Content-Type": content_type, "Access-Control-Allow-Origin": "*"}
        answer = {
            "requestId": paused["requestId"],
            "responseCode": 200,
            "responseHeaders": [{"name": name, "value": value} for name, value in headers.items()],
            "body": base64.b64encode(body).decode("ascii"),
        }
        self._browser.send("Fetch.fulfillRequest", answer, self._session)

    def _take_picture(self, height_px: int) -> bytes:
        clip = {"x": 0, "y": 0, "width": WIDTH_PX, "height": height_px, "scale": 1}
        asked = {"format": "png", "captureBeyondViewport": True, "clip": clip}
        return base64.b64decode(self._send_command("Page.captureScreenshot", asked)["data"])

    def _print_pdf(self) -> bytes:
        width, height = A4_INCHES
        asked = {
            "printBackground": True,
            "paperWidth": width,
            "paperHeight": height,
            "pageRanges": f"1-{MAX_PDF_PAGES}",
        }
        return base64.b64decode(self._send_command("Page.printToPDF", asked)["data"])


def _browser_url(url: str) -> str:
    """Return a URL in the browser's spelling, without its fragment, however the page or the crawler spelt it."""
    return safe_url_string(url.partition("#")[0])


def _content_type(headers: Mapping[str, str]) -> str:
    """Return the content type from the headers; text/html if it is missing or a browser would download it."""
    given = next((value for name, value in headers.items() if name.lower() == "content-type"), "text/html")
    return given if given.split(";")[0].strip().lower() in _SHOWN_AS_THEY_ARE else "text/html"
