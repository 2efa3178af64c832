"""The few style properties that decide whether text is seen: cascade over a page's own rules and inline styles.

Does not load external sheets and knows no script: what is not on the page is not guessed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

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
    ]
)
# A hostile page may carry a sheet made to be slow; ordinary pages of the development corpus have at most some hundred
# rules that touch the watched properties in a hiding way.
MAX_RULES = 1_500
MAX_RULE_ELEMENT_PAIRS = 20_000_000
MAX_SHEET_CHARS = 400_000
MAX_STYLE_CHARS = 2_000
MAX_ELEMENTS_FOR_COSTLY_SELECTORS = 5_000  # those that compare every pair of brothers or of ancestors
_MAX_SELECTOR_CHARS = 200

_STATE_OR_CONTENT = re.compile(
    r"::?(?:hover|focus|active|visited|before|after|target|checked|selection)", re.IGNORECASE
)


@dataclass(slots=True)
class Cascade:
    """The winning watched declarations of each element that any rule or inline style touches."""

    _won: dict[HtmlElement, dict[str, tuple[Rank, str]]] = field(default_factory=dict)

    def of(self, element: HtmlElement) -> Properties:
        return {name: value for name, (_, value) in self._won.get(element, {}).items()}

    def add(
        self, element: HtmlElement, declarations: Properties, specificity: tuple[int, int, int, int], order: int
    ) -> None:
        won = self._won.setdefault(element, {})
        for name, value in declarations.items():
            rank = ("!important" in value, specificity, order)
            if name not in won or rank >= won[name][0]:
                won[name] = (rank, value.replace("!important", "").strip())


def cascade(tree: HtmlElement) -> Cascade:
    """What the page's <style> elements and style attributes say of its elements; a bad rule is left out."""
    result = Cascade()
    for order, (selector, declarations) in enumerate(_rules(tree)):
        try:
            compiled = CSSSelector(selector, translator="html")
            specificity = _specificity(selector)
            for element in compiled(tree):
                result.add(element, declarations, specificity, order)
        except (SelectorError, XPathEvalError, RecursionError):
            continue
    for element in tree.iter():
        style = element.get("style") if isinstance(element.tag, str) else None
        if style:
            result.add(element, parse_declarations(style), (1, 0, 0, 0), 0)
    return result


def parse_declarations(style: str) -> Properties:
    """The watched declarations of one block, names and values in lower case.

    >>> parse_declarations("Display : none; margin:0")
    {'display': 'none'}
    """
    pairs = (part.partition(":") for part in style[:MAX_STYLE_CHARS].lower().split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs if name.strip() in WATCHED and value.strip()}


def _rules(tree: HtmlElement) -> Iterator[tuple[str, Properties]]:
    sheet = "\n".join(element.text or "" for element in tree.iter("style") if element.get("media", "all") != "print")
    elements = sum(1 for _ in tree.iter())
    most = min(MAX_RULES, MAX_RULE_ELEMENT_PAIRS // (1 + elements))
    given = 0
    for selectors, block in _blocks(_without_comments(sheet[:MAX_SHEET_CHARS])):
        declarations = parse_declarations(block)
        for selector in (part.strip() for part in selectors.split(",") if declarations):
            is_cheap = elements <= MAX_ELEMENTS_FOR_COSTLY_SELECTORS or not _is_costly(selector)
            if given < most and is_cheap and _is_plain(selector):
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


def _is_plain(selector: str) -> bool:
    is_short = 0 < len(selector) <= _MAX_SELECTOR_CHARS
    return is_short and not selector.startswith("@") and not _STATE_OR_CONTENT.search(selector)


def _is_costly(selector: str) -> bool:
    return "~" in selector or ":nth" in selector or ":not" in selector or len(selector.split()) > 4


def _specificity(selector: str) -> tuple[int, int, int, int]:
    ids = selector.count("#")
    classes = len(re.findall(r"[.\[:]", selector))
    return (0, ids, classes, len(re.findall(r"(?:^|[\s>+~])[a-z]", selector, re.IGNORECASE)))
