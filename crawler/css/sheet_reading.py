"""Reads what stands in a style sheet: the rules that a browser applies, each with its screens and its layer.

tinycss2 reads the syntax.
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

import tinycss2
from tinycss2.ast import Node

from crawler.css.conditions import screens_of, screens_supporting
from crawler.css.declarations import Declaration, declarations_in, known_to_browsers
from crawler.css.screens import ALL_SCREENS, IN_DOUBT
from crawler.css.selectors import MAX_CHARS, needs, nested
from crawler.css.sheets import FontFace, Import, LayerName, Rule, SheetContent
from crawler.css.tokens import significant, split
from crawler.css.values import address_of, families

# A sheet that has more, once what is for other pages is cut out, is left out. All of Semantic UI, the largest public
# framework that was looked at, has 752,081 characters and 92,679 marks; what concerns them of their own sheets has
# 10,693 marks at most on the 70 saved pages (2026-11). What is made of marks alone takes 2 s.
MAX_CHARS_OF_SHEET, MAX_MARKS = 1_000_000, 300_000
MAX_MARKS_OF_PAGE = 400_000
MAX_DEPTH = 16  # of blocks; deeper ones are left out
MAX_FACES = 20
_MARKS = "{}()[];:,.#>"
_MAX_MARKS_OF_SMALL, _MAX_MARKS_REMEMBERED = 20_000, 100_000
# tinycss2 raises for a number of thousands of digits and for half of a pair of surrogates.
_BREAKS_PARSER = re.compile(r"(?<=\d{300})\d+|\\0{0,2}[dD][89a-fA-F][0-9a-fA-F]{2}")


def marks_in(text: str) -> int:
    """What a sheet costs to read: its signs."""
    return sum(map(text.count, _MARKS))


def content_of(text: str) -> SheetContent:
    """What a sheet says; nothing for one that is too large. Never raises on broken or hostile text."""
    text, data = without_data(text)
    marks = marks_in(text)
    if len(text) > MAX_CHARS_OF_SHEET or marks > MAX_MARKS:
        return SheetContent()
    known = _remembered if marks <= _MAX_MARKS_OF_SMALL else _remembered_large
    content = (known if marks <= _MAX_MARKS_REMEMBERED else _read)(text)
    return replace(content, faces=[embedded(face, data) for face in content.faces]) if data else content


def _read(text: str) -> SheetContent:
    reader = _Reader()
    try:
        reader.top(tinycss2.parse_stylesheet(_BREAKS_PARSER.sub("", text), skip_comments=True, skip_whitespace=True))
    except ValueError:
        return SheetContent()
    return reader.content


# The pages of a site bring the same sheets along.
_remembered = lru_cache(maxsize=32)(_read)
_remembered_large = lru_cache(maxsize=4)(_read)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a rule stands."""

    screens: int = ALL_SCREENS
    layer: LayerName = ()
    parent: str = ""  # the selectors of the rule around it
    depth: int = 0


class _Reader:
    """Collects what stands in one sheet."""

    def __init__(self) -> None:
        self.content = SheetContent()
        self._namespaces: dict[str | None, str] = {}
        self._anonymous = 0

    def top(self, rules: Iterable[Node]) -> None:
        is_head = True
        for rule in rules:
            keyword = rule.lower_at_keyword if rule.type == "at-rule" else ""
            if keyword == "import" and rule.content is None and is_head:
                self._import(significant(rule.prelude))
                continue
            is_head = is_head and (keyword in ("charset", "namespace") or (keyword == "layer" and rule.content is None))
            if keyword == "namespace" and rule.content is None:
                self._namespace(significant(rule.prelude))
            else:
                self._rule(rule, _Place())

    def _rule(self, rule: Node, place: _Place) -> None:
        with suppress(ValueError, RecursionError):  # brackets in brackets, thousands deep
            if place.depth <= MAX_DEPTH:
                self._known_rule(rule, place)

    def _known_rule(self, rule: Node, place: _Place) -> None:
        if rule.type == "qualified-rule":
            if place.parent:
                self._style(nested(rule.prelude, place.parent), rule.content, replace(place, parent=""))
            else:
                self._style(tinycss2.serialize(rule.prelude).strip(), rule.content, place, split(rule.prelude))
        elif rule.type == "at-rule":
            self._at_rule(rule, rule.lower_at_keyword, place)

    def _at_rule(self, rule: Node, keyword: str, place: _Place) -> None:
        prelude = tinycss2.serialize(rule.prelude).strip()
        if keyword == "layer":
            self._layer(rule, prelude, place)
        elif rule.content is None:
            return
        elif keyword in ("media", "supports", "container", "scope"):
            screens = place.screens & _screens_of_block(keyword, prelude)
            if screens:
                self._inside(rule.content, replace(place, screens=screens))
        elif keyword == "font-face" and len(self.content.faces) < MAX_FACES:
            self.content.faces += [face] if (face := face_of(rule.content)) is not None else []
        elif keyword in ("keyframes", "-webkit-keyframes"):
            self._keyframes(prelude.strip("\"'"), rule.content)

    def _inside(self, content: Sequence[Node], place: _Place) -> None:
        """What a block holds: rules, or inside a rule also declarations."""
        place = replace(place, depth=place.depth + 1)
        if place.parent:
            self._style(place.parent, content, replace(place, parent=""))
            return
        for rule in tinycss2.parse_rule_list(content, skip_comments=True, skip_whitespace=True):
            self._rule(rule, place)

    def _style(
        self, selectors: str, content: Sequence[Node], place: _Place, parts: Sequence[Sequence[Node]] = ()
    ) -> None:
        """A rule with what is nested in it. parts: its selectors taken apart, if they are."""
        if not selectors:
            return
        items = tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True)
        declarations = declarations_in(items)
        if declarations:
            parts = parts or split(tinycss2.parse_component_value_list(selectors, skip_comments=True))
            self._add(selectors, parts, declarations, place)
        inner = replace(place, parent=selectors, depth=place.depth + 1)
        for item in items:
            if item.type in ("qualified-rule", "at-rule"):
                self._rule(item, inner)

    def _add(
        self, selectors: str, parts: Sequence[Sequence[Node]], declarations: tuple[Declaration, ...], place: _Place
    ) -> None:
        # A list that is too long is taken as so many rules.
        lists = [parts] if len(selectors) <= MAX_CHARS else [[part] for part in parts]
        for each in lists:
            text = selectors if len(lists) == 1 else tinycss2.serialize(each[0]).strip()
            if len(text) <= MAX_CHARS:
                needed, namespaces = tuple(map(needs, each)), tuple(self._namespaces.items())
                self.content.rules.append(Rule(text, namespaces, needed, declarations, place.screens, place.layer))

    def _layer(self, rule: Node, prelude: str, place: _Place) -> None:
        names = [tuple(name.strip().split(".")) for name in prelude.split(",")] if prelude else []
        if rule.content is None:
            self.content.layers += [(*place.layer, *name) for name in names]
        elif len(names) <= 1:
            layer = (*place.layer, *(names[0] if names else (self._unnamed(),)))
            self.content.layers.append(layer)
            self._inside(rule.content, replace(place, layer=layer))

    def _unnamed(self) -> str:
        self._anonymous += 1
        return f" {self._anonymous}"

    def _import(self, prelude: Sequence[Node]) -> None:
        """`@import url layer(a) supports(…) media`."""
        address = address_of(prelude[0]) if prelude else ""
        rest, screens = list(prelude[1:]), ALL_SCREENS
        layer: LayerName = ()
        if rest and rest[0].type == "ident" and rest[0].lower_value == "layer":
            layer = (self._unnamed(),)
            rest.pop(0)
        elif rest and rest[0].type == "function" and rest[0].lower_name == "layer":
            layer = tuple(tinycss2.serialize(rest.pop(0).arguments).strip().split("."))
        if rest and rest[0].type == "function" and rest[0].lower_name == "supports":
            condition = tinycss2.serialize(rest.pop(0).arguments)
            screens = _supporting(condition if condition.lstrip().startswith(("(", "not")) else f"({condition})")
        screens &= screens_of(tinycss2.serialize(rest))
        if address and screens:
            self.content.imports.append(Import(address, screens, layer, tuple(self.content.layers)))

    def _namespace(self, prelude: Sequence[Node]) -> None:
        prefix = prelude[0].value if prelude and prelude[0].type == "ident" else None
        address = address_of(prelude[-1]) if prelude else ""
        if address:
            self._namespaces[prefix] = address

    def _keyframes(self, name: str, content: Sequence[Node]) -> None:
        frames = tinycss2.parse_rule_list(content, skip_comments=True, skip_whitespace=True)
        names = {
            declaration.name
            for frame in frames
            if frame.type == "qualified-rule"
            for declaration in declarations_in(
                tinycss2.parse_blocks_contents(frame.content, skip_comments=True, skip_whitespace=True)
            )
        }
        self.content.animated[name] = self.content.animated.get(name, frozenset()) | names


def _screens_of_block(keyword: str, prelude: str) -> int:
    """The screens for which the rules in a block hold; what only layout tells, or is too long, is in doubt."""
    if len(prelude) > MAX_CHARS or keyword not in ("media", "supports"):
        return IN_DOUBT
    return screens_of(prelude) if keyword == "media" else _supporting(prelude)


def _supporting(condition: str) -> int:
    return screens_supporting(condition, known_to_browsers)


_DATA_URL = re.compile(r"""url\(\s*(["']?)(data:[^"')\s]{1,16000000})\1\s*\)""", re.IGNORECASE)


def without_data(text: str) -> tuple[str, list[str]]:
    """A sheet with a short stand-in for each data: address, and those addresses: they are as long as a font."""
    data: list[str] = []

    def kept(match: re.Match[str]) -> str:
        data.append(match[2])
        return f"url(embedded:{len(data) - 1})"

    return (_DATA_URL.sub(kept, text) if "data:" in text else text), data


def embedded(face: FontFace, data: Sequence[str]) -> FontFace:
    """A face with the addresses that `without_data` took out."""
    numbers = (source.removeprefix("embedded:") for source in face.sources)
    sources = (
        data[int(number)] if number != source and number.isdigit() and int(number) < len(data) else source
        for source, number in zip(face.sources, numbers, strict=True)
    )
    return FontFace(face.family, tuple(sorted(sources, key=_is_odd_form)))


def face_of(content: Sequence[Node]) -> FontFace | None:
    """What stands in a @font-face, None where it lacks a name or a file."""
    family, sources = "", list[str]()
    for item in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
        if item.type == "declaration" and item.lower_name == "font-family":
            family = next(iter(families(tinycss2.serialize(item.value))), "")
        elif item.type == "declaration" and item.lower_name == "src":
            sources += [address for each in item.value if (address := address_of(each))]
    return FontFace(family, tuple(sorted(sources, key=_is_odd_form))) if family and sources else None


def _is_odd_form(address: str) -> bool:
    """Whether the file is of a form that only old browsers ask for."""
    return address.startswith("#") or bool(re.search(r"\.(?:eot|svg)\b|fontobject|svg\+xml", address[:200]))
