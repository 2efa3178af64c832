"""Fonts and pictures that show other characters than the source has, with the faces that this machine has."""

import base64
import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from core.obfuscations import Obfuscation
from core.pages import Reading
from crawler.fetching.resources import ResourceKind, Resources
from crawler.obfuscation.deobfuscation import RenderContext, open_render_context
from crawler.obfuscation.font_process import FontProcess
from crawler.obfuscation.glyph_ocr import NoRecognizer
from crawler.obfuscation.reference_fonts import ReferenceFonts, free_fonts
from crawler.reading import read_page
from laboratory.extraction.obfuscated_pages.glyphs import Drawer, _marked, drawer
from laboratory.extraction.obfuscated_pages.page import ADDRESS, Body, PageFiles, page_of
from laboratory.extraction.obfuscated_pages.prose import paragraphs
from laboratory.extraction.obfuscations import faces
from tests.support.machine_cache import ONE_FACE, TWO_FACES

pytestmark = [
    pytest.mark.skipif(not free_fonts(), reason="this machine has no free Chinese face to compare with"),
    pytest.mark.usefixtures("processes"),
]


class Served:
    def __init__(self) -> None:
        self.files = PageFiles({})

    def of_page(self, url: str) -> Resources:
        return self.files


@pytest.fixture(scope="module")
def served() -> Served:
    return Served()


@pytest.fixture(scope="module")
def eyes(served: Served) -> Iterator[RenderContext]:
    opened = open_render_context(served.of_page, ONE_FACE, NoRecognizer())
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def hand() -> Drawer:
    return drawer(free_fonts()[0])


@pytest.fixture
def foreign() -> Drawer:
    """With a face beside the references."""
    if not faces()[1]:
        pytest.skip("this machine has no face beside the references")
    return drawer(faces()[1][0])


def read(body: Body, served: Served, eyes: RenderContext, *, is_external: bool = False) -> Reading:
    page = page_of("x", None, body, is_external=is_external)
    served.files = PageFiles(page.files)
    reading = read_page(page.html.encode(), {"Content-Type": "text/html; charset=utf-8"}, ADDRESS, context=eyes)
    assert isinstance(reading, Reading)
    return reading


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("way", "kind", "is_external"),
    [
        ("private_font", Obfuscation.FONT, False),
        ("remapped_font", Obfuscation.FONT, True),
        ("pictures", Obfuscation.PICTURE_TEXT, False),
        ("strip", Obfuscation.PICTURE_TEXT, True),
    ],
)
def test_drawn_characters_are_read(
    way: str, kind: Obfuscation, is_external: bool, seed: int, served: Served, eyes: RenderContext, hand: Drawer
) -> None:
    rng = Random(seed)
    body: Body = getattr(hand, way)(paragraphs(rng), rng)
    reading = read(body, served, eyes, is_external=is_external)
    assert reading.text == body.truth
    assert {one.kind for one in reading.obfuscations} == {kind}
    assert reading.raw_text not in ("", reading.text)


def test_of_a_picture_for_several_screens_the_one_of_a_desktop_is_read(
    served: Served, eyes: RenderContext, hand: Drawer
) -> None:
    rng = Random(2)
    body = hand.pictures(paragraphs(rng), rng)
    printed, shown = (
        '<source media="print" srcset="/n.png">',
        r'<source media="(width > 800px)" srcset="\2 1x, /n.png 2x">',
    )
    picture = rf'<picture>{printed}{shown}<img \1src="/n.png"\3></picture>'
    markup = [re.sub('<img ([^>]*)src="([^"]+)"([^>]*)>', picture, each) for each in body.markup]
    assert markup != list(body.markup)
    assert read(replace(body, markup=markup), served, eyes).text == body.truth


def test_an_honest_font_changes_nothing(served: Served, eyes: RenderContext, hand: Drawer) -> None:
    rng = Random(9)
    text = paragraphs(rng)
    body = hand._page(text, rng, {})
    reading = read(body, served, eyes)
    assert (reading.text, reading.obfuscations, reading.raw_text) == ("\n".join(text), (), "")


def test_without_faces_nothing_is_guessed(served: Served, hand: Drawer) -> None:
    rng = Random(4)
    body = hand.remapped_font(paragraphs(rng), rng)
    blind = open_render_context(served.of_page, ReferenceFonts([]), NoRecognizer())
    try:
        reading = read(body, served, blind)
    finally:
        blind.close()
    assert Obfuscation.FONT not in {one.kind for one in reading.obfuscations}


@pytest.mark.parametrize(
    "font", [b"", b"x" * 1000, b"wOF2" + b"\xff" * 5000, b"wOFF" + b"\x00\x01" * 4000, b"OTTO" + b"\x00" * 300]
)
def test_a_broken_font_draws_nothing_and_the_next_is_drawn_all_the_same(font: bytes, hand: Drawer) -> None:
    process = FontProcess()
    try:
        broken = process.draw(font, [ord("字")])
        assert broken is None or not broken.codes
        good = hand._font({"\ue001": "字"}, Random(1))
        glyphs = process.draw(good, [0xE001])
        assert glyphs.codes == [0xE001]
        assert glyphs.rasters.max() == 255
    finally:
        process.close()


def test_a_data_address_carries_a_resource_and_no_more_than_it_may() -> None:
    files = PageFiles({})
    assert files.get("data:text/css;base64," + base64.b64encode(b"p{}").decode(), ResourceKind.STYLE) == b"p{}"
    assert files.get("data:text/css," + "a" * 3_000_000, ResourceKind.STYLE) is None


def test_a_picture_between_digits_of_a_sentence_is_read(served: Served, eyes: RenderContext, hand: Drawer) -> None:
    rng = Random(8)
    text = [*paragraphs(rng), "他在1963年11月22日写下这封信，一直放在抽屉里没有寄出。"]
    files = {"/img/1.png": hand._png("年", 26, is_clear=False), "/img/2.png": hand._png("月", 26, is_clear=False)}
    body = _marked(text, {"年": '<img src="/img/1.png">', "月": '<img src="/img/2.png">'}, files=files)
    assert read(body, served, eyes).text == "\n".join(text)


def test_a_character_that_no_reference_knows_is_told_as_doubtful(
    served: Served, eyes: RenderContext, hand: Drawer
) -> None:
    rng = Random(4)
    text = [*paragraphs(rng), "旧书里把他叫作一方䶮主，后来再没有人提起过。"]
    chars = sorted({char for char in "".join(text) if "㐀" <= char <= "龥"})
    codes = {char: chr(0xE100 + number) for number, char in enumerate(chars)}
    reading = read(hand._page(text, rng, codes), served, eyes)
    wrong = [got for got, true in zip(reading.text, "\n".join(text), strict=True) if got != true]
    assert len(wrong) == 1
    assert reading.obfuscations[0].example.startswith(f"{wrong[0]}? · ")


@pytest.mark.skipif(len(free_fonts()) < 2, reason="this machine has fewer than two free Chinese faces")
def test_a_page_in_a_face_that_is_no_reference_is_read(served: Served, foreign: Drawer) -> None:
    rng = Random(5)
    opened = open_render_context(served.of_page, TWO_FACES, NoRecognizer())
    try:
        for body in (foreign.remapped_font(paragraphs(rng), rng), foreign.pictures(paragraphs(rng), rng)):
            assert read(body, served, opened).text == body.truth
    finally:
        opened.close()
