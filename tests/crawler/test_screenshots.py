"""Stored responses drawn by a real Chromium; each page tries something."""

import io
import tempfile
import time
from pathlib import Path

import psutil
import pytest
from PIL import Image

from crawler.browsing.chromium import find_chromium
from crawler.browsing.screenshots import MAX_HEIGHT_PX, WIDTH_PX, NoRendering, Rendering, render
from tests.support.web_server import Answer, WebServer

needs_chromium = pytest.mark.skipif(find_chromium() is None, reason="no Chromium is installed")
HTML = {"Content-Type": "text/html; charset=utf-8"}
RED, GREEN = (200, 30, 40), (20, 160, 60)


def drawn(markup: str, url: str = "https://pirate.example/1", **more: str) -> Rendering:
    result = render(markup.encode(), {**HTML, **more}, url)
    assert isinstance(result, Rendering)
    return result


def colour(rendering: Rendering, x: int = 640, y: int = 300) -> tuple[int, ...]:
    picture = Image.open(io.BytesIO(rendering.png)).convert("RGB")
    pixel = picture.getpixel((x, y))
    assert isinstance(pixel, tuple)
    return pixel


def coloured(colour: tuple[int, int, int], body: str = "", head: str = "") -> str:
    return (
        f"<html><head>{head}<style>body{{background:rgb{colour};height:900px}}</style></head><body>{body}</body></html>"
    )


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
def test_scripts_do_not_run() -> None:
    script = f"<script>document.body.style.background='rgb{GREEN}'</script>"
    assert colour(drawn(coloured(RED, script))) == RED


@needs_chromium
def test_a_page_that_sends_itself_elsewhere_stays() -> None:
    away = "<meta http-equiv=refresh content='0;url=https://elsewhere.example/'>"
    assert colour(drawn(coloured(RED, head=away))) == RED


@needs_chromium
def test_a_response_that_a_browser_would_save_is_shown() -> None:
    rendering = drawn(coloured(RED), **{"Content-Type": "application/octet-stream"})
    assert colour(rendering) == RED


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
    deadline = time.monotonic() + 10
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
