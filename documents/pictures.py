"""Scales screenshots of pages for documents: as wide as the text, at most one sheet long, small enough for mail."""

import io
from dataclasses import dataclass, field

from PIL import Image

# Chosen: 16.2 cm at 113 dpi, enough to read a page's text on paper. A sheet full of text has 140 kB, so 50 sheets stay
# below 7 MB (800 px: 8 MB; a JPEG of the same size is less sharp).
WIDTH_PX = 720
# 16.2 by about 21 cm of the sheet remain below the heading.
MAX_HEIGHT_PX = 936
COLORS = 32  # enough for text and a few pictures


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A PNG image of the top of a page. is_cut: whether the page continues below."""

    content: bytes = field(repr=False)
    is_cut: bool


def page_picture(png: bytes) -> PagePicture:
    """Scale the screenshot of a page to a document's width, and cut it to the height of a sheet.

    Raises OSError or ValueError if it is not a valid PNG.
    """
    with Image.open(io.BytesIO(png), formats=["PNG"]) as picture:
        wanted = min(picture.height, round(picture.width * MAX_HEIGHT_PX / WIDTH_PX))
        is_cut = wanted < picture.height
        top = picture.convert("RGB").crop((0, 0, picture.width, wanted))
    width = min(WIDTH_PX, top.width)
    small = top.resize((width, max(1, round(top.height * width / top.width))), Image.Resampling.LANCZOS)
    kept = io.BytesIO()
    small.quantize(COLORS, dither=Image.Dither.NONE).save(kept, "PNG", optimize=True)
    return PagePicture(kept.getvalue(), is_cut)
