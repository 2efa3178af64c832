"""Fonts and pictures that show other characters than the source has, with the faces that this machine has."""

import base64
from collections.abc import Iterator
from random import Random

import pytest

from core.pages import Disguise, Reading
from crawler.disguises.font_process import FontProcess
from crawler.disguises.glyph_ocr import NoRecognizer
from crawler.disguises.reference_fonts import ReferenceFonts, free_fonts
from crawler.disguises.sight import OpenEyes, open_eyes
from crawler.fetching.resources import ResourceKind, Resources
from crawler.reading import read_page
from laboratory.hidden_pages.drawn import Drawer, drawer
from laboratory.hidden_pages.page import ADDRESS, Body, PageFiles, page_of
from laboratory.hidden_pages.prose import paragraphs

pytestmark = pytest.mark.skipif(not free_fonts(), reason="this machine has no free Chinese face to compare with")


class Served:
    def __init__(self) -> None:
        self.files = PageFiles({})

    def of_page(self, url: str) -> Resources:
        return self.files


@pytest.fixture(scope="module")
def served() -> Served:
    return Served()


@pytest.fixture(scope="module")
def eyes(served: Served) -> Iterator[OpenEyes]:
    opened = open_eyes(served.of_page, ReferenceFonts(free_fonts()[:1]), NoRecognizer())
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def hand() -> Drawer:
    return drawer(free_fonts()[0])


def read(body: Body, served: Served, eyes: OpenEyes, *, is_external: bool = False) -> Reading:
    page = page_of("x", None, body, is_external=is_external)
    served.files = PageFiles(page.files)
    reading = read_page(page.html.encode(), {"Content-Type": "text/html; charset=utf-8"}, ADDRESS, sight=eyes)
    assert isinstance(reading, Reading)
    return reading


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("way", "kind", "is_external"),
    [
        ("private_font", Disguise.FONT, False),
        ("remapped_font", Disguise.FONT, True),
        ("pictures", Disguise.PICTURE_TEXT, False),
        ("strip", Disguise.PICTURE_TEXT, True),
    ],
)
def test_drawn_characters_are_read(
    way: str, kind: Disguise, is_external: bool, seed: int, served: Served, eyes: OpenEyes, hand: Drawer
) -> None:
    rng = Random(seed)
    body: Body = getattr(hand, way)(paragraphs(rng), rng)
    reading = read(body, served, eyes, is_external=is_external)
    assert reading.text == body.truth
    assert {one.kind for one in reading.disguises} == {kind}
    assert reading.raw_text not in ("", reading.text)


def test_an_honest_font_changes_nothing(served: Served, eyes: OpenEyes, hand: Drawer) -> None:
    rng = Random(9)
    text = paragraphs(rng)
    body = hand._page(text, rng, {})
    reading = read(body, served, eyes)
    assert (reading.text, reading.disguises, reading.raw_text) == ("\n".join(text), (), "")


def test_without_faces_nothing_is_guessed(served: Served, hand: Drawer) -> None:
    rng = Random(4)
    body = hand.remapped_font(paragraphs(rng), rng)
    blind = open_eyes(served.of_page, ReferenceFonts([]), NoRecognizer())
    try:
        reading = read(body, served, blind)
    finally:
        blind.close()
    assert Disguise.FONT not in {one.kind for one in reading.disguises}


@pytest.mark.parametrize(
    "font", [b"", b"x" * 1000, b"wOF2" + b"\xff" * 5000, b"wOFF" + b"\x00\x01" * 4000, b"OTTO" + b"\x00" * 300]
)
def test_a_broken_font_draws_nothing_and_the_next_is_drawn_all_the_same(font: bytes, hand: Drawer) -> None:
    process = FontProcess()
    try:
        broken = process.draw(font, [ord("字")])
        assert broken is None or not broken.codes
        good = hand._font({"\ue001": "字"}, Random(1))
        drawings = process.draw(good, [0xE001])
        assert drawings is not None
        assert drawings.codes == [0xE001]
        assert drawings.rasters.max() == 255
    finally:
        process.close()


@pytest.mark.parametrize("picture", [b"", b"GIF89a" + b"\xff" * 90, b"\x89PNG\r\n\x1a\n" + b"\x00" * 64, b"<svg/>"])
def test_a_broken_picture_has_no_ink(picture: bytes) -> None:
    process = FontProcess()
    try:
        assert process.ink(picture) is None
    finally:
        process.close()


def test_a_data_address_carries_a_resource_and_no_more_than_it_may() -> None:
    files = PageFiles({})
    assert files.get("data:text/css;base64," + base64.b64encode(b"p{}").decode(), ResourceKind.STYLE) == b"p{}"
    assert files.get("data:text/css," + "a" * 3_000_000, ResourceKind.STYLE) is None
