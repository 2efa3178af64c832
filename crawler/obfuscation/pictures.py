"""Replaces images inside sentences by the characters that they display.

An image counts as a character if it is inside a sentence and no larger than a character. The visible part of a sprite
counts as well.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lxml.html import HtmlElement

from core.obfuscations import Obfuscation
from crawler.characters.repertoire import HAN, count_han
from crawler.css.cascade import Cascade, Properties
from crawler.css.conditions import media_screens
from crawler.css.values import DESKTOP, DESKTOP_UNITS, first_url, length_px, parse_value, token_px
from crawler.fetching.resources import ResourceKind, absolute_url
from crawler.obfuscation.glyph_choice import detect_script, mark_doubtful
from crawler.obfuscation.picture_reader import MAX_CHARS, PicturePart, PictureReader
from crawler.obfuscation.repairs import STYLE, HanCounts, MarkedPage, Repair, Repaired
from crawler.obfuscation.visibility import INLINE

MIN_PICTURES = 2  # in the sentences of one page; a single image is an ornament
MIN_HAN_AROUND_DIGITS = 10  # of the block, if an image is between digits: 1963年11月
# Scripts copy the other attributes to "src" when a reader scrolls near the image; forums use "file".
_SOURCES = ("data-src", "data-original", "data-lazy-src", "data-lazyload", "data-echo", "zoomfile", "file", "src")
MAX_STATED_PX = 120.0  # maximum height; 40 px is usual, and images for high-density screens have three times that


@dataclass(frozen=True, slots=True)
class _PicturePlace:
    element: HtmlElement
    address: str
    # Left, top, width and height of the visible part of a sprite, in px.
    box: tuple[float, float, float, float] | None = None


def write_pictured(page: MarkedPage, reader: PictureReader) -> list[Repaired]:
    """Insert the characters that images inside sentences display into the page's tree. The tree is changed.

    Return a record for each image that is replaced.
    """
    repaired = list(_write_drawn_text(page))
    places = list(_places(page.tree, page.styles, page.base))
    if len(places) < MIN_PICTURES or not reader.can_read:
        return repaired
    script = detect_script(page.tree.text_content())
    found = [(place, page.resources.get(place.address, ResourceKind.PICTURE)) for place in places]
    there = [(place, PicturePart(picture, place.box)) for place, picture in found if picture]
    if not there:
        return repaired
    texts = reader.texts([part for _, part in there], script)
    for (place, _), read in zip(there, texts, strict=True):
        if read.text:
            _replace(place.element, read.text)
            name = place.address if not place.address.startswith("data:") else "data:"
            example = f"{mark_doubtful(read.doubtful)}{read.text} ← {name[-60:]}"
            repaired.append(Repaired(Obfuscation.PICTURE_TEXT, place.element, 1, example))
    return repaired


def stands_in_sentence(element: HtmlElement, han: HanCounts) -> bool:
    """Return True if an element adjoins a character of a sentence, or is between characters and elements of its tag."""
    parent, brother, after = element.getparent(), element.getprevious(), element.getnext()
    if parent is None:
        return False
    before = (brother.tail if brother is not None else parent.text) or ""
    near = before.rstrip()[-1:] + (element.tail or "").lstrip()[:1]
    if count_han(near) or re.search("[，。！？；：、“”「」…]", near):
        return True
    if re.fullmatch(r"\d\d", near) and han[parent] >= MIN_HAN_AROUND_DIGITS:
        return True
    is_between = any(
        other is not None and other.tag == element.tag and not text.strip()
        for other, text in ((brother, before), (after, element.tail or ""))
    )
    return is_between and han[parent] >= MIN_PICTURES


def _places(tree: HtmlElement, styles: Cascade, base: str) -> Iterator[_PicturePlace]:
    han = HanCounts()
    for element in tree.iter("img", *INLINE):
        if element.tag == "img":
            place = next(element.iterancestors("picture"), element)
            address = absolute_url(base, image_source(element, place))
            if address and _is_small(element, styles.properties(element)) and stands_in_sentence(place, han):
                yield _PicturePlace(place, address)
        elif not len(element) and not (element.text or "").strip():
            own = styles.properties(element)
            source = first_url(own.get("background-image", ""))
            if source and stands_in_sentence(element, han):
                yield _PicturePlace(element, absolute_url(base, source), _box(own))


def image_source(image: HtmlElement, picture: HtmlElement) -> str:
    """Return the source of an image that a desktop loads, or "".

    It is the first source that matches, or for lazy images data-src and similar attributes.
    """
    for each in picture.iter("source"):
        given = (each.get("srcset") or "").split()
        if given and media_screens(each.get("media") or "") >> DESKTOP & 1:
            return given[0].rstrip(",")
    stated = next((value for name in _SOURCES if (value := image.get(name, "").strip())), "")
    return stated or (image.get("srcset") or "").strip().partition(" ")[0].rstrip(",")


def _is_small(element: HtmlElement, own: Properties) -> bool:
    stated = own.get("height") or element.get("height") or ""
    if stated.isdigit():
        return float(stated) <= MAX_STATED_PX
    return (length_px(stated) or 0.0) <= MAX_STATED_PX


def _box(own: Properties) -> tuple[float, float, float, float] | None:
    """Return the visible part of a sprite, or None.

    `background-position` moves it under a window of the element's size.
    """
    position = parse_value(own.get("background-position", ""))
    offsets = [px for token in position if (px := token_px(token, DESKTOP_UNITS)) is not None]
    width, height = length_px(own.get("width")), length_px(own.get("height"))
    if not width or not height:
        return None
    left, top = [*offsets, 0.0, 0.0][:2]
    return -left, -top, width, height


def _write_drawn_text(page: MarkedPage) -> Iterator[Repaired]:
    """Replace <svg> drawings with <text> inside a sentence by their characters. This needs no recognition."""
    han = HanCounts()  # also counts the characters of replaced drawings
    for drawing in list(page.tree.iter("svg")):
        text = "".join(" ".join(part.itertext()) for part in drawing.iter("text")).strip()
        if HAN.search(text) and len(text) <= MAX_CHARS and stands_in_sentence(drawing, han):
            _replace(drawing, text)
            yield Repaired(Obfuscation.PICTURE_TEXT, drawing, 1, f"{text} ← <svg>")


def _replace(element: HtmlElement, text: str) -> None:
    element.clear(keep_tail=True)
    element.tag = "span"
    element.text = text


def _repair(page: MarkedPage) -> Sequence[Repaired]:
    if page.pictures is None:
        return ()
    return write_pictured(page, page.pictures)


REPAIR = Repair(in_tree=_repair, needs=frozenset({"img", "svg", STYLE}))
