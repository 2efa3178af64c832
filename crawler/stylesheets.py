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
    "display visibility opacity font-size color background background-color position left top right bottom"
    " text-indent clip clip-path height width max-height overflow transform".split()
)
# A hostile page may carry a sheet made to be slow; ordinary pages of the development corpus have at most some hundred
# rules that touch the watched properties in a hiding way.
MAX_RULES = 1_500
MAX_RULE_ELEMENT_PAIRS = 20_000_000
MAX_SHEET_CHARS = 400_000
_MAX_SELECTOR_CHARS = 200

_COMMENT = re.compile(r"/\*.*?\*/", re.S)
_RULE = re.compile(r"([^{};]+)\{([^{}]*)\}")
_PRINT_MEDIA = re.compile(r"@media[^{]*\bprint\b[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", re.I)
_STATE_OR_CONTENT = re.compile(r"::?(?:hover|focus|active|visited|before|after|target|checked|selection)", re.I)


@dataclass(slots=True)
class Cascade:
    """The winning watched declarations of each element that any rule or inline style touches."""

    _won: dict[HtmlElement, dict[str, tuple[Rank, str]]] = field(default_factory=dict)

    def of(self, element: HtmlElement) -> Properties:
        return {name: value for name, (_, value) in self._won.get(element, {}).items()}

    def add(self, element: HtmlElement, declarations: Properties, specificity: tuple[int, int, int, int], order: int) -> None:
        won = self._won.setdefault(element, {})
        for name, value in declarations.items():
            rank = ("!important" in value, specificity, order)
            if name not in won or rank >= won[name][0]:
                won[name] = (rank, value.replace("!important", "").strip())


def cascade(tree: HtmlElement) -> Cascade:
    """What the page's <style> elements and style attributes say of its elements; a rule that cannot be read is left out."""
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
    pairs = (part.partition(":") for part in _COMMENT.sub(" ", style).lower().split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs if name.strip() in WATCHED and value.strip()}


def _rules(tree: HtmlElement) -> Iterator[tuple[str, Properties]]:
    sheet = "\n".join(element.text or "" for element in tree.iter("style") if element.get("media", "all") != "print")
    plain = _PRINT_MEDIA.sub(" ", _COMMENT.sub(" ", sheet[:MAX_SHEET_CHARS]))
    most = min(MAX_RULES, MAX_RULE_ELEMENT_PAIRS // (1 + sum(1 for _ in tree.iter())))
    given = 0
    for selectors, block in _RULE.findall(plain):
        declarations = parse_declarations(block)
        for selector in selectors.split(",") if declarations else ():
            selector = selector.strip()
            is_plain = selector and len(selector) <= _MAX_SELECTOR_CHARS and not _STATE_OR_CONTENT.search(selector)
            if is_plain and not selector.startswith("@") and given < most:
                given += 1
                yield selector, declarations


def _specificity(selector: str) -> tuple[int, int, int, int]:
    ids = selector.count("#")
    classes = len(re.findall(r"[.\[:]", selector))
    return (0, ids, classes, len(re.findall(r"(?:^|[\s>+~])[a-z]", selector, re.I)))
