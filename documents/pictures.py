"""Pictures of pages as papers show them: as wide as the text, no longer than a sheet, small enough for mail."""

import io
from dataclasses import dataclass, field

from PIL import Image

# Chosen: 16.2 cm at 113 dpi, at which a page's text is read on paper. A sheet full of text has 140 kB, so that 50 of
# them stay below 7 MB (800 px: 8 MB; a JPEG of the same size is less sharp).
WIDTH_PX = 720
# The sheet below its heading has 16.2 by some 21 cm.
MAX_HEIGHT_PX = 936
COLORS = 32  # of text and a few pictures


@dataclass(frozen=True, slots=True)
class PagePicture:
    """A PNG of the beginning of a page. is_cut: the page goes on below."""

    content: bytes = field(repr=False)
    is_cut: bool


def page_picture(png: bytes) -> PagePicture:
    """Return the screenshot of a page made fit for a paper. Raises OSError, ValueError for what is no picture."""
    with Image.open(io.BytesIO(png), formats=["PNG"]) as picture:
        wanted = min(picture.height, round(picture.width * MAX_HEIGHT_PX / WIDTH_PX))
        is_cut = wanted < picture.height
        top = picture.convert("RGB").crop((0, 0, picture.width, wanted))
    width = min(WIDTH_PX, top.width)
    small = top.resize((width, max(1, round(top.height * width / top.width))), Image.Resampling.LANCZOS)
    kept = io.BytesIO()
    small.quantize(COLORS, dither=Image.Dither.NONE).save(kept, "PNG", optimize=True)
    return PagePicture(kept.getvalue(), is_cut)
