"""Which declarations hold for each element of a page, on each of the ordinary screens.

By importance, style attribute, layer, specificity and order (CSS Cascade 5); attributes such as bgcolor come before all
sheets. A browser's own sheet is not part of it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain, count
from types import MappingProxyType
from typing import Any

from lxml.html import HtmlElement

from crawler.css.conditions import screens_of
from crawler.css.declarations import DECLARED, SEEN, Declaration, declarations_of
from crawler.css.matching import Matcher
from crawler.css.screens import ALL_SCREENS, DESKTOP, IN_DOUBT, SCREENS
from crawler.css.selectors import selectors
from crawler.css.sheet_reading import MAX_MARKS_OF_PAGE, content_of, marks_in
from crawler.css.sheets import FontFace, Rule, Sheet
from crawler.reading_steps import ReadingSteps, Step

Properties = Mapping[str, str]
_Rank = tuple[tuple[int, ...], tuple[int, int, int], int]  # layer, specificity, order
_UNLAYERED = 1 << 30
MAX_CHARS_OF_STYLES = 300_000  # of the style attributes of a page that differ; the saved pages have 12,545 at most
_NOTHING: Properties = MappingProxyType({})
_OF_SCREEN = re.compile(r"\d[sdl]?v(?:w|h|min|max|i|b)\b")
_HINTS = {"bgcolor": "background-color", "color": "color", "text": "color", "align": "text-align", "dir": "direction"}
_HINTING = frozenset({*_HINTS, "hidden", "size"})


@dataclass(frozen=True, slots=True)
class _Entry:
    """Declarations that hold for elements: of a rule, a style attribute or other attributes."""

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
    """What holds for the elements of one page. screens: one of each group of screens that see the page alike."""

    faces: list[tuple[FontFace, str]] = field(default_factory=list)  # each with the base of its sheet
    animated: dict[str, frozenset[str]] = field(default_factory=dict)
    screens: tuple[int, ...] = (DESKTOP,)
    _entries: dict[HtmlElement, list[_Entry]] = field(default_factory=lambda: defaultdict(list))
    _beside: dict[str, dict[HtmlElement, list[_Entry]]] = field(
        default_factory=lambda: {"before": defaultdict(list), "after": defaultdict(list)}
    )
    _won: dict[tuple[int, ...], Properties] = field(default_factory=dict)

    def of(self, element: HtmlElement, screen: int = DESKTOP) -> Properties:
        """The declared values of an element itself, by property; `inherit` and var() as they stand."""
        entries = self._entries.get(element)
        return self._winners(entries, screen) if entries else _NOTHING

    def elements(self) -> Iterable[HtmlElement]:
        """The elements that anything is declared for."""
        return self._entries

    def beside(self, element: HtmlElement, place: str) -> Properties:
        """What a sheet says of the "before" or "after" of an element."""
        return self._winners(self._beside[place].get(element, []), DESKTOP)

    def with_content(self) -> list[HtmlElement]:
        """The elements that a sheet sets text before or after."""
        return list({**self._beside["before"], **self._beside["after"]})

    def forget(self, elements: Iterable[HtmlElement]) -> None:
        """Drop what holds for elements that are not shown."""
        for element in elements:
            for known in (self._entries, *self._beside.values()):
                known.pop(element, None)

    def add(self, element: HtmlElement, entry: _Entry, place: str = "") -> None:
        (self._beside[place] if place else self._entries)[element].append(entry)

    def group_screens(self, entries: Iterable[_Entry]) -> None:
        """Find the screens on which something else holds than on others."""
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


def cascade(
    tree: HtmlElement,
    sheets: Sequence[Sheet] | None = None,
    more: Set[str] = frozenset(),
    steps: ReadingSteps | None = None,
) -> Cascade:
    """What sheets, style attributes and other attributes say of a page's elements; what cannot be read is left out.

    sheets: those that the page applies, in order; None: its own style elements. more: properties beside those that
    decide what is seen. steps: told of what was left out; raise TooCostly where it takes too long.
    """
    steps = steps or ReadingSteps()
    given = own_sheets(tree) if sheets is None else sheets
    result, matcher = Cascade(), Matcher(tree, _HINTING)
    numbers = count()
    entries: list[_Entry] = []
    for order, (rule, screens, layer) in enumerate(_rules(given, matcher, result, SEEN | more, steps)):
        steps.check()
        if matcher.is_used_up:
            steps.leave_out(Step.STYLE)
            break
        if not any(map(matcher.may_match, rule.needs)):
            continue
        read, is_sure = selectors(rule.selectors, rule.namespaces)
        for selector in read:
            place = selector.pseudo_element
            if place and (place not in ("before", "after") or "content" not in more):
                continue
            mask = screens if is_sure else screens & IN_DOUBT
            entry = _Entry(next(numbers), (layer, selector.specificity, order), rule.declarations, mask)
            matched = list(matcher.matching(selector)) if mask else []
            for element in matched:
                result.add(element, entry, place)
            entries += [entry] if matched else []
    entries += _attributes(matcher, result, numbers, steps)
    result.group_screens(entries)
    matcher.forget()
    return result


def own_sheets(tree: HtmlElement) -> list[Sheet]:
    """What stands in the style elements of a page."""
    return [sheet for element in tree.iter("style") if (sheet := sheet_of(element)) is not None]


def sheet_of(element: HtmlElement) -> Sheet | None:
    """What a style element says; None where a browser does not apply it."""
    kind = (element.get("type") or "").strip().lower()
    if kind not in ("", "text/css") or any(above.tag in ("noscript", "template") for above in element.iterancestors()):
        return None
    return Sheet(element.text or "", media=element.get("media") or "")


def _rules(
    sheets: Sequence[Sheet], matcher: Matcher, result: Cascade, watched: Set[str], steps: ReadingSteps
) -> list[tuple[Rule, int, tuple[int, ...]]]:
    """The rules for any screen that speak of what is watched, each with its screens and the rank of its layer."""
    layers = _Layers()
    found: list[tuple[Rule, int, tuple[str, ...]]] = []
    marks_left = MAX_MARKS_OF_PAGE
    for number, sheet in enumerate(sheets):
        steps.check()
        screens = sheet.screens & screens_of(sheet.media)
        text = relevant(sheet.text, matcher.names) if screens else ""
        marks_left -= marks_in(text)
        if marks_left < 0:
            steps.leave_out(Step.STYLE)
        if not text or marks_left < 0:
            continue
        content = content_of(text)
        result.faces += [(face, sheet.base) for face in content.faces]
        for name, changed in content.animated.items():
            result.animated[name] = result.animated.get(name, frozenset()) | changed
        for layer in ((), *content.layers):
            layers.name(_numbered((*sheet.layer, *layer), number))
        found += [
            (rule, rule.screens & screens, _numbered((*sheet.layer, *rule.layer), number)) for rule in content.rules
        ]
    has_variables = any(rule.has_variables for rule, _, _ in found)
    return [
        (rule, screens, layers.rank(layer))
        for rule, screens, layer in found
        if screens and (not watched.isdisjoint(rule.names) or (has_variables and "--" in rule.names))
    ]


def _numbered(layer: tuple[str, ...], sheet: int) -> tuple[str, ...]:
    """A layer whose parts without a name are those of one sheet alone."""
    return tuple(f"{name} {sheet}" if name.startswith(" ") else name for name in layer)


class _Layers:
    """Layers in the order in which they are first named, each among those that stand in the same one."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, ...], int] = {}
        self._count: dict[tuple[str, ...], int] = defaultdict(int)

    def name(self, layer: tuple[str, ...]) -> None:
        for depth in range(1, len(layer) + 1):
            if layer[:depth] not in self._places:
                self._places[layer[:depth]] = self._count[layer[: depth - 1]]
                self._count[layer[: depth - 1]] += 1

    def rank(self, layer: tuple[str, ...]) -> tuple[int, ...]:
        """What is in no layer comes after what is in one."""
        return (*(self._places[layer[:depth]] for depth in range(1, len(layer) + 1)), _UNLAYERED)


def _attributes(matcher: Matcher, result: Cascade, numbers: Iterator[int], steps: ReadingSteps) -> list[_Entry]:
    """Enter style attributes and those others that style."""
    by_text: dict[tuple[str, bool], _Entry] = {}
    left = MAX_CHARS_OF_STYLES
    hinted = ((element, _hints(element), False) for element in matcher.hinted)
    styled = ((element, text, True) for element, text in matcher.styled)
    for element, text, is_style in chain(hinted, styled):
        if not text:
            continue
        if (text, is_style) not in by_text:
            left -= len(text)
            if left < 0:
                steps.leave_out(Step.STYLE_ATTRIBUTES)
                continue
            rank = ((_UNLAYERED,) if is_style else (-1,), (0, 0, 0), 0)
            made = _Entry(next(numbers), rank, declarations_of(text), is_attribute=is_style)
            by_text[text, is_style] = made
        result.add(element, by_text[text, is_style])
    return list(by_text.values())


def _hints(element: HtmlElement) -> str:
    """The style that other attributes of an element stand for."""
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


# A sheet without the rules that are for other pages, or that say nothing of what is watched.
#
# Most of a sheet is. They are cut out of its text, since to read all of it takes ten times as long; what is not plainly
# a rule of that kind stays.

# A text, a comment, or a rule whose block has no other block in it. Each alternative ends where it has looked to: the
# time is linear in the sheet however it is broken.
_STRING = r""""(?:[^"\\\n]|\\.)*+(?:"|\n|\Z)|'(?:[^'\\\n]|\\.)*+(?:'|\n|\Z)"""
_INNER_STRING = r""""(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'"""
_PARTS = re.compile(
    rf"""{_STRING}|/\*.*?(?:\*/|\Z)|(?:^|(?<=[{{}};])|(?<=\*/))([^{{}}@"'\\/;]*+)\{{((?:[^{{}}"'\\/]|/(?!\*)|{_INNER_STRING})*+)\}}""",
    re.DOTALL,
)
# A class, an id, or a tag at the beginning of a compound.
_NAME = re.compile(r"([.#]|(?<![^\s>+~])(?=[A-Za-z]))(?!\d)([^\s.#:>+~,*&|]+)")
_ALWAYS = frozenset({"<from", "<to", "<tbody"})  # of keyframes, and what browsers put around rows by themselves
_COMPOUND = r"(?:[a-zA-Z][\w-]*+(?:[.#][a-zA-Z][\w-]*+)*+|(?:[.#][a-zA-Z][\w-]*+)++)"
_PLAIN = re.compile(rf"{_COMPOUND}(?:(?:\s*+[>+~]\s*+|\s++){_COMPOUND})*+", re.ASCII)
# What depends on what a reader does does not hold; other pseudo-elements than these two have no text.
_NEVER = re.compile(
    r":(?:hover|focus|focus-within|focus-visible|active|visited|target)(?![\w-])|::(?!before|after)", re.IGNORECASE
)
_WATCHED = re.compile("|".join(sorted({*DECLARED, "--"}, key=len)), re.IGNORECASE)


def relevant(text: str, names: Set[str]) -> str:
    """Return the rules of a sheet that may concern a page. names: its classes, ids as "#id" and tags as "<tag".

    >>> relevant(".a{top:0} .b .c{top:0} p{top:0} p{zoom:2} p:hover{top:0} h2{top:0}", {"a", "c", "<p"})
    '.a{top:0} p{top:0}'
    """
    known = names | _ALWAYS

    def kept(match: re.Match[str]) -> str:
        selectors, block = match[1], match[2]
        if selectors is None or "(" in selectors or "[" in selectors or "|" in selectors:
            return match[0] if selectors is None or _WATCHED.search(block) else ""
        parts = selectors.split(",")
        matching = {part for part in parts if _may_match(part, known)}
        if not matching or not _WATCHED.search(block):
            return ""
        # One that no browser reads makes it drop the whole rule, and has to stay.
        read = [part for part in parts if part in matching or not _is_plain(part)]
        return f"{','.join(read)}{{{block}}}"

    return _PARTS.sub(kept, text)


def _may_match(selector: str, names: Set[str]) -> bool:
    if _NEVER.search(selector):
        return False
    return all(
        (f"<{name.lower()}" if not mark else name if mark == "." else f"#{name}") in names
        for mark, name in _NAME.findall(selector)
    )


def _is_plain(selector: str) -> bool:
    """Say whether a browser is sure to read a selector."""
    return _PLAIN.fullmatch(selector.strip()) is not None
