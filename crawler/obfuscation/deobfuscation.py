"""Undoes all obfuscations in the markup of a page, and records what was changed."""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from lxml.html import HtmlElement

from core.obfuscations import ObfuscationFound
from core.wording import Message
from crawler.css.cascade import styled_elements
from crawler.fetching.resources import NO_RESOURCES, Resources, absolute_url
from crawler.markup import lines, parse
from crawler.obfuscation.font_process import FontProcess
from crawler.obfuscation.fonts import FontReader
from crawler.obfuscation.glyph_ocr import Recognizer
from crawler.obfuscation.page_styles import apply_sheets
from crawler.obfuscation.picture_reader import PictureReader
from crawler.obfuscation.reference_fonts import ReferenceFonts
from crawler.obfuscation.repairs import (
    STYLE,
    MarkedPage,
    Removed,
    Repaired,
    repairs,
    summarize_removed,
    summarize_repaired,
)
from crawler.obfuscation.text_process import TextProcess
from crawler.opening import SkippedPart


@dataclass(frozen=True, slots=True)
class RenderContext:
    """The resources of a page and the readers of fonts and images, which rendering needs besides the page's bytes.

    Without them, only the markup is read. Call `close` when done.
    """

    resources: Callable[[str], Resources] = lambda url: NO_RESOURCES
    fonts: FontReader | None = None
    pictures: PictureReader | None = None
    texts: TextProcess | None = None

    def close(self) -> None:
        for each in (self.fonts, self.texts):
            if each is not None:
                each.close()


MARKUP_ALONE = RenderContext()


@dataclass(slots=True)
class Deobfuscation:
    """The record of the repairs of a page's tree.

    elements: the elements of the tree before the repairs, in document order
    notes: what could not be undone on this machine, for the operator
    skipped: the parts of the page that are too large to be read
    """

    elements: Sequence[HtmlElement]
    removed: list[Removed] = field(default_factory=list)
    repaired: list[Repaired] = field(default_factory=list)
    notes: list[Message] = field(default_factory=list)
    skipped: list[SkippedPart] = field(default_factory=list)

    def list_obfuscations(self, main_text: str, containers: Set[HtmlElement]) -> tuple[ObfuscationFound, ...]:
        """Return the obfuscations inside the main text. containers: the block elements that contain its lines."""
        if not self.removed and not self.repaired:
            return ()
        return (*summarize_removed(self.removed, main_text, containers), *summarize_repaired(self.repaired, containers))

    def raw_text(self, containers: Set[HtmlElement], markup: str) -> str:
        """Return the main text in the page's source, from its first to its last line; "" if it is not found."""
        raw = parse(markup)
        if raw is None or not containers:
            return ""
        numbers = {element: number for number, element in enumerate(self.elements)}
        wanted = [numbers[place] for each in containers if (place := _source_ancestor(each, numbers)) is not None]
        if not wanted:
            return ""
        raw_elements = list(raw.iter())
        if len(raw_elements) != len(self.elements):
            return ""
        first, last = raw_elements[min(wanted)], raw_elements[max(wanted)]
        return _join_lines(raw, first, last)


def deobfuscate(tree: HtmlElement, url: str, context: RenderContext = MARKUP_ALONE) -> Deobfuscation:
    """Undo the obfuscations in a page's tree. The tree is changed."""
    result = Deobfuscation(list(tree.iter()))
    base, resources = _base(tree, url), context.resources(url)
    page = MarkedPage(
        tree,
        url,
        base,
        resources,
        context.fonts,
        context.pictures,
        context.texts,
        partial(apply_sheets, tree, base, resources, needs_faces=context.fonts is not None),
        result.removed,
        result.notes,
        result.skipped,
    )
    for repair in repairs():
        if repair.in_tree is not None and _has_any(tree, repair.needs):
            result.repaired += repair.in_tree(page)
    return result


def _has_any(tree: HtmlElement, needs: Set[str]) -> bool:
    """Return True if a page has one of these tags or, if STYLE is among them, anything that may style its elements."""
    tags = {*needs, "style", "link"} if STYLE in needs else needs
    return next(tree.iter(*tags), None) is not None or (STYLE in needs and bool(styled_elements(tree)))


def _source_ancestor(element: HtmlElement | None, numbers: dict[HtmlElement, int]) -> HtmlElement | None:
    """Return the element, or its nearest ancestor, in the page's source; a script may have written the element."""
    while element is not None and element not in numbers:
        element = element.getparent()
    return element


def _join_lines(raw: HtmlElement, first: HtmlElement, last: HtmlElement) -> str:
    wanted: list[str] = []
    is_inside = False
    ends = set(last.iter())
    starts = set(first.iter())
    shown = lines(raw)
    final = max((number for number, line in enumerate(shown) if line.container in ends), default=-1)
    for number, line in enumerate(shown):
        is_inside = is_inside or line.container in starts
        if is_inside and number <= final:
            wanted.append(line.text)
    return "\n".join(wanted)


def _base(tree: HtmlElement, url: str) -> str:
    declared = next((element.get("href") or "" for element in tree.iter("base")), "")
    return absolute_url(url, declared) if declared else url


def open_render_context(
    resources: Callable[[str], Resources],
    references: ReferenceFonts | None = None,
    recognizer: Recognizer | None = None,
    kept_in: Path | None = None,
    texts: TextProcess | None = None,
) -> RenderContext:
    """Return a context with everything that this machine provides. It is loaded for the first page that needs it.

    resources: returns the resources of a page's URL. kept_in: the folder that stores reference renderings
    (crawler.obfuscation.reference_fonts).
    """
    process = FontProcess()
    faces = references if references is not None else ReferenceFonts(kept_in=kept_in)
    ocr = recognizer if recognizer is not None else Recognizer()
    return RenderContext(
        resources, FontReader(process, faces, ocr), PictureReader(process, faces, ocr), texts or TextProcess()
    )
