"""Parses style sheets into rules with their screens and layers, font faces, animations and imports.

tinycss2 parses the syntax.
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import tinycss2
from tinycss2.ast import Node

from crawler.css.conditions import media_screens, screens_supporting
from crawler.css.declarations import Declaration, block_declarations, is_supported_by_chromium, plain_declarations
from crawler.css.matching import MAX_CHARS
from crawler.css.values import ALL_SCREENS, IN_DOUBT, Tokens, families, significant, split, token_address

# A sheet that still exceeds these limits after rules for other pages were removed is ignored. Semantic UI, the largest
# public framework examined, has 752,081 characters and 92,679 marks; the relevant parts of the sheets of the 70 saved
# pages have at most 10,693 marks (2026-11). A sheet that consists only of marks takes 2 s.
MAX_CHARS_OF_SHEET, MAX_MARKS = 1_000_000, 300_000
MAX_MARKS_OF_PAGE = 400_000
MAX_DEPTH = 16  # of nested blocks; deeper ones are ignored
MAX_FACES = 20
_MARKS = "{}()[];:,.#>"
_MAX_MARKS_REMEMBERED = 20_000
# tinycss2 raises an exception for numbers with thousands of digits and for unpaired surrogates.
_BREAKS_PARSER = re.compile(r"(?<=\d{300})\d+|\\0{0,2}[dD][89a-fA-F][0-9a-fA-F]{2}")
# Matches a rule that is parsed without tinycss2. _MARK_OF_RULE finds the end of any other rule and skips strings and
# comments.
_PLAIN_RULE = re.compile(r"""\s*+([^{}@"'\\/;()\[\]<]++)\{([^{}@"'\\/()\[\]<]*+)\}""")
_BLANK = re.compile(r"(?:\s|/\*.*?(?:\*/|\Z)|<!--|-->)++", re.DOTALL)
_MARK_OF_RULE = re.compile(r""""(?:[^"\\\n]|\\.)*+["\n]?|'(?:[^'\\\n]|\\.)*+['\n]?|/\*.*?(?:\*/|\Z)|[{};]""", re.DOTALL)
LayerName = tuple[str, ...]  # a layer with its enclosing layers; the name of an anonymous layer begins with a space


@dataclass(frozen=True, slots=True)
class Sheet:
    """The text of a style sheet.

    base: the base URL of its references
    media: the media query of the element or import that refers to it
    screens: the screens to which enclosing imports restrict it
    layer: the layer into which it is imported
    """

    text: str
    base: str = ""
    media: str = ""
    screens: int = ALL_SCREENS
    layer: LayerName = ()


@dataclass(frozen=True)
class Rule:
    """The selectors and declarations of a rule, the screens to which it applies, and its layer."""

    selectors: tuple[str, ...]
    declarations: tuple[Declaration, ...]
    screens: int
    layer: LayerName

    @cached_property
    def is_of_variables(self) -> bool:
        """True if the rule declares only custom properties."""
        return all(each.name[:2] == "--" for each in self.declarations)

    @cached_property
    def has_variables(self) -> bool:
        return any("var(" in each.value for each in self.declarations)


@dataclass(frozen=True, slots=True)
class FontFace:
    """A font face in a sheet: its family in lower case, and the URLs of its files, the most common format first."""

    family: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Import:
    """An @import rule: the URL of the sheet, the screens to which it applies, and its layer."""

    address: str
    screens: int
    layer: LayerName


@dataclass(slots=True)
class SheetContent:
    """The contents of a style sheet.

    animated: the properties that each animation changes, by the name of the animation
    """

    rules: list[Rule] = field(default_factory=list)
    layers: list[LayerName] = field(default_factory=list)  # in the order in which they are first named
    faces: list[FontFace] = field(default_factory=list)
    animated: dict[str, frozenset[str]] = field(default_factory=dict)
    imports: list[Import] = field(default_factory=list)


def count_marks(text: str) -> int:
    """Count the punctuation marks of a sheet. Their number determines the cost of parsing."""
    return sum(map(text.count, _MARKS))


def parse_sheet(text: str) -> SheetContent:
    """Parse a sheet. A sheet that exceeds the limits has no contents. Broken or hostile text raises no exception."""
    text, data = _replace_data_urls(text)
    marks = count_marks(text)
    if len(text) > MAX_CHARS_OF_SHEET or marks > MAX_MARKS:
        return SheetContent()
    content = (_remembered if marks <= _MAX_MARKS_REMEMBERED else _read)(text)
    faces = [_face(face.family, (data.get(each, each) for each in face.sources)) for face in content.faces]
    return replace(content, faces=faces) if data else content


def _read(text: str) -> SheetContent:
    reader = _Reader()
    text, at = _BREAKS_PARSER.sub("", text), 0
    while at < len(text):
        if plain := _PLAIN_RULE.match(text, at):
            reader.read_plain(plain[1], plain[2])
            at = plain.end()
        elif blank := _BLANK.match(text, at):
            at = blank.end()
        else:
            end = _end_of_rule(text, at)
            with suppress(ValueError):
                reader.read_rules(tinycss2.parse_stylesheet(text[at:end], skip_comments=True, skip_whitespace=True))
            at = end
    return reader.content


def _end_of_rule(text: str, at: int) -> int:
    """Return the index after the rule that begins at index `at`. Its blocks may be nested."""
    depth, is_of_at = 0, text.startswith("@", at)
    for mark in _MARK_OF_RULE.finditer(text, at):
        if mark[0] == "{":
            depth += 1
        elif mark[0] == "}" and depth:
            depth -= 1
            if not depth:
                return mark.end()
        elif mark[0] == ";" and is_of_at and not depth:
            return mark.end()
    return len(text)


_remembered = lru_cache(maxsize=32)(_read)  # the pages of a site share their sheets


@dataclass(frozen=True, slots=True)
class _RuleContext:
    """The context in which a rule is nested: its screens, its layer and its parent rule."""

    screens: int = ALL_SCREENS
    layer: LayerName = ()
    parent: str = ""  # the selectors of the enclosing rule
    depth: int = 0


class _Reader:
    """Collects the contents of one sheet."""

    def __init__(self) -> None:
        self.content = SheetContent()
        self._anonymous = 0
        self._is_head = True  # until the first rule that is not an import, a layer or the charset

    def read_plain(self, selectors: str, block: str) -> None:
        """Read a rule that has no strings, functions, comments and nested rules."""
        self._is_head = False
        self._add_rules([each.strip() for each in selectors.split(",")], plain_declarations(block), _RuleContext())

    def read_rules(self, rules: Iterable[Node]) -> None:
        for rule in rules:
            keyword = rule.lower_at_keyword if rule.type == "at-rule" and rule.content is None else ""
            if keyword == "import" and self._is_head:
                self._import(significant(rule.prelude))
            else:
                self._is_head = self._is_head and keyword in ("charset", "layer")
                self._rule(rule, _RuleContext())

    def _rule(self, rule: Node, place: _RuleContext) -> None:
        with suppress(ValueError, RecursionError):  # brackets may be nested thousands of levels deep
            if place.depth > MAX_DEPTH:
                return
            if rule.type == "at-rule":
                self._at_rule(rule, tinycss2.serialize(rule.prelude).strip(), place)
            elif rule.type == "qualified-rule" and place.parent:
                self._read_style_rule(
                    _resolve_nested(rule.prelude, place.parent), rule.content, replace(place, parent="")
                )
            elif rule.type == "qualified-rule":
                self._read_style_rule(split(rule.prelude), rule.content, place)

    def _at_rule(self, rule: Node, prelude: str, place: _RuleContext) -> None:
        keyword = rule.lower_at_keyword
        if keyword == "layer":
            self._layer(rule, prelude, place)
        elif rule.content is None:
            return
        elif keyword in ("media", "supports", "container", "scope"):
            screens = place.screens & _screens_of_block(keyword, prelude)
            if screens:
                self._read_block(rule.content, replace(place, screens=screens))
        elif keyword == "font-face" and len(self.content.faces) < MAX_FACES:
            self.content.faces += [face] if (face := _read_face(rule.content)) is not None else []
        elif keyword in ("keyframes", "-webkit-keyframes"):
            self._keyframes(prelude.strip("\"'"), rule.content)

    def _read_block(self, content: Sequence[Node], place: _RuleContext) -> None:
        """Read a block of rules. A block inside a style rule may also contain declarations."""
        place = replace(place, depth=place.depth + 1)
        if place.parent:
            self._read_style_rule(_parse_selectors(place.parent), content, replace(place, parent=""))
            return
        for rule in tinycss2.parse_rule_list(content, skip_comments=True, skip_whitespace=True):
            self._rule(rule, place)

    def _read_style_rule(self, parts: Sequence[Tokens], content: Sequence[Node], place: _RuleContext) -> None:
        """Read a style rule and the rules nested in it. parts: its selectors."""
        texts = [tinycss2.serialize(part).strip() for part in parts]
        if not all(texts):
            return
        items = tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True)
        self._add_rules(texts, block_declarations(items), place)
        inner = replace(place, parent=",".join(texts), depth=place.depth + 1)
        for item in items:
            if item.type in ("qualified-rule", "at-rule"):
                self._rule(item, inner)

    def _add_rules(self, texts: Sequence[str], declarations: tuple[Declaration, ...], place: _RuleContext) -> None:
        if not declarations or not all(texts):
            return
        # A selector list that is too long is divided into one rule per selector.
        is_long = sum(map(len, texts)) > MAX_CHARS
        for each in [(text,) for text in texts] if is_long else [tuple(texts)]:
            rule = Rule(each, declarations, place.screens, place.layer)
            self.content.rules += [rule] if len(each[0]) <= MAX_CHARS else []

    def _layer(self, rule: Node, prelude: str, place: _RuleContext) -> None:
        names = (
            [tuple(name.strip().split(".")) for name in prelude.split(",")]
            if prelude
            else [self._next_anonymous_layer()]
        )
        self.content.layers += [(*place.layer, *name) for name in names]
        if rule.content is not None and len(names) == 1:
            self._read_block(rule.content, replace(place, layer=(*place.layer, *names[0])))

    def _next_anonymous_layer(self) -> LayerName:
        self._anonymous += 1
        return (f" {self._anonymous}",)

    def _import(self, prelude: Sequence[Node]) -> None:
        """Read `@import url layer(a) media`."""
        address, rest = token_address(prelude[0]) if prelude else "", list(prelude[1:])
        layer: LayerName = ()
        if rest and rest[0].type == "ident" and rest[0].lower_value == "layer":
            layer = self._next_anonymous_layer()
            rest.pop(0)
        elif rest and rest[0].type == "function" and rest[0].lower_name == "layer":
            layer = tuple(tinycss2.serialize(rest.pop(0).arguments).strip().split("."))
        screens = media_screens(tinycss2.serialize(rest))
        if address and screens:
            self.content.imports.append(Import(address, screens, layer))

    def _keyframes(self, name: str, content: Sequence[Node]) -> None:
        frames = tinycss2.parse_rule_list(content, skip_comments=True, skip_whitespace=True)
        names = {
            declaration.name
            for frame in frames
            if frame.type == "qualified-rule"
            for declaration in block_declarations(
                tinycss2.parse_blocks_contents(frame.content, skip_comments=True, skip_whitespace=True)
            )
        }
        self.content.animated[name] = self.content.animated.get(name, frozenset()) | names


def _screens_of_block(keyword: str, prelude: str) -> int:
    """Return the screens to which a block's rules apply; IN_DOUBT for conditions on layout and overlong conditions."""
    if len(prelude) > MAX_CHARS or keyword not in ("media", "supports"):
        return IN_DOUBT
    return media_screens(prelude) if keyword == "media" else screens_supporting(prelude, is_supported_by_chromium)


def _parse_selectors(selectors: str) -> list[list[Node]]:
    return split(tinycss2.parse_component_value_list(selectors, skip_comments=True))


def _resolve_nested(selectors: Sequence[Node], parent: str) -> list[list[Node]]:
    """Return the selectors of a nested rule as equivalent top-level selectors; [[]] if they are too long or empty."""
    around = f":is({parent})"
    parts = [_with_parent(part, around) for part in split(selectors)]
    whole = ",".join(text if around in text else f"{around} {text}" for text in parts)
    return _parse_selectors(whole) if all(parts) and len(whole) <= MAX_CHARS else [[]]


def _with_parent(tokens: Sequence[Node], around: str) -> str:
    parts = []
    for each in tokens:
        if each == "&":
            parts.append(around)
        elif each.type == "function":
            parts.append(f"{each.name}({_with_parent(each.arguments, around)})")
        else:
            parts.append(each.serialize())
    return "".join(parts).strip()


_DATA_URL = re.compile(r"""url\(\s*(["']?)(data:[^"')\s]{1,16000000})\1\s*\)""", re.IGNORECASE)


def _replace_data_urls(text: str) -> tuple[str, dict[str, str]]:
    """Replace data: URLs, which may contain a whole font, by short names. Also return the URLs by name."""
    data: dict[str, str] = {}

    def replace_data(match: re.Match[str]) -> str:
        name = f"embedded:{len(data)}"
        data[name] = match[2]
        return f"url({name})"

    return (_DATA_URL.sub(replace_data, text) if "data:" in text else text), data


def _face(family: str, sources: Iterable[str]) -> FontFace:
    return FontFace(family, tuple(sorted(sources, key=_is_odd_form)))


def _read_face(content: Sequence[Node]) -> FontFace | None:
    """Return the font face of a @font-face rule, or None if it has no family or no file."""
    family, sources = "", list[str]()
    for item in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
        if item.type == "declaration" and item.lower_name == "font-family":
            family = next(iter(families(tinycss2.serialize(item.value))), "")
        elif item.type == "declaration" and item.lower_name == "src":
            sources += [address for each in item.value if (address := token_address(each))]
    return _face(family, sources) if family and sources else None


def _is_odd_form(address: str) -> bool:
    """Return True if a font file has a format that only old browsers use."""
    return address.startswith("#") or bool(re.search(r"\.(?:eot|svg)\b|fontobject|svg\+xml", address[:200]))
