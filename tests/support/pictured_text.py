"""Texts as pictures, in the ways in which sites show chapters so that no program reads them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

_NOT_FIRST = frozenset("，。！？；：、”’）》…")  # marks that begin no line
_MOST_HANGING = 2
_WATERMARK_STEP_PX = 400

Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Style:
    """How a text is drawn. page_px: where a picture ends, 0: never. noise: of brightness, one standard deviation."""

    name: str
    face: Path
    size: int = 22
    width: int = 800
    ink: Colour = (60, 60, 60)
    ground: Colour = (245, 238, 220)
    spacing: float = 1.7
    is_indented: bool = True
    is_upright: bool = False  # in columns, from right to left
    watermark: str = ""
    noise: float = 0.0
    format: str = "PNG"
    quality: int = 60
    page_px: int = 0
    margin: int = 24


def pictures_of(paragraphs: Sequence[str], style: Style) -> list[bytes]:
    """The text as one picture, or as several where pages end."""
    whole = _in_columns(paragraphs, style) if style.is_upright else _in_lines(paragraphs, style)
    pitch = round(style.size * style.spacing)
    pages = [whole]
    if style.page_px:
        step = max(1, style.page_px // pitch) * pitch
        cuts = [0, *range(style.margin + step - pitch // 6, whole.height - style.margin, step), whole.height]
        pages = [whole.crop((0, a, whole.width, b)) for a, b in pairwise(cuts)]
    return [_saved(_noisy(page, style.noise), style) for page in pages]


@lru_cache(maxsize=16)
def _font(face: Path, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(face), size)


def _wrapped(paragraphs: Sequence[str], per_line: int, *, is_indented: bool) -> list[str]:
    found = []
    for paragraph in paragraphs:
        rest = ("\u3000\u3000" if is_indented else "") + paragraph
        while len(rest) > per_line:
            cut = per_line
            while rest[cut] in _NOT_FIRST and cut > per_line - _MOST_HANGING:
                cut -= 1
            found.append(rest[:cut])
            rest = rest[cut:]
        found.append(rest)
    return found


def _in_lines(paragraphs: Sequence[str], style: Style) -> Image.Image:
    rows = _wrapped(paragraphs, (style.width - 2 * style.margin) // style.size, is_indented=style.is_indented)
    pitch = round(style.size * style.spacing)
    page = Image.new("RGB", (style.width, 2 * style.margin + len(rows) * pitch), style.ground)
    _mark(page, style)
    pen, font = ImageDraw.Draw(page), _font(style.face, style.size)
    for number, row in enumerate(rows):
        pen.text((style.margin, style.margin + number * pitch), row, font=font, fill=style.ink)
    return page


def _in_columns(paragraphs: Sequence[str], style: Style) -> Image.Image:
    height = style.width
    columns = _wrapped(paragraphs, (height - 2 * style.margin) // style.size, is_indented=style.is_indented)
    pitch = round(style.size * style.spacing)
    page = Image.new("RGB", (2 * style.margin + len(columns) * pitch, height), style.ground)
    pen, font = ImageDraw.Draw(page), _font(style.face, style.size)
    for number, column in enumerate(columns):
        left = page.width - style.margin - (number + 1) * pitch
        for place, char in enumerate(column):
            pen.text((left, style.margin + place * style.size), char, font=font, fill=style.ink)
    return page


def _mark(page: Image.Image, style: Style) -> None:
    """A watermark across the page, between ground and ink."""
    if not style.watermark:
        return
    colour = tuple(round(0.6 * ground + 0.4 * ink) for ground, ink in zip(style.ground, style.ink, strict=True))
    mark = Image.new("RGBA", (520, 80), (0, 0, 0, 0))
    ImageDraw.Draw(mark).text((0, 0), style.watermark, font=_font(style.face, 44), fill=(*colour, 255))
    turned = mark.rotate(25, expand=True)
    for top in range(0, page.height, _WATERMARK_STEP_PX):
        page.paste(turned, ((page.width - turned.width) // 2, top), turned)


def _noisy(page: Image.Image, noise: float) -> Image.Image:
    if not noise:
        return page
    grain = np.random.default_rng(1).normal(0, noise, (page.height, page.width, 1))
    return Image.fromarray((np.asarray(page, np.float64) + grain).clip(0, 255).astype(np.uint8))


def _saved(page: Image.Image, style: Style) -> bytes:
    data = BytesIO()
    options = {} if style.format in ("PNG", "GIF") else {"quality": style.quality}
    page.save(data, style.format, **options)
    return data.getvalue()
