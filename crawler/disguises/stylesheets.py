"""The few style properties that decide what text is seen, and in which order: rules of sheets and inline styles.

Knows no script. External sheets are given by whoever may fetch them (crawler.fetching.resources); what is not there is
not guessed.
"""

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache

from cssselect import SelectorError
from lxml.cssselect import CSSSelector
from lxml.etree import XPathEvalError
from lxml.html import HtmlElement

Properties = dict[str, str]
Rank = tuple[bool, tuple[int, int, int, int], int]  # important, specificity (inline first), order

WATCHED = frozenset(
    [
        "display",
        "visibility",
        "opacity",
        "font-size",
        "color",
        "background",
        "background-color",
        "position",
        "left",
        "top",
        "right",
        "bottom",
        "text-indent",
        "clip",
        "clip-path",
        "height",
        "width",
        "max-height",
        "overflow",
        "transform",
        "filter",
        "margin-left",
    ]
)
# Asked for only where the page gives reason: text in a face of the page's own, text cut into single characters, text
# out of the sheet. Of an ordinary sheet, half the rules would be applied for nothing.
FACE_PROPERTIES = frozenset({"font-family", "font"})
LAYOUT_PROPERTIES = frozenset({"direction", "unicode-bidi", "flex-direction", "order", "float", "font"})
CONTENT_PROPERTIES = frozenset({"content"})
PICTURE_PROPERTIES = frozenset({"background-image", "background-position"})
_KEPT_AS_WRITTEN = frozenset({"content", "font-family", "font", "background", "background-image"})
# A hostile page may carry a sheet made to be slow; ordinary pages of the development corpus have at most some hundred
# rules that touch the watched properties in a hiding way.
MAX_RULES = 1_500
MAX_RULE_ELEMENT_PAIRS = 20_000_000
MAX_SHEET_CHARS = 400_000
MAX_STYLE_CHARS = 2_000
MAX_ELEMENTS_FOR_COSTLY_SELECTORS = 5_000  # those that compare every pair of brothers or of ancestors
_MAX_SELECTOR_CHARS = 200

_NAME, _NOT_PLAIN = re.compile(r"[.#][\w-]+"), re.compile(r"[\\(\[\"']")
_STATE = re.compile(r"::?(?:hover|focus|active|visited|target|checked|selection|placeholder|marker)", re.IGNORECASE)
_CONTENT_PLACE = re.compile(r"::?(before|after)$", re.IGNORECASE)
_DATA_URL = re.compile(r"""url\(\s*(["']?)(data:[^"')\s]{1,16000000})\1\s*\)""", re.IGNORECASE)
_URL = re.compile(r"""url\(\s*["']?([^"')\s]+)["']?\s*\)""", re.IGNORECASE)
_DECLARATION = re.compile(r"""(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\([^()]*\)|[^;])+""")
_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6}[ \t]?|.)", re.DOTALL)
MAX_FACES = 20


@dataclass(frozen=True, slots=True)
class FontFace:
    """A face that a sheet brings along: its family in lower case, and its files as addresses, best known form first."""

    family: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A style sheet as text. `base` is the address that its own references are relative to."""

    text: str
    base: str = ""


_Won = dict[HtmlElement, dict[str, tuple[Rank, str]]]


@dataclass(slots=True)
class Cascade:
    """The winning watched declarations of each element that any rule or inline style touches."""

    faces: list[tuple[FontFace, str]] = field(default_factory=list)  # each with the base of its sheet
    _won: _Won = field(default_factory=dict)
    _content: dict[str, _Won] = field(default_factory=lambda: {"before": {}, "after": {}})

    def of(self, element: HtmlElement) -> Properties:
        won = self._won.get(element)
        return {name: value for name, (_, value) in won.items()} if won else {}

    def beside(self, element: HtmlElement, place: str) -> Properties:
        """What a sheet says of the "before" or "after" of an element."""
        return {name: value for name, (_, value) in self._content[place].get(element, {}).items()}

    def with_content(self) -> list[HtmlElement]:
        """The elements that a sheet sets text before or after."""
        return list({**self._content["before"], **self._content["after"]})

    def add(
        self,
        element: HtmlElement,
        declarations: Properties,
        specificity: tuple[int, int, int, int],
        order: int,
        place: str = "",
    ) -> None:
        won = (self._content[place] if place else self._won).setdefault(element, {})
        for name, value in declarations.items():
            rank = ("!important" in value, specificity, order)
            if name not in won or rank >= won[name][0]:
                won[name] = (rank, value.replace("!important", "").strip())


def cascade(tree: HtmlElement, external: Sequence[Sheet] = (), more: Set[str] = frozenset()) -> Cascade:
    """What sheets, <style> elements and style attributes say of a page's elements; a bad rule is left out.

    external: the sheets that the page links to, before its own in order. more: properties to watch beside WATCHED.
    """
    watched = WATCHED | more
    result = Cascade()
    data: list[str] = []
    own = "\n".join(element.text or "" for element in tree.iter("style") if element.get("media", "all") != "print")
    sheets = [Sheet(_without_data(sheet.text, data), sheet.base) for sheet in (*external, Sheet(own))]
    if more & FACE_PROPERTIES:
        result.faces = _faces(sheets, data)
    names = _names(tree)
    for order, (selector, declarations) in enumerate(_rules(tree, sheets, watched)):
        if not _may_match(selector, names):
            continue
        place = _CONTENT_PLACE.search(selector)
        if place and "content" not in declarations:
            continue
        try:
            base = selector[: place.start()] or "*" if place else selector
            specificity = _specificity(selector)
            for element in _compiled(base)(tree):
                result.add(element, declarations, specificity, order, place[1].lower() if place else "")
        except (SelectorError, XPathEvalError, RecursionError):
            continue
    for element in tree.iter():
        style = element.get("style") if isinstance(element.tag, str) else None
        if style:
            result.add(element, parse_declarations(style, watched), (1, 0, 0, 0), 0)
    return result


# The pages of a site bring the same sheets along. Broken selectors are few, and cost their error each time.
@lru_cache(maxsize=4_096)
def _compiled(selector: str) -> CSSSelector:
    """Raises SelectorError for what is no selector."""
    return CSSSelector(selector, translator="html")


def _names(tree: HtmlElement) -> frozenset[str]:
    """The classes and ids of a page, as a selector writes them."""
    classes = {f".{name}" for value in tree.xpath("//@class") for name in value.split()}
    return frozenset(classes | {f"#{value}" for value in tree.xpath("//@id")})


def _may_match(selector: str, names: Set[str]) -> bool:
    """Whether every class and id of a plain selector stands on the page; most of a sheet is for other pages."""
    return bool(_NOT_PLAIN.search(selector)) or names >= set(_NAME.findall(selector))


def parse_declarations(style: str, watched: Set[str] = WATCHED) -> Properties:
    """The watched declarations of one block; names in lower case, and values but for names, texts and addresses.

    >>> parse_declarations("Display : none; margin:0")
    {'display': 'none'}
    """
    style = style[:MAX_STYLE_CHARS]
    # Most blocks have no quotes, and splitting is ten times as fast as the pattern.
    parts = _DECLARATION.findall(style) if '"' in style or "'" in style or "(" in style else style.split(";")
    result = {}
    for part in parts:
        name, _, value = part.partition(":")
        name, value = name.strip().lower(), value.strip()
        if name in watched and value:
            result[name] = value if name in _KEPT_AS_WRITTEN else value.lower()
    return result


def unescaped(text: str) -> str:
    r"""A text of a sheet without its escapes.

    >>> unescaped("\\8ffd \\6587")
    '追文'
    """

    def char(match: re.Match[str]) -> str:
        digits = match[1].strip()
        if re.fullmatch("[0-9a-fA-F]{1,6}", digits):
            code = int(digits, 16)
            return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
        return match[1]

    return _ESCAPE.sub(char, text)


def families(value: str) -> list[str]:
    """The families that a font-family or font names, in lower case."""
    return [unescaped(part.strip(" \t\"'")).lower() for part in value.split(",") if part.strip(" \t\"'")]


def address_in(value: str) -> str:
    """The first address in a value, "" without one."""
    match = _URL.search(value)
    return match[1] if match else ""


def _without_data(sheet: str, data: list[str]) -> str:
    """The sheet with a short stand-in for each data: address, which would fill all that is read of a sheet."""

    def kept(match: re.Match[str]) -> str:
        data.append(match[2])
        return f"url(embedded:{len(data) - 1})"

    return _DATA_URL.sub(kept, sheet) if "data:" in sheet else sheet


def _faces(sheets: Sequence[Sheet], data: Sequence[str]) -> list[tuple[FontFace, str]]:
    found: list[tuple[FontFace, str]] = []
    for sheet in sheets:
        for selectors, block in _blocks(_without_comments(sheet.text[:MAX_SHEET_CHARS])):
            if selectors.strip().lower() != "@font-face" or len(found) >= MAX_FACES:
                continue
            declared = parse_declarations(block, frozenset({"font-family"}))
            sources = tuple(_embedded(address, data) for address in _URL.findall(block[:MAX_STYLE_CHARS]))
            family = families(declared.get("font-family", ""))
            if family and sources:
                found.append((FontFace(family[0], tuple(sorted(sources, key=_is_odd_form))), sheet.base))
    return found


def _embedded(address: str, data: Sequence[str]) -> str:
    number = address.removeprefix("embedded:")
    return data[int(number)] if number != address and number.isdigit() and int(number) < len(data) else address


def _is_odd_form(address: str) -> bool:
    """Whether the file is of a form that only old browsers ask for."""
    return address.startswith("#") or bool(re.search(r"\.(?:eot|svg)\b|fontobject|svg\+xml", address[:200]))


def _rules(tree: HtmlElement, sheets: Sequence[Sheet], watched: Set[str]) -> Iterator[tuple[str, Properties]]:
    elements = sum(1 for _ in tree.iter())
    most = min(MAX_RULES, MAX_RULE_ELEMENT_PAIRS // (1 + elements))
    given = 0
    for sheet in sheets:
        for selectors, block in _blocks(_without_comments(sheet.text[:MAX_SHEET_CHARS])):
            declarations = parse_declarations(block, watched)
            for selector in (part.strip() for part in selectors.split(",") if declarations):
                is_cheap = elements <= MAX_ELEMENTS_FOR_COSTLY_SELECTORS or not _is_costly(selector)
                if given < most and is_cheap and _is_plain(selector, watched):
                    given += 1
                    yield selector, declarations


def _blocks(sheet: str) -> Iterator[tuple[str, str]]:
    """Selectors and declarations of each rule that a screen shows, in time linear in the sheet however it is broken."""
    depth_of_print, depth = 0, 0
    for piece in sheet.split("}"):
        *outer, block = piece.split("{")
        for prelude in outer[:-1]:
            depth += 1
            if not depth_of_print and "@media" in prelude and "print" in prelude and "screen" not in prelude:
                depth_of_print = depth
        if outer and not depth_of_print:
            yield outer[-1].rpartition(";")[2], block
        if not outer:
            depth = max(0, depth - 1)
            depth_of_print = depth_of_print if depth_of_print <= depth else 0


def _without_comments(sheet: str) -> str:
    first, *rest = sheet.split("/*")
    return first + "".join(piece.partition("*/")[2] for piece in rest)


def _is_plain(selector: str, watched: Set[str]) -> bool:
    is_short = 0 < len(selector) <= _MAX_SELECTOR_CHARS
    is_beside = bool(re.search(r"::?(?:before|after)", selector, re.IGNORECASE))
    is_read = not is_beside or ("content" in watched and bool(_CONTENT_PLACE.search(selector)))
    return is_short and is_read and not selector.startswith("@") and not _STATE.search(selector)


def _is_costly(selector: str) -> bool:
    return "~" in selector or ":nth" in selector or ":not" in selector or len(selector.split()) > 4


def _specificity(selector: str) -> tuple[int, int, int, int]:
    ids = selector.count("#")
    classes = len(re.findall(r"[.\[:]", selector))
    return (0, ids, classes, len(re.findall(r"(?:^|[\s>+~])[a-z]", selector, re.IGNORECASE)))
