"""Computes the declarations that apply to each element of a page on each of the usual screens.

Declarations are ordered by importance, style attribute, layer, specificity and order of appearance (CSS Cascade 5).
Attributes such as bgcolor come before all sheets. The browser's own style sheet is not included.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import count
from types import MappingProxyType
from typing import Any

from lxml import etree
from lxml.html import HtmlElement

from crawler.css.conditions import media_screens
from crawler.css.declarations import DECLARED, Declaration, parse_style_attribute
from crawler.css.matching import SelectorMatcher, compile_selector
from crawler.css.sheets import MAX_MARKS_OF_PAGE, FontFace, LayerName, Rule, Sheet, count_marks, parse_sheet
from crawler.css.values import ALL_SCREENS, DESKTOP, IN_DOUBT, SCREENS
from crawler.opening import SkippedPart

Properties = Mapping[str, str]
_Rank = tuple[tuple[int, ...], tuple[int, int, int], int]  # layer, specificity, order
_UNLAYERED = 1 << 30
MAX_CHARS_OF_STYLES = 300_000  # of the different style attributes on a page; the saved pages have at most 12,545
NOTHING: Properties = MappingProxyType({})
_PLACES = ("", "before", "after")
_OF_SCREEN = re.compile(r"\d[sdl]?v(?:w|h|min|max|i|b)\b")
_HINTS = {"bgcolor": "background-color", "color": "color", "text": "color", "align": "text-align", "dir": "direction"}
# The elements with a style attribute or another attribute that affects their style.
styled_elements = etree.XPath(
    f"descendant-or-self::*[@style or @hidden or @size or {' or '.join(f'@{name}' for name in _HINTS)}]"
)


@dataclass(frozen=True, slots=True)
class _Entry:
    """The declarations of a rule, a style attribute or presentational attributes, and their rank in the cascade."""

    number: int
    rank: _Rank
    declarations: tuple[Declaration, ...]
    screens: int = ALL_SCREENS
    is_attribute: bool = False

    def weight(self, declaration: Declaration) -> tuple[object, ...]:
        layer, *rest = self.rank
        if declaration.is_important:
            return (1, self.is_attribute, tuple(-each for each in layer), *rest)
        return (0, self.is_attribute, layer, *rest)


@dataclass(slots=True)
class Cascade:
    """The declared values of all elements on one page.

    screens: one screen for each group of screens on which the same declarations apply
    skipped: the parts of the page's style that are too large to be read
    """

    faces: list[tuple[FontFace, str]] = field(default_factory=list)  # each face with the base URL of its sheet
    animated: dict[str, frozenset[str]] = field(default_factory=dict)
    screens: tuple[int, ...] = (DESKTOP,)
    skipped: list[SkippedPart] = field(default_factory=list)
    _entries: dict[HtmlElement, list[_Entry]] = field(default_factory=lambda: defaultdict(list))
    _pseudo_entries: dict[str, dict[HtmlElement, list[_Entry]]] = field(
        default_factory=lambda: {"before": defaultdict(list), "after": defaultdict(list)}
    )
    _won: dict[tuple[int, ...], Properties] = field(default_factory=dict)

    def properties(self, element: HtmlElement, screen: int = DESKTOP) -> Properties:
        """Return the declared values of an element by property. Neither `inherit` nor var() is resolved."""
        entries = self._entries.get(element)
        return self._winners(entries, screen) if entries else NOTHING

    def elements(self) -> Iterable[HtmlElement]:
        """Return the elements that have declarations."""
        return self._entries

    def pseudo_properties(self, element: HtmlElement, place: str) -> Properties:
        """Return the declared values of an element's pseudo-element on a desktop screen. place: "before" or "after"."""
        return self._winners(self._pseudo_entries[place].get(element, []), DESKTOP)

    def with_content(self) -> list[HtmlElement]:
        """Return the elements that may have text inserted before or after them by a sheet."""
        return list({**self._pseudo_entries["before"], **self._pseudo_entries["after"]})

    def forget(self, elements: Iterable[HtmlElement]) -> None:
        """Remove the declarations of elements, such as elements that are not displayed."""
        for element in elements:
            for known in (self._entries, *self._pseudo_entries.values()):
                known.pop(element, None)

    def add_entry(self, element: HtmlElement, entry: _Entry, place: str = "") -> None:
        (self._pseudo_entries[place] if place else self._entries)[element].append(entry)

    def group_screens(self, entries: Iterable[_Entry]) -> None:
        """Group the screens on which the same declarations apply, and set `screens` to one of each group."""
        masks = {entry.screens for entry in entries}
        values = {declaration.value for entry in entries for declaration in entry.declarations}
        has_units = any(map(_OF_SCREEN.search, values))
        groups: dict[tuple[object, ...], int] = {}
        for number in (DESKTOP, *range(len(SCREENS))):
            size = (SCREENS[number].width_px, SCREENS[number].height_px) if has_units else ()
            groups.setdefault((size, *(mask >> number & 1 for mask in masks)), number)
        self.screens = tuple(groups.values())

    def _winners(self, entries: Sequence[_Entry], screen: int) -> Properties:
        key = (screen, *(entry.number for entry in entries))
        if key not in self._won:
            best: dict[str, tuple[Any, str]] = {}
            for entry in entries:
                for declaration in entry.declarations if entry.screens >> screen & 1 else ():
                    weight = entry.weight(declaration)
                    if declaration.name not in best or weight >= best[declaration.name][0]:
                        best[declaration.name] = (weight, declaration.value)
            self._won[key] = {name: value for name, (_, value) in best.items()}
        return self._won[key]


def cascade(tree: HtmlElement, sheets: Sequence[Sheet] | None = None) -> Cascade:
    """Apply sheets, style attributes and presentational attributes to the elements of a page.

    sheets: the sheets of the page in order; None for those in its style elements. Parts that are too large are skipped.
    """
    given = own_sheets(tree) if sheets is None else sheets
    result, numbers = Cascade(), count()
    entries = _add_sheets(tree, given, result, numbers) if given else []
    result.group_screens([*entries, *_add_attributes(tree, result, numbers)])
    return result


def _add_sheets(tree: HtmlElement, sheets: Sequence[Sheet], result: Cascade, numbers: Iterator[int]) -> list[_Entry]:
    """Add the rules of sheets to the elements that they match. Return the entries made for the rules."""
    matcher, entries = SelectorMatcher(tree), list[_Entry]()
    names = matcher.names | _ALWAYS
    for order, (rule, screens, layer) in enumerate(_rules(sheets, names, result)):
        if matcher.is_used_up:
            result.skipped.append(SkippedPart.STYLE)
            break
        if not may_match(",".join(rule.selectors), names):
            continue
        selectors = [compile_selector(text) for text in rule.selectors]
        tests = [each.test for each in selectors if each.test is not None]
        mask = screens if all(each.is_sure for each in selectors) else screens & IN_DOUBT
        if not mask or len(tests) < len(selectors):
            continue
        for test in tests:
            place = test.pseudo_element or ""
            if place not in _PLACES:
                continue
            entry = _Entry(next(numbers), (layer, test.specificity, order), rule.declarations, mask)
            matched = matcher.find_elements(test)
            for element in matched:
                result.add_entry(element, entry, place)
            entries += [entry] if matched else []
    matcher.forget()
    return entries


def own_sheets(tree: HtmlElement) -> list[Sheet]:
    """Return the sheets in the style elements of a page that a browser applies."""
    return [sheet for element in tree.iter("style") if (sheet := read_style_element(element)) is not None]


def read_style_element(element: HtmlElement) -> Sheet | None:
    """Return the sheet of a style element, or None if a browser does not apply it."""
    kind = (element.get("type") or "").strip().lower()
    if kind not in ("", "text/css") or any(above.tag in ("noscript", "template") for above in element.iterancestors()):
        return None
    return Sheet(element.text or "", media=element.get("media") or "")


def _rules(sheets: Sequence[Sheet], names: Set[str], result: Cascade) -> list[tuple[Rule, int, tuple[int, ...]]]:
    """Return the rules that apply to any screen, each with its screens and the rank of its layer."""
    layers = _Layers()
    found: list[tuple[Rule, int, LayerName]] = []
    marks_left = MAX_MARKS_OF_PAGE
    for sheet in sheets:
        screens = sheet.screens & media_screens(sheet.media)
        text = relevant(sheet.text, names) if screens else ""
        marks_left -= count_marks(text)
        if marks_left < 0:
            result.skipped.append(SkippedPart.STYLE)
        if not text or marks_left < 0:
            continue
        content = parse_sheet(text)
        result.faces += [(face, sheet.base) for face in content.faces]
        for name, changed in content.animated.items():
            result.animated[name] = result.animated.get(name, frozenset()) | changed
        for layer in ((), *content.layers):
            layers.rank((*sheet.layer, *layer))
        found += [(rule, rule.screens & screens, (*sheet.layer, *rule.layer)) for rule in content.rules]
    has_variables = any(rule.has_variables for rule, _, _ in found)
    return [
        (rule, screens, layers.rank(layer))
        for rule, screens, layer in found
        if screens and (has_variables or not rule.is_of_variables)
    ]


class _Layers(dict[LayerName, int]):
    """The cascade layers with their numbers, in the order in which they are first named."""

    def rank(self, layer: LayerName) -> tuple[int, ...]:
        """Return the rank of a layer. Rules without a layer rank above rules with one."""
        around = [layer[:depth] for depth in range(1, len(layer) + 1)]
        return (*(self.setdefault(each, len(self)) for each in around), _UNLAYERED)


def _add_attributes(tree: HtmlElement, result: Cascade, numbers: Iterator[int]) -> list[_Entry]:
    """Add the style attributes and the presentational attributes of all elements. Return the entries made for them."""
    by_text: dict[tuple[str, bool], _Entry] = {}
    left = MAX_CHARS_OF_STYLES
    for element in styled_elements(tree):
        for text, is_style in ((_hints(element), False), (element.get("style"), True)):
            if not text:
                continue
            if (text, is_style) not in by_text:
                left -= len(text)
                if left < 0:
                    result.skipped.append(SkippedPart.STYLE_ATTRIBUTES)
                    continue
                rank = ((_UNLAYERED,) if is_style else (-1,), (0, 0, 0), 0)
                made = _Entry(next(numbers), rank, parse_style_attribute(text), is_attribute=is_style)
                by_text[text, is_style] = made
            result.add_entry(element, by_text[text, is_style])
    return list(by_text.values())


def _hints(element: HtmlElement) -> str:
    """Return the declarations to which the presentational attributes of an element are equivalent."""
    is_hidden = element.get("hidden", "until-found").lower() != "until-found"
    parts = ["display:none"] if is_hidden else []
    if element.tag == "font" and element.get("size"):
        parts.append("font-size:medium")
    for name, styled in _HINTS.items():
        value = (element.get(name) or "").strip()
        if value and not set(value) & set(";{}()!\"'\\"):
            is_bare = "color" in styled and re.fullmatch("[0-9a-fA-F]{6}|[0-9a-fA-F]{3}", value)
            parts.append(f"{styled}:{'#' if is_bare else ''}{value}")
    return ";".join(parts)


# Removes the rules of a sheet that are for other pages or declare no watched property.
#
# Most rules of a sheet are such rules. They are removed from its text, because parsing them takes ten times as long.
# Everything else is left in the text.

# Matches a string, a comment, or a rule whose block contains no other block. No alternative is read twice, so the time
# is linear in the length of the sheet, even if its syntax is broken.
_STRING = r""""(?:[^"\\\n]|\\.)*+(?:"|\n|\Z)|'(?:[^'\\\n]|\\.)*+(?:'|\n|\Z)"""
_INNER_STRING = r""""(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'"""
_PARTS = re.compile(
    rf"""{_STRING}|/\*.*?(?:\*/|\Z)|(?:^|(?<=[{{}};])|(?<=\*/))([^{{}}@"'\\/;]*+)\{{((?:[^{{}}"'\\/]|/(?!\*)|{_INNER_STRING})*+)\}}""",
    re.DOTALL,
)
# A class, an id, or a tag at the start of a compound selector.
_NAME = re.compile(r"([.#]|(?<![^\s>+~])(?=[A-Za-z]))(?!\d)([^\s.#:>+~,*&|]+)")
_ALWAYS = frozenset({"<from", "<to"})  # keyframe selectors
# Pseudo-classes of user actions never match, and only these two pseudo-elements contain text.
_NEVER = re.compile(
    r":(?:hover|focus|focus-within|focus-visible|active|visited|target)(?![\w-])|::(?!before|after)", re.IGNORECASE
)
_WATCHED = re.compile("|".join(sorted({*DECLARED, "--"}, key=len)), re.IGNORECASE)


def relevant(text: str, names: Set[str]) -> str:
    """Return the rules of a sheet that may affect a page. names: the page's classes, ids as "#id" and tags as "<tag".

    >>> relevant(".a{top:0} .b .c{top:0} p{top:0} p{zoom:2} p:hover{top:0} h2{top:0}", {"a", "c", "<p"})
    '.a{top:0} p{top:0}'
    """

    def keep(match: re.Match[str]) -> str:
        selectors, block = match[1], match[2]
        is_meant = selectors is None or (_WATCHED.search(block) and may_match(selectors, names))
        return match[0] if is_meant else ""

    return _PARTS.sub(keep, text)


def may_match(selectors: str, names: Set[str]) -> bool:
    """Return True if one of `selectors` may match on a page.

    names: the page's classes, ids as "#id", tags as "<tag".
    """
    return any(sign in selectors for sign in "([|\\") or any(
        not _NEVER.search(selector)
        and all(
            (f"<{name.lower()}" if not mark else name if mark == "." else f"#{name}") in names
            for mark, name in _NAME.findall(selector)
        )
        for selector in selectors.split(",")
    )
