"""Replaces images of paragraphs, pages or whole chapters by the text that they display.

Images are examined if a page has little text of its own, or at least half as many images as paragraphs among its
paragraphs. Photographs are excluded before a recogniser is loaded (crawler.obfuscation.page_picture). Recognised text
may contain wrong characters, and is marked as recognised.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile
from urllib.parse import urlsplit

from lxml import html
from lxml.html import HtmlElement

from core.obfuscations import Obfuscation
from core.wording import Message
from crawler.characters.repertoire import HAN, count_han
from crawler.css.values import DESKTOP_UNITS, first_url, length_px
from crawler.fetching.resources import ResourceKind, absolute_url
from crawler.markup import Line, lines
from crawler.obfuscation.pictured_lines import (
    PicturedText,
    is_line_alike,
    is_running_text,
    median_size,
    pictured_texts,
)
from crawler.obfuscation.pictures import image_source, stands_in_sentence
from crawler.obfuscation.repairs import STYLE, HanCounts, MarkedPage, Repair, Repaired
from crawler.obfuscation.text_process import MAX_PICTURES_OF_PAGE, PageBudget, SeenPicture, TextProcess
from crawler.stats import NEEDS_OCR

# Without links, frames and comments: a title, notices, the first lines. Short news have 300 to 800, and a photograph.
MAX_HAN_OF_SHORT = 300
# In longer texts: at least this many images, and this many per paragraph. Illustrated articles have fewer.
MIN_AMONG_PARAGRAPHS, MIN_SHARE_OF_PARAGRAPHS = 3, 0.5
MIN_HAN_OF_PARAGRAPH = 16
MIN_HAN_OF_PICTURES = 100  # in all images on a page; banners and notices have 20 to 60
# The maximum number of images without text that are read before the first with text: a cover, a banner and two
# advertisements; or one, if the page has text of its own.
MAX_IN_VAIN, MAX_IN_VAIN_BESIDE_TEXT = 4, 1
MIN_STATED_WIDTH_PX, MIN_STATED_HEIGHT_PX = 200.0, 16.0
_FRAMES = frozenset({"nav", "aside", "footer", "header"})
_FRAME_NAMES = re.compile(
    r"(?:^|[\s_-])(?:comments?|cmt|remarks?|repl(?:y|ies)|pinglun|liuyan|gentie|guestbook|footer|header|navi?|sidebar|logo|avatar"
    r"|qrcode|recommend|related)(?:$|[\s_-])",
    re.IGNORECASE,
)
_MAX_CHARS_OF_NAMES, _MAX_LEVELS = 200, 8  # characters of a name; levels from an image to its box
_PICTURE_FILE = re.compile(r"\.(?:jpe?g|png|gif|webp|bmp)$", re.IGNORECASE)
_NO_PICTURE_FILE = re.compile(r"\.(?:svg|ico)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class _PictureCandidate:
    """An image that may display text.

    place: the element to replace. box: the largest element around it that contains nothing else. link: the link around
    it, or None
    """

    place: HtmlElement
    address: str
    box: HtmlElement
    link: HtmlElement | None


_Shown = tuple[tuple[_PictureCandidate, SeenPicture], PicturedText]


@dataclass(slots=True)
class _PictureReadings:
    """The result of reading the images of a page.

    read: the images with text. is_unreadable: True if no recogniser is installed. left: the number of images that were
    too costly
    """

    read: dict[_PictureCandidate, SeenPicture]
    is_unreadable: bool = False
    left: int = 0


class _Frames(dict[HtmlElement, bool]):
    """A cache that maps an element to True if it is in a frame of the page or among comments."""

    def __missing__(self, element: HtmlElement) -> bool:
        parent = element.getparent()
        is_frame = element.tag not in ("body", "html") and (
            element.tag in _FRAMES
            or any(_FRAME_NAMES.search((element.get(name) or "")[:_MAX_CHARS_OF_NAMES]) for name in ("class", "id"))
        )
        self[element] = is_frame or (parent is not None and self[parent])
        return self[element]


def write_page_pictures(page: MarkedPage, texts: TextProcess) -> Iterable[Repaired]:
    """Insert the text that large images display into the page's tree, which is changed. Return a record of each."""
    frames = _Frames()
    candidates = _candidates(page, frames)
    if not candidates:
        return ()
    most_in_vain = MAX_IN_VAIN
    own = [line for line in lines(page.tree) if not frames[line.container] and 2 * line.link_chars < len(line.text)]
    if sum(count_han(line.text) for line in own) >= MAX_HAN_OF_SHORT:
        candidates = _among_paragraphs(candidates, own)
        most_in_vain = MAX_IN_VAIN_BESIDE_TEXT
    looked = _read_pictures(page, texts, candidates, most_in_vain)
    page.notes.extend(_notes(page.url, looked))
    shown = [(each, looked.read[each]) for each in candidates if each in looked.read]
    return _write_texts(shown) if _count_picture_han(looked.read.values()) >= MIN_HAN_OF_PICTURES else ()


def _read_pictures(
    page: MarkedPage, texts: TextProcess, candidates: Sequence[_PictureCandidate], most_in_vain: int
) -> _PictureReadings:
    """Read the images of a page. The middle one comes first, because the images of a scanned page are similar.

    Reading ends after `most_in_vain` images without text.
    """
    budget, seen, looked = PageBudget(), dict[_PictureCandidate, SeenPicture](), _PictureReadings({})
    middle = len(candidates) // 2
    in_order = [*candidates[middle : middle + 1], *candidates[:middle], *candidates[middle + 1 :]]
    in_vain = 0
    for candidate in in_order:
        picture = page.resources.get(candidate.address, ResourceKind.PICTURE)
        if picture is None:
            continue
        found = texts.read_picture(picture, budget)
        looked.left += found is None or not found.is_whole
        if found is not None and found.looks_like_text and not texts.can_read:
            looked.is_unreadable = True
            return looked
        if found is not None and found.lines:
            seen[candidate] = found
        in_vain += candidate not in seen
        if in_vain >= most_in_vain and not any(map(is_running_text, seen.values())):
            break
    running = {candidate: found for candidate, found in seen.items() if is_running_text(found)}
    size = median_size([line for found in running.values() for line in found.lines])
    looked.read = running | {each: found for each, found in seen.items() if running and is_line_alike(found, size)}
    return looked


def _notes(url: str, looked: _PictureReadings) -> Iterable[Message]:
    if looked.is_unreadable:
        yield Message(NEEDS_OCR, url=url, missing=Message("site.no-ocr"))
    if looked.left:
        yield Message("page.pictures-left", url=url, count=looked.left)


def _count_picture_han(pictures: Iterable[SeenPicture]) -> int:
    return sum(count_han(line.text) for seen in pictures for line in seen.lines)


def _candidates(page: MarkedPage, frames: _Frames) -> list[_PictureCandidate]:
    """Return the images in the page's content that may be large, occur once and lead to at most one page."""
    sources = list(islice(_sources(page), 4 * MAX_PICTURES_OF_PAGE))
    hans, bare = HanCounts(), _Bare()
    times = Counter(address for _, address in sources)
    found = [
        _PictureCandidate(place, address, _box(place, bare), _link(place))
        for place, address in sources
        if times[address] == 1 and not frames[place] and not stands_in_sentence(place, hans)
    ]
    leads_to = {each.link.get("href") for each in found if each.link is not None}
    kept = [each for each in found if each.link is None or len(leads_to) == 1]  # a click turns the page
    return kept[:MAX_PICTURES_OF_PAGE]


def _sources(page: MarkedPage) -> Iterable[tuple[HtmlElement, str]]:
    for element in page.tree.iter("img", "div", "p"):
        if element.tag == "img":
            place = next(element.iterancestors("picture"), element)
            source = image_source(element, place)
        elif not len(element) and not (element.text or "").strip() and "url(" in (element.get("style") or ""):
            place, source = element, first_url((element.get("style") or "").partition("background")[2])
        else:
            continue
        address = absolute_url(page.base, source) if source else ""
        if address and not _is_small(element) and _may_be_picture(address):
            yield place, address


def _may_be_picture(address: str) -> bool:
    if address.startswith("data:"):
        return not address.startswith("data:image/svg")
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return not _NO_PICTURE_FILE.search(parts.path)


def _is_small(element: HtmlElement) -> bool:
    style = element.get("style") or ""
    return any(
        stated is not None and stated < least
        for stated, least in (
            (_stated_px(element, style, "width"), MIN_STATED_WIDTH_PX),
            (_stated_px(element, style, "height"), MIN_STATED_HEIGHT_PX),
        )
    )


def _stated_px(element: HtmlElement, style: str, side: str) -> float | None:
    in_style = re.search(rf"(?:^|[;\s]){side}\s*:\s*([\d.]+px)", style)
    stated = in_style[1] if in_style else (element.get(side) or "").strip()
    return float(stated) if stated.isdecimal() else length_px(stated, DESKTOP_UNITS)


class _Bare(dict[HtmlElement, bool]):
    """A cache that maps an element to True if it contains only one image."""

    def __missing__(self, element: HtmlElement) -> bool:
        has_one = element.tag != "body" and not element.xpath("(.//img)[2]")
        self[element] = has_one and not any(map(HAN.search, element.itertext()))
        return self[element]


def _box(place: HtmlElement, bare: _Bare) -> HtmlElement:
    around = islice(place.iterancestors(), _MAX_LEVELS)
    *_, box = place, *takewhile(bare.__getitem__, around)
    return box


def _link(place: HtmlElement) -> HtmlElement | None:
    """Return the link around an image, or None if it does not lead to another page."""
    link = next((each for each in place.iterancestors("a") if each.get("href")), None)
    if link is None or _PICTURE_FILE.search(link.get("href").partition("?")[0]):
        return None
    return link


def _among_paragraphs(candidates: Sequence[_PictureCandidate], own: Sequence[Line]) -> list[_PictureCandidate]:
    """Return the images among the paragraphs of a text, if there are at least half as many images as paragraphs."""
    paragraphs: Counter[HtmlElement | None] = Counter()
    for line in own:
        if count_han(line.text) >= MIN_HAN_OF_PARAGRAPH:
            paragraphs.update((line.container, line.container.getparent()))
    of_column: dict[HtmlElement | None, list[_PictureCandidate]] = defaultdict(list)
    for candidate in candidates:
        if candidate.link is None:
            of_column[candidate.box.getparent()].append(candidate)
    return [
        candidate
        for column, pictures in of_column.items()
        if paragraphs[column]
        and len(pictures) >= max(MIN_AMONG_PARAGRAPHS, MIN_SHARE_OF_PARAGRAPHS * paragraphs[column])
        for candidate in pictures
    ]


def _write_texts(shown: Sequence[tuple[_PictureCandidate, SeenPicture]]) -> Iterable[Repaired]:
    """Write the texts of images into the tree, and yield a record of each.

    A sentence that continues in the next image remains one paragraph.
    """
    texts = pictured_texts([seen for _, seen in shown])
    goes_on = [False, *(_continues(above, below) for above, below in pairwise(zip(shown, texts, strict=True)))]
    last: HtmlElement | None = None
    for (candidate, _), text, is_rest in zip(shown, texts, goes_on, strict=True):
        own = list(text.paragraphs)
        if is_rest and last is not None:
            last.text += own.pop(0)
        written = _replace(candidate, own)
        place = written[0] if written else last
        last = written[-1] if written else last
        if place is not None:
            name = "data:" if candidate.address.startswith("data:") else candidate.address
            yield Repaired(Obfuscation.TEXT_PICTURE, place, 1, f"{''.join(text.paragraphs)[:30]} ← {name[-45:]}")


def _continues(above: _Shown, below: _Shown) -> bool:
    """Return True if an image begins with the rest of the last paragraph in the previous image."""
    ((first, _), text), ((second, _), further) = above, below
    if not text.goes_on or not further.may_go_on_from_before:
        return False
    return _stand_together(first.box, second.box)


def _stand_together(first: HtmlElement, second: HtmlElement) -> bool:
    if first.getparent() is not second.getparent() or count_han(first.tail or ""):
        return False
    for between in first.itersiblings():
        if between is second:
            return True
        if count_han(f"{between.text_content() if isinstance(between.tag, str) else ''}{between.tail or ''}"):
            return False
    return False


def _replace(candidate: _PictureCandidate, paragraphs: Sequence[str]) -> list[HtmlElement]:
    place = candidate.place
    place.clear(keep_tail=True)
    place.tag = "div"
    if candidate.link is not None:
        candidate.link.tag = "div"
        candidate.link.attrib.pop("href", None)
    for text in paragraphs:
        element = html.Element("p")
        element.text = text
        place.append(element)
    return list(place)


def _repair(page: MarkedPage) -> Iterable[Repaired]:
    return write_page_pictures(page, page.texts) if page.texts is not None else ()


REPAIR = Repair(in_tree=_repair, needs=frozenset({"img", STYLE}))
