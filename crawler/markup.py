"""Parses markup into a tree, and converts a tree to the lines of text that a reader sees, each with its box."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree, html
from lxml.html import HtmlElement

from core.text import storable
from crawler.characters.repertoire import count_han

BLOCKS = frozenset([
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dialog", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
    "html", "legend", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot",
    "th", "thead", "tr", "ul",
])  # fmt: skip
_OF_LOOKS = frozenset({"class", "id", "style", "hidden", "dir"})
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
UNSEEN = frozenset([
    "script", "style", "noscript", "template", "head", "title", "select", "option", "button", "input", "textarea",
    "svg", "iframe", "object", "audio", "video", "canvas", "map", "datalist", "math",
])  # fmt: skip
# Trees are traversed recursively, and Python allows 1,000 nested calls. Ordinary pages are up to 60 levels deep.
MAX_DEPTH = 200
# Chosen: the labels of most charts and the characters of a formula are fewer, and a copied paragraph has more.
MIN_HAN_OF_DRAWINGS = 50
_NOT_DRAWN = frozenset({"defs", "desc", "metadata", "symbol"})
MAX_FRAMES, MAX_TAGS_OF_FRAMES = 20, 10_000  # chosen; such frames contain advertisements and previews
_OF_HEAD = frozenset([
    "title", "meta", "link", "script", "style", "base", "noscript", "template", "basefont", "bgsound", "noframes",
])  # fmt: skip
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
# libxml2 drops what follows the end of a page, but browsers display it.
_END_OF_PAGE = re.compile(r"</(?:html|body)(?=[\s>])[^<>]*+>", re.IGNORECASE)
_BLANKS = re.compile("[ \t\r\n\f]+")
_WIDE = "\u2e80-\u303f\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef"
_WIDE += "\u2014\u2018-\u201d\u2026"
_BREAK_BETWEEN_WIDE = re.compile(f"(?<=[{_WIDE}])[ \t]*[\r\n][ \t\r\n]*(?=[{_WIDE}])")
_EDGES = " \t\r\n\f\u00a0\u3000\ufeff"


_LINES = BLOCKS - {"html", "body"}
_TAG = re.compile("<[/a-z]", re.IGNORECASE)


@dataclass(slots=True)
class Line:
    """A paragraph as displayed, without indents and with whitespace collapsed as in browsers.

    container: the block element around the paragraph. link_chars: the number of its characters in links
    """

    text: str
    container: HtmlElement
    link_chars: int = 0
    worth: float | None = None  # cached weight (crawler.main_text.density)


def parse(markup: str) -> HtmlElement | None:
    """Return the root of a page's tree, or None if there is no markup. Hostile or broken markup raises no exception."""
    return parse_bounded(markup)[0]


def parse_bounded(markup: str) -> tuple[HtmlElement | None, bool]:
    """Parse as `parse` does.

    Also return False if the tree is incomplete, because libxml2 stopped at one of its limits.
    """
    text = storable(_END_OF_PAGE.sub("", _DECLARATION.sub("", markup, count=1)))
    if not text.strip():
        return None, True
    try:
        root, is_whole = _parse_root(text.encode("utf-8"), is_deep=False)
        if not is_whole:
            root, is_whole = _parse_root(text.encode("utf-8"), is_deep=True)
            root = _shallow(root)
    except (etree.ParserError, etree.XMLSyntaxError):
        return None, True
    _move_out_of_head(root)
    _show_drawings(root)
    return _with_frames(root), is_whole


def _parse_root(data: bytes, *, is_deep: bool) -> tuple[HtmlElement, bool]:
    """Return the root of a page, and True if its tree is complete.

    libxml2 stops at a depth of 256, or of 2,048 if `is_deep`. It nests elements that are never closed, so a long page
    with such elements reaches these limits.
    """
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=is_deep)
    root = html.document_fromstring(data, parser=parser)
    last = parser.error_log.last_error
    is_at_bound = last is not None and last.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT
    return root, not is_at_bound and not _has_html_in_foreign(root)


def _has_html_in_foreign(root: HtmlElement) -> bool:
    """Return True if libxml2 has nested HTML in <svg> or <math> that browsers move after it.

    Browsers allow no block elements there, and do not read the contents of <style>, <script> and <title> as raw text.
    """
    for foreign in root.iter("svg", "math"):
        for node in foreign.iter("style", "script", "title", *_LINES):
            if node.tag in _LINES:
                if not any(above.tag in ("foreignobject", "annotation-xml") for above in node.iterancestors()):
                    return True
            elif node.text and _TAG.search(node.text):
                return True
    return False


def _shallow(root: HtmlElement) -> HtmlElement:
    """Return a copy in which elements deeper than MAX_DEPTH are siblings at that depth, in document order."""
    copy = last = html.Element(root.tag, dict(root.attrib))
    path = [copy]
    for event, node in etree.iterwalk(root, events=("start", "end")):
        if event == "end":
            path.pop()
            if node.tail and path:
                behind = path[-1][-1]  # the text after an element follows the last flattened element
                behind.tail = (behind.tail or "") + node.tail
            continue
        if node is not root:
            parent = path[-1]
            last = _append_copy(parent, node)
        last.text = node.text
        path.append(last if len(path) < MAX_DEPTH else path[-1])
    return copy


def _append_copy(parent: HtmlElement, node: HtmlElement) -> HtmlElement:
    """Append a copy of an element.

    If lxml rejects its name, it becomes a <span> with the attributes that affect its style.
    """
    try:
        return etree.SubElement(parent, node.tag, dict(node.attrib))
    except ValueError:
        plain = {name: value for name, value in node.attrib.items() if name in _OF_LOOKS}
        return etree.SubElement(parent, "span", plain)


def _move_out_of_head(root: HtmlElement) -> None:
    """Move elements that do not belong in the head to the body, as browsers do.

    libxml2 leaves <article> in the head.
    """
    head = root.find("head")
    first = next((child for child in head if child.tag not in _OF_HEAD), None) if head is not None else None
    if first is None:
        return
    body = root.find("body")
    if body is None:
        body = etree.SubElement(root, "body")
    strays = [first, *first.itersiblings()]
    for place, stray in enumerate(strays):
        body.insert(place, stray)
    strays[-1].tail = (strays[-1].tail or "") + (body.text or "") or None
    body.text = None


def _show_drawings(root: HtmlElement) -> None:
    """Convert <svg> and <math> with enough text, and templates that browsers render at once, to <div>."""
    for template in [node for node in root.iter("template") if node.get("shadowrootmode") in ("open", "closed")]:
        template.tag = "div"
    drawings = list(root.iter("svg", "math"))
    outer = [drawing for drawing in drawings if next(drawing.iterancestors("svg", "math"), None) is None]
    if sum(count_han(text) for drawing in outer for text in _drawn_texts(drawing)) < MIN_HAN_OF_DRAWINGS:
        return
    for drawing in outer:
        for node in drawing.iter(*_NOT_DRAWN):
            node.tag = "template"
        for node in drawing.iter("foreignobject", "text"):
            node.tag = "div"
    for drawing in drawings:
        drawing.tag = "div"


def _drawn_texts(drawing: HtmlElement) -> Iterator[str]:
    for node in drawing.iter():
        if node.tag not in _NOT_DRAWN and (node.tag not in UNSEEN or node.tag in ("svg", "math")):
            yield node.text or ""
        if node is not drawing:
            yield node.tail or ""


def _with_frames(root: HtmlElement) -> HtmlElement:
    """Return the tree with the contents of each <iframe srcdoc> after its frame."""
    frames = [frame for frame in root.iter("iframe") if (frame.get("srcdoc") or "").strip()][:MAX_FRAMES]
    if not frames or sum(frame.get("srcdoc").count("<") for frame in frames) > MAX_TAGS_OF_FRAMES:
        return root
    for frame in frames:
        try:
            inner, _ = _parse_root(storable(frame.get("srcdoc")).encode("utf-8"), is_deep=True)
        except (etree.ParserError, etree.XMLSyntaxError):
            continue
        body = inner.find("body")
        if body is not None:
            body.tag = "div"
            frame.addnext(body)
    return _shallow(root)


def lines(root: HtmlElement) -> list[Line]:
    """Return the lines of `root` that are not empty, in document order."""
    if not isinstance(root.tag, str):
        return []
    block = _block(root)
    walk = _LineCollector(root)
    walk.visit(root, block, is_link=_is_in_link(root))
    walk.flush(root)
    return walk.lines


def element_text(element: HtmlElement) -> str:
    """Return all lines of an element, joined by line feeds."""
    return "\n".join(line.text for line in lines(element))


def _block(element: HtmlElement) -> HtmlElement:
    while element.tag not in BLOCKS and element.getparent() is not None:
        element = element.getparent()
    return element


def _is_in_link(element: HtmlElement) -> bool:
    node: HtmlElement | None = element
    while node is not None and node.tag not in BLOCKS:
        if _is_link(node):
            return True
        node = node.getparent()
    return False


def _is_link(element: HtmlElement) -> bool:
    """Return True if an element is a link.

    <a name="top"> is an anchor. It is often never closed, so that it contains the rest of the page.
    """
    return element.tag == "a" and (element.get("href") is not None or element.get("name") is None)


def _is_permalink(link: HtmlElement, block: HtmlElement) -> bool:
    """Return True if a link in a heading refers to that heading."""
    return block.tag in HEADINGS and (link.get("href") or "").startswith("#")


class _LineCollector:
    """Collects lines while a tree is traversed, and stores the characters of the current line."""

    def __init__(self, container: HtmlElement) -> None:
        self.lines: list[Line] = []
        self._container = container
        self._parts: list[str] = []
        self._link_chars = 0
        self._is_pre = False

    def visit(self, element: HtmlElement, block: HtmlElement, *, is_link: bool) -> None:
        """Collect the lines of an element.

        block: its nearest block element. is_link: True inside a link of that block.
        """
        if element is block and element.tag in BLOCKS:
            self.flush(element)
        if element.text:
            self._add(element.text, block, is_link)
        for child in element:
            tag = child.tag
            is_block = tag in BLOCKS
            if isinstance(tag, str) and tag not in UNSEEN:
                inside = not is_block and (is_link or (_is_link(child) and not _is_permalink(child, block)))
                self.visit(child, child if is_block else block, is_link=inside)
            if is_block or tag == "br":
                self.flush(block)
            if child.tail:
                self._add(child.tail, block, is_link)

    def flush(self, container: HtmlElement) -> None:
        """End the current line. The next line is in `container`."""
        if self._parts:
            whole = "".join(self._parts).strip(_EDGES)
            if not self._is_pre and ("\n" in whole or "\r" in whole):
                whole = _BREAK_BETWEEN_WIDE.sub("", whole)
            pieces = whole.splitlines() if self._is_pre else [_BLANKS.sub(" ", whole)]
            texts = [text for text in (piece.strip(_EDGES) for piece in pieces) if text]
            # The positions of links in preformatted text are not recorded, so each of its lines gets the same share.
            link_chars = self._link_chars // max(1, len(texts))
            self.lines += [Line(text, self._container, min(len(text), link_chars)) for text in texts]
            self._parts, self._link_chars, self._is_pre = [], 0, False
        self._container = container

    def _add(self, text: str, block: HtmlElement, is_link: bool) -> None:
        if not self._parts and not text.strip(_EDGES):
            return  # leading spaces of a line are dropped
        if is_link:
            self._link_chars += len("".join(text.split()))
        self._is_pre = self._is_pre or block.tag == "pre"
        self._parts.append(text)
