"""Obfuscations by drawn characters: obfuscated fonts, and pictures in place of characters."""

import base64
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.pens.transformPen import TransformPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from PIL import Image, ImageDraw, ImageFont

from crawler.characters.repertoire import FREQUENT_HAN, HAN
from laboratory.extraction.obfuscated_pages.page import Body

_PRIVATE = range(0xE000, 0xF8FF)
_EM = 1000


class Drawer:
    """Makes fonts and pictures from one font face."""

    def __init__(self, path: Path) -> None:
        self._face = TTFont(str(path), lazy=True, fontNumber=0)
        self._path = path
        self._glyphs, self._names = self._face.getGlyphSet(), self._face.getBestCmap()
        self._scale = _EM / self._face["head"].unitsPerEm
        self._outlines: dict[str, Any] = {}

    def private_font(self, paragraphs: Sequence[str], rng: Random) -> Body:
        """Replace a fifth or more of the different characters by private-use code points, with a font."""
        chars = self._han(paragraphs)
        chosen = rng.sample(chars, max(5, int(len(chars) * rng.uniform(0.2, 0.9))))
        codes = rng.sample(list(_PRIVATE), len(chosen))
        return self._page(paragraphs, rng, {char: chr(code) for char, code in zip(chosen, codes, strict=True)})

    def remapped_font(self, paragraphs: Sequence[str], rng: Random) -> Body:
        """Permute characters, with a font that draws the originals, so that the source is nonsense."""
        chars = self._han(paragraphs)
        pool = sorted({*chars, *(rng.sample(sorted(FREQUENT_HAN), 60))})
        pool = [char for char in pool if ord(char) in self._names]
        chosen = rng.sample(pool, max(12, int(len(pool) * rng.uniform(0.4, 1.0))))
        turned = chosen[1:] + chosen[:1]
        return self._page(paragraphs, rng, dict(zip(chosen, turned, strict=True)))

    def pictures(self, paragraphs: Sequence[str], rng: Random) -> Body:
        """Replace some characters by pictures, one file for each different character."""
        chars = self._han(paragraphs)
        chosen = rng.sample(chars, max(4, len(chars) // 8))
        size, is_clear = rng.randint(20, 36), rng.random() < 0.5
        files = {f"/img/{number}.png": self._png(char, size, is_clear=is_clear) for number, char in enumerate(chosen)}
        markup = {char: f'<img src="/img/{number}.png" style="height:1em">' for number, char in enumerate(chosen)}
        return _marked(paragraphs, markup, files=files)

    def strip(self, paragraphs: Sequence[str], rng: Random) -> Body:
        """Replace some characters by parts of one strip of pictures, which CSS positions in a box."""
        chars = self._han(paragraphs)
        chosen = rng.sample(chars, max(4, len(chars) // 8))
        size = rng.randint(22, 32)
        side = size + 6
        strip = Image.new("RGB", (side * len(chosen), side), "white")
        font, pen = ImageFont.truetype(str(self._path), size), ImageDraw.Draw(strip)
        for number, char in enumerate(chosen):
            pen.text((number * side + side / 2, side / 2), char, font=font, fill="black", anchor="mm")
        css = f".z{{display:inline-block;width:{side}px;height:{side}px;background-image:url(/img/z.png)}}"
        css += "".join(f".z{number}{{background-position:-{number * side}px 0}}" for number in range(len(chosen)))
        markup = {char: f'<i class="z z{number}"></i>' for number, char in enumerate(chosen)}
        return _marked(paragraphs, markup, css=css, files={"/img/z.png": _saved(strip)})

    def _han(self, paragraphs: Sequence[str]) -> list[str]:
        """Return the different Chinese characters of the paragraphs that the face contains, in order."""
        return sorted({char for char in "".join(paragraphs) if HAN.fullmatch(char) and ord(char) in self._names})

    def _page(self, paragraphs: Sequence[str], rng: Random, codes: dict[str, str]) -> Body:
        chars = {char for char in "".join(paragraphs) if ord(char) in self._names} | codes.keys()
        shown = {codes.get(char, char): char for char in chars if char not in codes.values() or char in codes}
        font = self._font(shown, rng)
        is_embedded = rng.random() < 0.5
        source = f"data:font/ttf;base64,{base64.b64encode(font).decode()}" if is_embedded else "/font/x.ttf"
        css = (
            f"@font-face{{font-family:'ReadX';src:url({source}) format('truetype')}}.content{{font-family:ReadX,serif}}"
        )
        table = {ord(char): code for char, code in codes.items()}
        markup = [f"<p>{escape(each.translate(table))}</p>" for each in paragraphs]
        return Body(markup, "\n".join(paragraphs), css=css, files={} if is_embedded else {"/font/x.ttf": font})

    def _font(self, shown: dict[str, str], rng: Random) -> bytes:
        """Return a TrueType font that draws each key as its value, slightly enlarged, shifted and slanted."""
        scale, slant = rng.uniform(0.92, 1.08), rng.uniform(-0.02, 0.02)
        move = (rng.uniform(-15, 15), rng.uniform(-15, 15))
        order = [".notdef", *(f"g{number}" for number in range(len(shown)))]
        glyphs = {".notdef": TTGlyphPen(None).glyph()}
        for name, char in zip(order[1:], shown.values(), strict=True):
            glyphs[name] = self._glyph(char, (scale, 0, slant, scale, *move))
        builder = FontBuilder(_EM, isTTF=True)
        builder.setupGlyphOrder(order)
        builder.setupCharacterMap({ord(code): name for code, name in zip(shown, order[1:], strict=True)})
        builder.setupGlyf(glyphs)
        builder.setupHorizontalMetrics(dict.fromkeys(order, (_EM, 0)))
        builder.setupHorizontalHeader(ascent=880, descent=-120)
        builder.setupNameTable({"familyName": "ReadX", "styleName": "Regular"})
        builder.setupOS2(sTypoAscender=880, sTypoDescender=-120)
        builder.setupPost()
        data = BytesIO()
        builder.save(data)
        return data.getvalue()

    def _glyph(self, char: str, change: tuple[float, ...]) -> Any:
        if char not in self._outlines:
            recorded = DecomposingRecordingPen(self._glyphs)
            self._glyphs[self._names[ord(char)]].draw(recorded)
            self._outlines[char] = recorded
        pen = TTGlyphPen(None)
        a, b, c, d, e, f = change
        factors = (a * self._scale, b, c * self._scale, d * self._scale, e, f)
        self._outlines[char].replay(TransformPen(Cu2QuPen(pen, 1.0, reverse_direction=True), factors))
        return pen.glyph()

    def _png(self, char: str, size: int, *, is_clear: bool) -> bytes:
        side = size + 4
        ground = (0, 0, 0, 0) if is_clear else (255, 255, 255, 255)
        picture = Image.new("RGBA", (side, side), ground)
        font = ImageFont.truetype(str(self._path), size)
        ImageDraw.Draw(picture).text((side / 2, side / 2), char, font=font, fill=(40, 40, 40, 255), anchor="mm")
        return _saved(picture)


@lru_cache(maxsize=4)
def drawer(path: Path) -> Drawer:
    """Return the cached drawer of a face."""
    return Drawer(path)


def _saved(picture: Image.Image) -> bytes:
    data = BytesIO()
    picture.save(data, "PNG")
    return data.getvalue()


def _marked(paragraphs: Sequence[str], markup: dict[str, str], *, files: dict[str, bytes], css: str = "") -> Body:
    lines = ["<p>" + "".join(markup.get(char) or escape(char) for char in each) + "</p>" for each in paragraphs]
    return Body(lines, "\n".join(paragraphs), css=css, files=files)
