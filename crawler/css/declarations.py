"""Parses the declarations that affect which text is visible. They become longhands; unsupported ones are dropped."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import tinycss2
from tinycss2.ast import Node

from crawler.css.values import parse_value, words

_MAX_CHARS_REMEMBERED = 1_000
MAX_CHARS_OF_STYLE = 100_000  # of a style attribute; a longer one is ignored
_SIDES = ("top", "right", "bottom", "left")
INHERITED = frozenset([
    "visibility", "color", "font-size", "text-indent", "text-align", "direction", "text-shadow",
    "-webkit-text-fill-color", "-webkit-text-stroke",
])  # fmt: skip
WATCHED = INHERITED | frozenset([
    "display", "opacity", "position", "left", "top", "right", "bottom", "clip", "clip-path", "height", "width",
    "max-height", "max-width", "min-height", "min-width", "overflow-x", "overflow-y", "transform", "translate",
    "scale", "filter", "margin-left", "margin-right", "margin-top", "padding-left", "padding-right", "padding-top",
    "padding-bottom", "background-color", "background-image", "background-clip", "background-position",
    "animation-name", "float", "font-family", "content", "unicode-bidi", "flex-direction", "order",
])  # fmt: skip
CSS_WIDE = frozenset({"inherit", "initial", "unset", "revert", "revert-layer"})
_AS_WRITTEN = frozenset({"content", "font-family", "background-image", "animation-name"})
_SHORTHANDS = {
    "all": tuple(sorted(WATCHED - {"direction", "unicode-bidi"})),
    "font": ("font-size", "font-family"),
    "background": ("background-color", "background-image", "background-clip", "background-position"),
    "animation": ("animation-name",),
    "flex-flow": ("flex-direction",),
    "-webkit-text-stroke-width": ("-webkit-text-stroke",),
}
_FOUR_SIDES = {
    "inset": _SIDES,
    "margin": tuple(f"margin-{side}" for side in _SIDES),
    "padding": tuple(f"padding-{side}" for side in _SIDES),
}
DECLARED = frozenset({*WATCHED, *_SHORTHANDS, *_FOUR_SIDES, "overflow"})  # the properties that are parsed
_OTHER_BROWSERS = ("-ms-", "-moz-", "-o-", "-khtml-", "-apple-")
# tinycss2 parses a block with any of these characters; other blocks are split at ";" and ":".
_NEEDS_PARSER = re.compile(r"""["'(){}\[\]\\/<@]""")
_NAME = re.compile(r"-{0,2}[A-Za-z][A-Za-z0-9-]*|--[\w-]+")
_DISPLAYS = frozenset([
    "none", "contents", "block", "inline", "inline-block", "flow", "flow-root", "flex", "inline-flex", "grid",
    "inline-grid", "list-item", "table", "inline-table", "table-row", "table-cell", "table-column", "table-caption",
    "table-row-group", "table-header-group", "table-footer-group", "math", "ruby", "table-column-group", "ruby-text",
    "-webkit-box", "-webkit-inline-box", "-webkit-flex", "-webkit-inline-flex", "grid-lanes",
])  # fmt: skip
_POSITIONS = frozenset({"static", "relative", "absolute", "fixed", "sticky", "-webkit-sticky"})


class Declaration(NamedTuple):
    """A declaration of a property or custom property (`--x`).

    The value is in lower case, except names, strings and URLs.
    """

    name: str
    value: str
    is_important: bool = False


def parse_style_attribute(style: str) -> tuple[Declaration, ...]:
    """Return the watched declarations of a style attribute, as longhands.

    >>> [tuple(each) for each in parse_style_attribute("Display : none; zoom:1; OVERFLOW: auto clip !important")]
    [('display', 'none', False), ('overflow-x', 'auto', True), ('overflow-y', 'clip', True)]
    """
    return (_remembered if len(style) <= _MAX_CHARS_REMEMBERED else _read)(style)


def _read(style: str) -> tuple[Declaration, ...]:
    if len(style) > MAX_CHARS_OF_STYLE:
        return ()
    if _NEEDS_PARSER.search(style) is None:
        return plain_declarations(style)
    try:
        return block_declarations(tinycss2.parse_blocks_contents(style, skip_comments=True, skip_whitespace=True))
    except (ValueError, RecursionError):
        return ()


def plain_declarations(block: str) -> tuple[Declaration, ...]:
    """Return the declarations in a block that has no strings, functions, comments and nested rules.

    >>> plain_declarations("display:none ! important; color") == (("display", "none", True),)
    True
    """
    found: list[Declaration] = []
    for item in block.split(";"):
        name, colon, value = item.partition(":")
        value, mark, important = value.partition("!")
        if (
            colon
            and _NAME.fullmatch(name := name.strip())
            and important.strip().lower() == ("important" if mark else "")
        ):
            found += _longhands(name, value.strip(), bool(mark))
    return tuple(found)


_remembered = lru_cache(maxsize=2_048)(_read)


def block_declarations(items: Iterable[Node]) -> tuple[Declaration, ...]:
    """Return the watched declarations among the items of a parsed block."""
    return tuple(
        each
        for item in items
        if item.type == "declaration"
        for each in _longhands(item.name, tinycss2.serialize(item.value).strip(), item.important)
    )


def is_supported_by_chromium(name: str, value: str) -> bool | None:
    """Return True if Chromium supports a declaration, False if not, or None if that is unknown.

    >>> is_supported_by_chromium("display", "grid"), is_supported_by_chromium("display", "grud")
    (True, False)
    >>> is_supported_by_chromium("gap", "1px")  # returns None
    """
    tokens = parse_value(value)
    if name.startswith("--"):
        return True
    if not tokens or "!" in tokens or name.startswith(_OTHER_BROWSERS):
        return False
    if any(token.type == "function" for token in tokens):  # var() and other functions that are not evaluated here
        return None
    if len(tokens) == 1 and tokens[0].type == "ident" and tokens[0].lower_value in CSS_WIDE:
        return True
    test = _TESTS.get(name)
    return test(tokens) if test is not None else None


@lru_cache(maxsize=4_096)
def _longhands(name: str, value: str, is_important: bool) -> tuple[Declaration, ...]:
    """Return the longhands of a declaration; none if no browser supports it or its property is not watched."""
    if name[:2] != "--":
        name = name.lower()
        unprefixed = name.removeprefix("-webkit-")
        name = unprefixed if name not in DECLARED and unprefixed in DECLARED else name
        if name not in DECLARED:
            return ()
    if is_supported_by_chromium(name, value) is False:
        return ()
    return tuple(
        Declaration(each, part if each in _AS_WRITTEN or each[:2] == "--" else part.lower(), is_important)
        for each, part in _parts(name, value)
    )


def _parts(name: str, value: str) -> Iterator[tuple[str, str]]:
    """Yield a declaration as pairs of longhand and value.

    A shorthand without a fixed order gives each longhand its whole value.
    """
    parts = [token.serialize() for token in parse_value(value)]
    if name == "overflow":
        yield from (("overflow-x", parts[0]), ("overflow-y", parts[-1]))
    elif name in _FOUR_SIDES:
        for number, longhand in enumerate(_FOUR_SIDES[name]):
            at = number if number < len(parts) else number - 2 if 0 <= number - 2 < len(parts) else 0
            if longhand in WATCHED:
                yield longhand, parts[at]
    elif name == "flex-flow":
        yield "flex-direction", next((word for word in words(value) if word.startswith(("row", "column"))), "row")
    else:
        for longhand in _SHORTHANDS.get(name, (name,)):
            yield longhand, value


def _keyword_test(known: frozenset[str]) -> Callable[[tuple[Node, ...]], bool]:
    return lambda tokens: len(tokens) == 1 and tokens[0].type == "ident" and tokens[0].lower_value in known


def _is_display(tokens: tuple[Node, ...]) -> bool:
    named = [token.lower_value if token.type == "ident" else "" for token in tokens]
    is_one = len(named) == 1 or not {"none", "contents"} & set(named)
    return is_one and len(named) <= 3 and set(named) <= _DISPLAYS


def _is_number(tokens: tuple[Node, ...]) -> bool:
    return len(tokens) == 1 and tokens[0].type in ("number", "percentage")


def _is_size(tokens: tuple[Node, ...]) -> bool:
    """Return True if no part is negative, because sizes cannot be negative."""
    return not any(token.type in ("dimension", "percentage", "number") and token.value < 0 for token in tokens)


def _is_color(tokens: tuple[Node, ...]) -> bool:
    """Return True if every hash has 3, 4, 6 or 8 digits, as colours have."""
    return not any(token.type == "hash" and not _HEX.fullmatch(token.value) for token in tokens)


_HEX = re.compile("(?:[0-9a-fA-F]{3,4}){1,2}")
_SIZES = ("font-size", "font", "width", "height", "min-width", "min-height", "max-width", "max-height", "padding")
_TESTS: dict[str, Callable[[tuple[Node, ...]], bool]] = {
    "display": _is_display,
    "visibility": _keyword_test(frozenset({"visible", "hidden", "collapse"})),
    "position": _keyword_test(_POSITIONS),
    "float": _keyword_test(frozenset({"none", "left", "right", "inline-start", "inline-end"})),
    "direction": _keyword_test(frozenset({"ltr", "rtl"})),
    "opacity": _is_number,
    **dict.fromkeys(("color", "background", "background-color", "-webkit-text-fill-color"), _is_color),
    **dict.fromkeys((*_SIZES, *(f"padding-{side}" for side in _SIDES)), _is_size),
}
