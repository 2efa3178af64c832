"""Renders the stored response of each page of a text in a browser, within limits for the whole text.

The first page has the usual limits (crawler.browsing.screenshots), and the following pages share three further limits.
A page that is not rendered is listed with the reason: docs/decisions/evidence.md.
"""

import time
from dataclasses import dataclass

from bundles.records import Drawing, Rendering, Undrawn
from core.captures import CaptureSource
from core.pages import PageVersion, StoredPart
from core.ports import PageStore
from crawler.browsing import screenshots
from crawler.browsing.screenshots import DEADLINE_S, Drawable, NoRendering, render_page
from crawler.formats.archive import detect_kind

MIB = 2**20
FAILED = Drawing(undrawn=Undrawn.FAILED)


@dataclass(frozen=True, slots=True)
class DrawingLimits:
    """The limits on renderings for one text.

    pages: including the first page. The other limits apply to all following pages together.
    """

    # Chosen in November 2026 on two cores. Chapters have 2 to 5 pages, at most 60. A page of 800 characters takes 0.95
    # s and 0.29 MB of PNG and PDF, one of 3,000 takes 1.03 s and 0.79 MB, so that 19 of the larger ones just fit.
    pages: int = 20
    following_s: float = 45.0
    following_mib: int = 16


def draw_pages(
    version: PageVersion, store: PageStore, chromium: str, limits: DrawingLimits | None = None
) -> dict[int, Drawing] | NoRendering:
    """Return the renderings of a version's pages by page number, from 1, or NoRendering if no page could be rendered.

    A page whose response is gone counts as not rendered. Raises BrokenInvariant if a response was changed.
    """
    allowed, browser = limits or DrawingLimits(), _Browser(version, store, chromium)
    own = StoredPart(
        version.final_url, version.status, version.headers, version.raw_digest, version.fetched_at,
        version.capture_digest,
    )  # fmt: skip
    first = browser.render(own, DEADLINE_S)
    if first is NoRendering.NO_BROWSER:
        return first
    found = {1: _convert_rendering(first, own.url)}
    budget = _Budget(allowed, time.monotonic() + allowed.following_s, allowed.following_mib * MIB)
    for number, page in enumerate(version.parts, 2):
        found[number] = budget.draw_page(number, page, browser)
    is_any = any(each.screenshot for each in found.values())
    return found if is_any else NoRendering.BROWSER_FAILED


@dataclass(slots=True)
class _Budget:
    """The remaining budget for the following pages. end: a time of the monotonic clock."""

    limits: DrawingLimits
    end: float
    left_bytes: int

    def draw_page(self, number: int, page: StoredPart, browser: "_Browser") -> Drawing:
        """Return the rendering of one page, or the reason why there is none."""
        if number > self.limits.pages:
            return Drawing(undrawn=Undrawn.PAGES, limit=self.limits.pages)
        left_s = self.end - time.monotonic()
        seen = browser.render(page, min(DEADLINE_S, left_s)) if left_s > 0 else NoRendering.BROWSER_FAILED
        if isinstance(seen, NoRendering):
            is_late = time.monotonic() >= self.end
            return Drawing(undrawn=Undrawn.TIME, limit=int(self.limits.following_s)) if is_late else FAILED
        size = len(seen.png) + len(seen.pdf)
        if size > self.left_bytes:
            return Drawing(undrawn=Undrawn.SIZE, limit=self.limits.following_mib)
        self.left_bytes -= size
        return _convert_rendering(seen, page.url)


class _Browser:
    """Renders the pages of one version, each in its own process, with the resources fetched for any of them."""

    def __init__(self, version: PageVersion, store: PageStore, chromium: str) -> None:
        self._store, self._chromium = store, chromium
        # A style sheet that all pages use was fetched with only one of the pages.
        names = (version.capture_digest, *(part.capture_digest for part in version.parts))
        wires = (store.capture(name) for name in names if name)
        self._shared = tuple(each for wire in wires if wire for each in wire.resources)

    def render(self, page: StoredPart, deadline_s: float) -> screenshots.ResponseRendering | NoRendering:
        """Render one page from the response that its text was read from, for at most `deadline_s` seconds."""
        wire = self._store.capture(page.capture_digest) if page.capture_digest else None
        is_browser = wire is not None and wire.source is CaptureSource.BROWSER
        told = "the document that the browser of the crawl held" if is_browser else "the stored response"
        resources = (*self._shared, *(wire.resources if wire else ()))  # the page's own take precedence
        body = self._store.raw(page.raw_digest)
        if body is None or detect_kind(body):  # A browser would download such a file and render nothing.
            return NoRendering.BROWSER_FAILED
        drawable = Drawable(body, dict(page.headers), page.url, resources, told)
        return render_page(drawable, chromium=self._chromium, deadline_s=deadline_s)


def _convert_rendering(seen: screenshots.ResponseRendering | NoRendering, url: str) -> Drawing:
    """Convert the browser's rendering of the page at `url` to the bundle's format."""
    if isinstance(seen, NoRendering):
        return FAILED
    given = (seen.rendered_at, seen.how, url, seen.served, seen.missing, seen.refused_requests)
    pdf = Rendering(seen.pdf, "application/pdf", *given) if seen.pdf else None
    return Drawing(Rendering(seen.png, "image/png", *given), pdf)
