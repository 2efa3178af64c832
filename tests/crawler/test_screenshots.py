"""Stored responses drawn by a real Chromium; each page tries something."""

import base64
import io
import os
import resource
import tempfile
import time
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from PIL import Image

from core.captures import CapturedResource
from crawler.browsing.chromium import find_chromium
from crawler.browsing.screenshots import (
    MAX_HEIGHT_PX,
    MAX_LISTED,
    WIDTH_PX,
    Drawable,
    NoRendering,
    ResponseRendering,
    render,
    render_page,
)
from tests.support.web_server import Answer, WebServer

pytestmark = pytest.mark.usefixtures("browsers")

needs_chromium = pytest.mark.skipif(find_chromium() is None, reason="no Chromium is installed")
HTML = {"Content-Type": "text/html; charset=utf-8"}
RED, GREEN = (200, 30, 40), (20, 160, 60)


def drawn(markup: str, url: str = "https://pirate.example/1", **more: str) -> ResponseRendering:
    result = render(markup.encode(), {**HTML, **more}, url)
    assert isinstance(result, ResponseRendering)
    return result


def colour(rendering: ResponseRendering, x: int = 640, y: int = 300) -> tuple[int, ...]:
    picture = Image.open(io.BytesIO(rendering.png)).convert("RGB")
    pixel = picture.getpixel((x, y))
    assert isinstance(pixel, tuple)
    return pixel


def coloured(colour: tuple[int, int, int], body: str = "", head: str = "") -> str:
    return (
        f"<html><head>{head}<style>body{{background:rgb{colour};height:900px}}</style></head><body>{body}</body></html>"
    )


@needs_chromium
def test_a_process_that_has_many_files_open_draws_as_any_other() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 2_048:
        pytest.skip(f"this machine allows a process {hard} files")
    with ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, (soft, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2_048), hard))
        for _ in range(1_024):
            stack.enter_context(Path(os.devnull).open())
        assert drawn(coloured(RED)).png


@needs_chromium
def test_the_picture_shows_what_was_fetched_in_its_whole_length() -> None:
    rendering = drawn(coloured(RED) + "<div style='height:2000px'>渡口</div>")
    assert Image.open(io.BytesIO(rendering.png)).size == (WIDTH_PX, rendering.height_px)
    assert rendering.height_px == rendering.page_height_px > 1_999
    assert colour(rendering, y=1_900) == RED
    assert rendering.pdf.startswith(b"%PDF-")
    assert rendering.browser.startswith("Chromium ")
    assert "stored response" in rendering.how


@needs_chromium
def test_nothing_but_the_stored_response_is_asked_for() -> None:
    with WebServer({"/x.css": Answer(b"body{background:blue}", "text/css")}) as other:
        head = f"<link rel=stylesheet href='{other.url('/x.css')}'><link rel=preconnect href='{other.url('/')}'>"
        body = f"<img src='{other.url('/a.png')}'><iframe src='{other.url('/f')}'></iframe>"
        rendering = drawn(coloured(RED, body, head), other.url("/page"))
        assert other.requested == []
    assert rendering.refused_requests >= 3  # Chromium may want an icon besides
    assert colour(rendering) == RED


@needs_chromium
def test_no_script_runs_nothing_leads_away_and_what_would_be_saved_is_shown() -> None:
    script = f"<script>document.body.style.background='rgb{GREEN}'</script>"
    away = "<meta http-equiv=refresh content='0;url=https://elsewhere.example/'>"
    assert colour(drawn(coloured(RED, script, away), **{"Content-Type": "application/octet-stream"})) == RED


@needs_chromium
def test_a_page_without_end_is_cut_and_says_so() -> None:
    rendering = drawn("<div style='height:40000px'></div>")
    assert rendering.height_px == MAX_HEIGHT_PX
    assert rendering.is_cut
    assert f"the first {MAX_HEIGHT_PX:,} of " in rendering.how


@needs_chromium
def test_nothing_of_the_browser_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(tempfile.mkdtemp())  # pytest's own cannot be entered by the user whom a browser runs as under root
    folder.chmod(0o755)
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    drawn(coloured(RED))
    assert list(folder.iterdir()) == []
    deadline = time.monotonic() + 60
    while _processes_in(folder):
        assert time.monotonic() < deadline, "processes of the browser live on"
        time.sleep(0.05)
    folder.rmdir()


def test_without_a_browser_that_is_a_fact() -> None:
    assert render(b"x", HTML, "https://a.example/", chromium="/nowhere/chromium") is NoRendering.NO_BROWSER


@pytest.mark.parametrize("program", ["/bin/true", "/bin/cat"])
def test_a_browser_that_does_not_do_its_work_is_a_fact_and_bounded(program: str) -> None:
    assert render(b"x", HTML, "https://a.example/", chromium=program, deadline_s=2.0) is NoRendering.BROWSER_FAILED


def _processes_in(folder: Path) -> list[int]:
    processes = psutil.process_iter(["cmdline"])
    return [each.pid for each in processes if any(str(folder) in part for part in each.info["cmdline"] or ())]


PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


@needs_chromium
def test_what_was_fetched_with_the_page_is_drawn_and_what_was_not_is_named() -> None:
    at = datetime(2026, 11, 20, tzinfo=UTC)
    with WebServer({"/look.css": Answer(b"body{background:blue}", "text/css")}) as site:
        sheet = f"body{{background:rgb{GREEN};height:900px}}".encode()
        kept = (
            CapturedResource(site.url("/look.css?版=1"), "text/css", at, sheet),
            CapturedResource("http://pictures.example/字.png", "image/png", at, PIXEL),
        )
        head = '<link rel=stylesheet href="/look.css?版=1#x"><link rel=stylesheet href="/never.css">'
        body = '<img src="http://pictures.example/字.png" width=50 height=50><img src="/lost.png">'
        page = f"<html><head><meta charset=utf-8>{head}</head><body>{body}</body></html>".encode()
        rendering = render_page(Drawable(page, HTML, site.url("/page"), kept))
        assert isinstance(rendering, ResponseRendering)
        assert site.requested == []
        assert colour(rendering) == GREEN
        assert set(rendering.served) == {each.url for each in kept}
        assert {site.url("/never.css"), site.url("/lost.png")} <= set(rendering.missing)
        assert not set(rendering.served) & set(rendering.missing)
    assert rendering.refused_requests >= 2
    assert "2 resources given that were fetched with the page" in rendering.how


@needs_chromium
def test_a_font_of_another_host_that_was_fetched_is_used() -> None:
    """Each character is drawn as one wide black box, which no font of the system does."""
    font = box_font()
    kept = (CapturedResource("https://fonts.example/x.ttf", "font/ttf", datetime(2026, 11, 20, tzinfo=UTC), font),)
    style = "@font-face{font-family:x;src:url(https://fonts.example/x.ttf)} body{margin:0;font:400px/400px x}"
    page = f"<html><head><meta charset=utf-8><style>{style}</style></head><body>追</body></html>".encode()
    with_font = render_page(Drawable(page, HTML, "https://pirate.example/1", kept))
    without = render_page(Drawable(page, HTML, "https://pirate.example/1"))
    assert isinstance(with_font, ResponseRendering)
    assert isinstance(without, ResponseRendering)
    inside = [(40, 60), (200, 200), (360, 60)]
    assert [colour(with_font, *place) for place in inside] == [(0, 0, 0)] * 3
    assert [colour(without, *place) for place in inside] != [(0, 0, 0)] * 3
    assert without.missing == ("https://fonts.example/x.ttf",)


@needs_chromium
def test_what_a_page_asks_for_without_end_is_counted_and_not_all_listed() -> None:
    rendering = drawn(coloured(RED, "".join(f"<img src='/{n}.png'>" for n in range(200))))
    assert rendering.refused_requests >= 200
    assert len(rendering.missing) == MAX_LISTED


def box_font() -> bytes:
    """A font whose only glyph, for 追, is a full black box."""
    pen = TTGlyphPen(None)
    for number, place in enumerate(((0, -200), (0, 800), (1000, 800), (1000, -200))):
        (pen.moveTo if number == 0 else pen.lineTo)(place)
    pen.closePath()
    box, empty = pen.glyph(), TTGlyphPen(None).glyph()
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", "box"])
    builder.setupCharacterMap({ord("追"): "box"})
    builder.setupGlyf({".notdef": empty, "box": box})
    builder.setupHorizontalMetrics({".notdef": (1000, 0), "box": (1000, 0)})
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "x", "styleName": "Regular"})
    builder.setupOS2(sTypoAscender=800, sTypoDescender=-200, usWinAscent=800, usWinDescent=200)
    builder.setupPost()
    out = io.BytesIO()
    builder.save(out)
    return out.getvalue()
