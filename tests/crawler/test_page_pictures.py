"""Chapters that are pictures: read by machine, marked so, compared; and pictures that are none stay what they are."""

import base64
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from opencc import OpenCC
from PIL import Image, ImageDraw, ImageFont
from rapidfuzz.distance import Levenshtein

from core.matches import MatchClass
from core.obfuscations import Obfuscation
from core.pages import Reading
from core.states import Rejection
from crawler.fetching.resources import ResourceKind, Resources, decode_data_url
from crawler.markup import parse
from crawler.obfuscation import text_process
from crawler.obfuscation.deobfuscation import RenderContext, deobfuscate, open_render_context
from crawler.obfuscation.glyph_ocr import is_installed
from crawler.obfuscation.reference_fonts import free_fonts
from crawler.obfuscation.text_process import PageBudget, TextProcess
from crawler.opening import Rejected
from crawler.readers.pages import SinglePage
from crawler.readers.worker import ReadingSession
from crawler.reading import read_page
from crawler.stats import NEEDS_OCR
from fingerprint.fingerprinting import fingerprint_text
from tests.crawler.crawl_process import crawl, finish, plan_of, settings_of, start
from tests.support.memory_chain import chain
from tests.support.pictured_text import Style, pictures_of
from tests.support.web_server import Answer, WebServer

pytestmark = [
    pytest.mark.skipif(not free_fonts(), reason="this machine has no free Chinese face to draw with"),
    pytest.mark.usefixtures("processes"),
]
needs_ocr = pytest.mark.skipif(not is_installed(), reason="the extra ocr is not installed")

URL = "https://novel.example/7/12.html"
TEXT = (
    "我家有一杆秤，红木的杆，黄铜的盘，形状像一只蹲着的青蛙。它在我祖父手里称过烟叶，在我父亲手里称过废铜。",
    "打秤的人我小时候见过一个。他每年秋收后到村里来，挑一副担子，一头是刨子和木杆，另一头是小炉子。",
    "他告诉过我秤星的讲究。旧时的秤一斤十六两，卖东西的人少给一两，损福；少给二两，伤禄；少给三两，折寿。",
)
LONG = [f"第{number}回，{each}" for number in "一二三四五六七" for each in TEXT]
PLAIN = Style("", (free_fonts() or [Path()])[0], width=620)
PHOTO = "photo.jpg"


class Files:
    """Resources over files by name; notes what is asked for."""

    def __init__(self) -> None:
        self.files: Mapping[str, bytes] = {}
        self.asked: list[str] = []

    def of_page(self, url: str) -> Resources:
        return self

    def get(self, url: str, kind: ResourceKind) -> bytes | None:
        if url.startswith("data:"):
            return decode_data_url(url, kind)
        assert kind is ResourceKind.PICTURE
        self.asked.append(url.rpartition("/")[2])
        return self.files.get(self.asked[-1])


@pytest.fixture(scope="module")
def served() -> Files:
    return Files()


@pytest.fixture(scope="module")
def eyes(served: Files) -> Iterator[RenderContext]:
    opened = open_render_context(served.of_page)
    yield opened
    opened.close()


def read(
    body: str, files: Mapping[str, bytes], served: Files, eyes: RenderContext, url: str = URL
) -> Reading | Rejected:
    served.files, served.asked = files, []
    head = '<meta charset="utf-8"><title>第十二章 秤_墨香阁</title>'
    frame = '<ul><li><a href="/">首页</a></li><li><a href="/list">书库</a></li></ul>'
    shown = f"{frame}<h1>第十二章 秤</h1>{body}<p><a href='13.html'>下一章</a></p>"
    html = f"<html><head>{head}</head><body>{shown}</body></html>"
    return read_page(html.encode(), {"Content-Type": "text/html"}, url, context=eyes)


def text_of(reading: Reading | Rejected) -> str:
    return reading.text if isinstance(reading, Reading) else ""


def is_nearly(text: str, lines: Sequence[str]) -> bool:
    """Line by line, but for a character in twenty."""
    found = text.split("\n")
    return len(found) == len(lines) and all(
        Levenshtein.normalized_similarity(line, truth) > 0.95 for line, truth in zip(found, lines, strict=True)
    )


def drawn(lines: Sequence[str] = TEXT, style: Style = PLAIN) -> bytes:
    return pictures_of(lines, style)[0]


def photo() -> bytes:
    pixels = np.kron(np.random.default_rng(3).random((12, 16)), np.ones((40, 50))) * 255
    return saved(Image.fromarray(pixels.astype(np.uint8)), "JPEG")


def saved(image: Image.Image, kind: str = "PNG") -> bytes:
    data = io.BytesIO()
    image.save(data, kind)
    return data.getvalue()


@needs_ocr
def test_a_chapter_that_is_a_picture_is_read_and_marked_as_read_by_machine(served: Files, eyes: RenderContext) -> None:
    reading = read('<div id="c"><img src="1.png"></div>', {"1.png": drawn()}, served, eyes)
    assert is_nearly(reading.text, TEXT)
    (found,) = reading.obfuscations
    assert (found.kind, found.count) == (Obfuscation.TEXT_PICTURE, 1)
    assert "1.png" in found.example
    assert found.kind.caveat is not None


@needs_ocr
@pytest.mark.parametrize(
    "markup",
    [
        '<div><img src="wait.gif" data-original="1.png"></div>',
        '<div><img srcset="1.png 1x, 2.png 2x"></div>',
        '<div><picture><source srcset="1.png"><img src="small.png"></picture></div>',
        '<div><a href="13.html"><img src="1.png" width="620"></a></div>',
        '<div><div style="width:620px;height:500px;background:url(1.png) no-repeat"></div></div>',
        '<div><img src="data:image/png;base64,DATA"></div>',
    ],
)
def test_pictures_are_found_however_they_are_put_in(markup: str, served: Files, eyes: RenderContext) -> None:
    carried = markup.replace("DATA", base64.b64encode(drawn()).decode())
    assert is_nearly(text_of(read(carried, {"1.png": drawn()}, served, eyes)), TEXT)
    assert ("1.png" in served.asked) is (carried == markup), "what the page carries is not asked for"


@needs_ocr
def test_a_sentence_that_goes_on_in_the_next_picture_stays_one_paragraph(served: Files, eyes: RenderContext) -> None:
    pages = pictures_of(TEXT, replace(PLAIN, page_px=80))
    assert len(pages) > 2
    files = {f"{number}.png": page for number, page in enumerate(pages)}
    body = "<div>" + "".join(f'<p><img src="{name}"></p>' for name in files) + "</div>"
    reading = read(body, files, served, eyes)
    assert is_nearly(text_of(reading), TEXT)
    assert reading.obfuscations[0].count == len(pages)


@needs_ocr
def test_a_chapter_half_in_pictures_is_read_whole_in_its_order(served: Files, eyes: RenderContext) -> None:
    lines = [line * 6 if place % 2 else line for place, line in enumerate(TEXT * 2)]
    assert sum(map(len, lines[1::2])) > 800
    files = {f"{place}.png": drawn([line], replace(PLAIN, margin=8)) for place, line in enumerate(lines)}
    shown = [f"<p>{line}</p>" if place % 2 else f'<p><img src="{place}.png"></p>' for place, line in enumerate(lines)]
    reading = read(f"<div>{''.join(shown)}</div>", files, served, eyes)
    assert is_nearly(text_of(reading), lines)
    assert [(each.kind, each.count) for each in reading.obfuscations] == [(Obfuscation.TEXT_PICTURE, 3)]


def test_a_page_with_a_text_and_photographs_asks_for_none(served: Files, eyes: RenderContext) -> None:
    body = "".join(f"<p>{line}</p>" for line in LONG)
    one = f'<div>{body}<p><img src="{PHOTO}"></p></div>'
    some = f'<div>{body.replace("</p><p>第三", "</p><p><img src=a.jpg></p><p>第三")}<p><img src="{PHOTO}"></p></div>'
    for page in (one, some):
        reading = read(page, {PHOTO: drawn(), "a.jpg": drawn()}, served, eyes)
        assert text_of(reading).split("\n") == LONG
        assert served.asked == []


def test_of_a_photo_story_one_picture_is_looked_at_and_the_recogniser_is_not_loaded(served: Files) -> None:
    files = {f"{number}.jpg": photo() for number in range(len(LONG))}
    body = "".join(f'<p>{line}</p><p><img src="{number}.jpg"></p>' for number, line in enumerate(LONG))
    fresh = open_render_context(served.of_page)
    try:
        assert text_of(read(f"<div>{body}</div>", files, served, fresh)).split("\n") == LONG
        assert len(served.asked) == 1
        process = fresh.texts._worker._worker
        maps = Path(f"/proc/{process.pid}/maps").read_text(encoding="utf-8")
        assert "onnxruntime" not in maps
    finally:
        fresh.close()


def test_what_frames_teasers_and_icons_show_is_not_asked_for(served: Files, eyes: RenderContext) -> None:
    text = drawn()
    files = {f"{name}.png": text for name in ("logo", "x", "y", "icon", "small", "cmt")}
    body = (
        '<header><img src="logo.png"></header><img src="small.png" width="120" height="160">'
        '<ul><li><a href="/b/1"><img src="x.png"></a></li><li><a href="/b/2"><img src="y.png"></a></li></ul>'
        '<p><img src="icon.png"></p><p><img src="icon.png"></p><div class="comment-list"><img src="cmt.png"></div>'
        '<img src="mark.svg">'
    )
    assert text_of(read(body, files, served, eyes)) == ""
    assert served.asked == []


def _banner() -> Image.Image:
    banner = Image.new("RGB", (728, 120), (250, 240, 220))
    pen, face = ImageDraw.Draw(banner), free_fonts()[0]
    pen.text((20, 10), "扫码下载墨香阁", font=ImageFont.truetype(str(face), 44), fill=(160, 20, 20))
    pen.text((20, 75), "千万小说免费读，更新快人一步", font=ImageFont.truetype(str(face), 24), fill=(60, 60, 60))
    return banner


def _cover() -> Image.Image:
    cover = Image.new("RGB", (400, 560), (30, 50, 90))
    pen, face = ImageDraw.Draw(cover), free_fonts()[0]
    pen.text((60, 60), "渡口无灯", font=ImageFont.truetype(str(face), 64), fill=(240, 230, 200))
    pen.text((150, 460), "沈渡 著", font=ImageFont.truetype(str(face), 26), fill=(240, 230, 200))
    return cover


def _comic() -> Image.Image:
    comic = Image.new("RGB", (700, 900), "white")
    pen, font = ImageDraw.Draw(comic), ImageFont.truetype(str(free_fonts()[0]), 26)
    for number, words in enumerate(("你怎么来了", "船要开了", "快走吧！", "等等我", "不等了", "又是你")):
        left, top = 60 + 330 * (number % 2), 40 + 290 * (number // 2)
        pen.rectangle((left - 40, top - 20, left + 270, top + 250), outline="black", width=4)
        pen.ellipse((left - 20, top - 10, left + 190, top + 60), outline="black", width=3)
        pen.text((left, top + 8), words, font=font, fill="black")
        pen.line((left, top + 240, left + 120, top + 90, left + 220, top + 240), fill="black", width=6)
    return comic


def _code() -> Image.Image:
    squares = np.kron(np.random.default_rng(5).integers(0, 2, (33, 33)), np.ones((9, 9))) * 255
    return Image.fromarray(squares.astype(np.uint8))


@needs_ocr
@pytest.mark.parametrize("make", [_banner, _cover, _comic, _code])
def test_advertisements_covers_comics_and_codes_give_no_page(make: object, served: Files, eyes: RenderContext) -> None:
    assert callable(make)
    reading = read('<div><img src="1.png"></div>', {"1.png": saved(make())}, served, eyes)
    assert served.asked == ["1.png"]
    assert text_of(reading) == ""


@needs_ocr
def test_an_advertisement_beside_a_chapter_of_pictures_is_left_out(served: Files, eyes: RenderContext) -> None:
    files = {"ad.jpg": photo(), "cover.png": saved(_cover()), "1.png": drawn()}
    body = '<div><img src="ad.jpg"></div><div><img src="cover.png"></div><div><img src="1.png"></div>'
    assert is_nearly(text_of(read(body, files, served, eyes)), TEXT)


def test_after_a_few_pictures_without_text_no_more_are_asked_for(served: Files, eyes: RenderContext) -> None:
    files = {f"{number}.jpg": photo() for number in range(30)}
    body = "".join(f'<div><img src="{name}"></div>' for name in files)
    assert text_of(read(body, files, served, eyes)) == ""
    assert len(served.asked) == 4


def test_a_single_page_that_nobody_can_read_here_says_why(served: Files) -> None:
    desk = ReadingSession(None, get_resources=served.of_page)
    desk.render_context.close()
    desk.render_context = open_render_context(served.of_page, texts=TextProcess(is_read=False))
    served.files = {"1.png": drawn()}
    body = b'<html><body><div><img src="1.png"></div></body></html>'
    try:
        found = SinglePage(body, {"Content-Type": "text/html"}, URL, is_seen=True).run(desk)
        assert isinstance(found, Rejected)
        assert (found.reason, found.message.code) == (Rejection.NO_MAIN_TEXT, NEEDS_OCR)
        unseen = SinglePage(body, {"Content-Type": "text/html"}, URL).run(desk)
        assert isinstance(unseen, Rejected)
        assert unseen.message.code == "page.no-text"
    finally:
        desk.close()


def test_a_crawl_without_the_extra_says_once_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loopback: None
) -> None:
    hidden = "import sys\nsys.modules['rapidocr_onnxruntime'] = None\n"
    (tmp_path / "sitecustomize.py").write_text(hidden, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))  # processes that are started from here on begin with it
    routes = {"/": Answer("<a href='/1.html'>第一章</a><a href='/2.html'>第二章</a>".encode())}
    for number in (1, 2):
        page = f'<html><title>第{number}章</title><body><div><img src="/{number}.png"></div></body></html>'
        routes |= {f"/{number}.html": Answer(page.encode()), f"/{number}.png": Answer(drawn(), "image/png")}
    with WebServer(routes) as server:
        crawled = finish(*start(plan_of(server.url("/")), settings_of(server.netloc), is_fresh=True))
    assert [fault.code for fault in crawled.counts.faults] == [NEEDS_OCR]
    assert crawled.counts.rejected[Rejection.NO_MAIN_TEXT] == 3


def test_what_takes_more_than_a_page_may_is_left_and_told(
    served: Files, eyes: RenderContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = saved(Image.new("1", (30_000, 30_000)))
    served.files = {"1.png": bomb, "2.png": b"\x89PNG\r\n\x1a\n" + b"\x00" * 400}
    tree = parse('<body><div><img src="1.png"></div><div><img src="2.png"></div></body>')
    assert tree is not None
    (note,) = deobfuscate(tree, URL, eyes).notes
    assert note.code == "page.pictures-left"
    assert note.params["count"] == 2
    monkeypatch.setattr(text_process, "MAX_SECONDS_OF_PAGE", 0.0)
    assert PageBudget(0.0).is_spent


@needs_ocr
def test_noise_ends_early_and_leaves_the_rest_of_the_page(served: Files, eyes: RenderContext) -> None:
    strokes = Image.new("L", (1_200, 4_000), 255)
    pen, random = ImageDraw.Draw(strokes), Random(4)
    for row in range(20, 3_960, 40):
        for left in range(20, 1_160, 24):
            x, y = left + random.randint(0, 8), row + random.randint(0, 8)
            pen.line((x, y, x + random.randint(-9, 9), y + 14), fill=0, width=2)
    line = TEXT[0]
    reading = read(f'<div><p>{line}</p><img src="1.png"></div>', {"1.png": saved(strokes)}, served, eyes)
    assert text_of(reading) == line


@needs_ocr
def test_a_process_that_dies_costs_one_picture_and_what_was_read_is_kept(served: Files) -> None:
    process = TextProcess()
    try:
        first = process.read_picture(drawn(TEXT[:1]), PageBudget())
        assert first is not None
        worker = process._worker._worker
        worker.kill()
        worker.wait()
        again = process.read_picture(drawn(TEXT[1:2]), PageBudget())
        assert again.lines
        process._worker.close()
        assert process.read_picture(drawn(TEXT[:1]), PageBudget()) is first
        assert process.read_picture(drawn(TEXT[2:3]), PageBudget()) is None
    finally:
        process.close()


_STYLES = {
    "grey-on-beige": replace(PLAIN, size=20),
    "light-on-dark": replace(PLAIN, ink=(205, 205, 205), ground=(22, 22, 30), size=18),
    "jpeg": replace(PLAIN, format="JPEG", noise=6.0),
    "watermark": replace(PLAIN, watermark="墨香阁 www.mo.example", page_px=300),
    "traditional": replace(PLAIN, face=(free_fonts() or [Path()])[-1], size=24),
}


@needs_ocr
def test_chapters_as_pictures_are_found_as_copies_of_their_work(loopback: None) -> None:
    routes: dict[str, Answer] = {}
    for number, (name, style) in enumerate(_STYLES.items()):
        lines = [OpenCC("s2t").convert(line) for line in TEXT] if name == "traditional" else TEXT
        pictures = pictures_of(lines, style)
        kind = style.format.lower()
        images = "".join(f'<p><img src="/i/{number}-{each}.{kind}"></p>' for each in range(len(pictures)))
        page = f"<html><head><title>第{number + 1}章 {name}</title></head><body><div>{images}</div></body></html>"
        routes[f"/{name}.html"] = Answer(page.encode())
        routes |= {f"/i/{number}-{each}.{kind}": Answer(data, f"image/{kind}") for each, data in enumerate(pictures)}
    routes["/"] = Answer("".join(f'<a href="/{name}.html">{name}</a>' for name in _STYLES).encode())
    with WebServer(routes) as server:
        crawled = crawl(plan_of(server.url("/")), settings_of(server.netloc))
    assert len(crawled.store.versions) == len(_STYLES), crawled.counts
    whole = chain()
    (work,) = whole.add_work("秤", "\n".join(TEXT))
    whole.run()
    ports = whole.ports
    for fetched, reading in crawled.store.versions.values():
        assert [each.kind for each in reading.obfuscations] == [Obfuscation.TEXT_PICTURE]
        pictures_kept = {each.url.rpartition("/")[2] for each in fetched.capture.resources}
        assert len(pictures_kept) == reading.obfuscations[0].count
        (match,) = ports.matcher.match(reading.text, fingerprint_text(reading.text, ports.algorithm))
        assert match.text_id == work
        assert match.match_class in (MatchClass.IDENTICAL, MatchClass.LIGHTLY_EDITED), reading.title
        assert match.work_containment > 0.85
        for span in match.spans:
            said = reading.text[span.page.start : span.page.end]
            theirs = "\n".join(TEXT)[span.work.start : span.work.end]
            assert Levenshtein.normalized_similarity(OpenCC("t2s").convert(said), theirs) > 0.8
