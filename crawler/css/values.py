"""Parses the values of style properties into tokens and numbers: lengths, colours, lists.

Unknown values become None.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import tinycss2
from tinycss2 import color5
from tinycss2.ast import LiteralToken, Node

MEDIUM_PX = 16.0
_LEAST_RELATIVE_PX = 6.0  # Chromium's minimum for relative font sizes; 0 remains 0
MAX_PX = 2.0**25  # approximately Chromium's largest length; 1e400px becomes this length
_ABSOLUTE_PX = {"px": 1.0, "in": 96.0, "cm": 96 / 2.54, "mm": 9.6 / 2.54, "q": 2.4 / 2.54, "pt": 4 / 3, "pc": 16.0}
_SIZES_PX = {"xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0}
_SIZES_PX |= {"large": 18.0, "x-large": 24.0, "xx-large": 32.0, "xxx-large": 48.0}
_COLOR_FUNCTIONS = frozenset([
    "rgb", "hsl", "hwb", "lab", "lch", "oklab", "oklch", "color", "color-mix", "light-dark", "device-cmyk",
])  # fmt: skip  # with or without an a at the end


# The usual screens for which a page is evaluated. A set of screens is an int with one bit for each of `SCREENS`.


@dataclass(frozen=True, slots=True)
class Screen:
    """The screen of a reader.

    doubts_hold: the assumed result of conditions that only a browser can evaluate, such as container queries
    """

    width_px: int
    height_px: int
    doubts_hold: bool = False


DESKTOP_PX = 1280
# One screen for each range between the breakpoints of Bootstrap (576, 768, 992, 1200, 1400) and Tailwind (640 to 1536):
# a telephone and a tablet, each in portrait and landscape, and three desktops. 360 x 800, 1280 x 800 and 1920 x 1080
# are the usual telephone, laptop and desktop.
_SIZES = ((360, 800), (640, 360), (768, 1024), (1024, 768), (DESKTOP_PX, 800), (1536, 864), (1920, 1080))
SCREENS = tuple(Screen(*size, doubts_hold=doubt) for doubt in (False, True) for size in _SIZES)
DESKTOP = next(number for number, screen in enumerate(SCREENS) if screen.width_px == DESKTOP_PX)
WIDEST_PX = max(screen.width_px for screen in SCREENS)
ALL_SCREENS = (1 << len(SCREENS)) - 1
IN_DOUBT = sum(1 << number for number, screen in enumerate(SCREENS) if screen.doubts_hold)


@dataclass(frozen=True, slots=True)
class Units:
    """The sizes to which relative lengths refer.

    is_quirky: True if lengths need no unit, as on pages without a doctype
    """

    em_px: float = MEDIUM_PX
    rem_px: float = MEDIUM_PX
    screen: Screen = SCREENS[DESKTOP]
    is_quirky: bool = False

    def unit_px(self, unit: str) -> float | None:
        """Return the size of a unit in px, or None for an unknown unit."""
        if unit in _ABSOLUTE_PX:
            return _ABSOLUTE_PX[unit]
        if unit in ("em", "rem"):
            return self.em_px if unit == "em" else self.rem_px
        if unit in ("ex", "ch"):
            return self.em_px / 2
        width, height = self.screen.width_px / 100, self.screen.height_px / 100
        of_screen = {"vw": width, "vh": height, "vmin": min(width, height), "vmax": max(width, height)}
        return of_screen.get(unit.removeprefix("s").removeprefix("l").removeprefix("d"))


DESKTOP_UNITS = Units()
Tokens = Sequence[Node]


def significant(tokens: Tokens) -> list[Node]:
    """Return the tokens without whitespace and comments."""
    return [token for token in tokens if token.type not in ("whitespace", "comment")]


def split(tokens: Tokens, mark: str = ",") -> list[list[Node]]:
    """Split a list of tokens at each `mark`."""
    parts: list[list[Node]] = [[]]
    for token in tokens:
        if token == mark:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


@lru_cache(maxsize=4096)
def parse_value(value: str) -> tuple[Node, ...]:
    """Return the tokens of a value without whitespace and comments; none if tinycss2 cannot parse it."""
    try:
        return tuple(significant(tinycss2.parse_component_value_list(value, skip_comments=True)))
    except ValueError:
        return ()


def length_px(value: str | None, units: Units = DESKTOP_UNITS) -> float | None:
    """Return a value in px, or None if it is not a single length.

    >>> length_px("-2em"), length_px("0"), length_px("12"), length_px("50%")
    (-32.0, 0.0, None, None)
    """
    tokens = parse_value(value) if value else ()
    return token_px(tokens[0], units) if len(tokens) == 1 else None


def token_px(token: Node, units: Units) -> float | None:
    """Convert a token to a length in px, or return None if it is not a length."""
    if token.type == "dimension":
        size = units.unit_px(token.lower_unit)
        return None if size is None else _clamp(token.value * size)
    is_length = token.type == "number" and (token.value == 0 or units.is_quirky)
    return _clamp(token.value) if is_length else None


def ratio(value: str | None) -> float | None:
    """Return a number or percentage as a fraction, or None for any other value.

    >>> ratio(".5"), ratio("50%"), ratio("5px")
    (0.5, 0.5, None)
    """
    tokens = parse_value(value) if value else ()
    return token_ratio(tokens[0]) if len(tokens) == 1 else None


def token_ratio(token: Node) -> float | None:
    """Convert a number or percentage token to a fraction, or return None for any other token."""
    if token.type == "number":
        return _clamp(token.value)
    return _clamp(token.value / 100) if token.type == "percentage" else None


def font_size_px(value: str, inherited_px: float | None, units: Units) -> float | None:
    """Return the font size in a `font-size` or `font` value in px, or None if it is unknown.

    inherited_px: the font size of the parent element, None if unknown. units: the units of the parent element
    """
    for token in parse_value(value):
        if token.type == "ident" and token.lower_value in _SIZES_PX:
            return _SIZES_PX[token.lower_value]
        if token.type == "ident" and token.lower_value in ("smaller", "larger") and inherited_px is not None:
            return _visible_px(inherited_px * (1.2 if token.lower_value == "larger" else 1 / 1.2))
        if token.type == "percentage" or (token.type == "dimension" and token.lower_unit == "em"):
            share = token.value / 100 if token.type == "percentage" else token.value
            return None if inherited_px is None else _visible_px(share * inherited_px)
        if token.type == "dimension" or (token.type == "number" and (token.value == 0 or len(parse_value(value)) == 1)):
            return token_px(token, units)
        if token.type == "function":
            return None
    return None


def _visible_px(px: float) -> float:
    """Apply Chromium's minimum to a relative font size."""
    return px if px <= 0.0 else max(_clamp(px), _LEAST_RELATIVE_PX)


def _clamp(number: float) -> float:
    """Limit a number to the range of lengths. NaN (0 times 1e400) becomes the largest length."""
    return max(-MAX_PX, min(MAX_PX, number))


@dataclass(frozen=True, slots=True)
class Rgba:
    """A colour with channels from 0 to 255 and alpha from 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0

    def blend(self, background: "Rgba") -> "Rgba":
        """Return the colour that results from this colour on an opaque background."""
        pairs = zip((self.red, self.green, self.blue), (background.red, background.green, background.blue), strict=True)
        return Rgba(*(own * self.alpha + other * (1 - self.alpha) for own, other in pairs))

    def distance(self, other: "Rgba") -> float:
        """Return the largest difference between two colours in any of their three channels."""
        pairs = zip((self.red, self.green, self.blue), (other.red, other.green, other.blue), strict=True)
        return max(abs(own - each) for own, each in pairs)


@lru_cache(maxsize=1024)
def color(value: str) -> Rgba | None:
    """Return the first colour in a value such as `url(a) #fff`, or None if it has no known colour.

    >>> color("#ff000080"), color("no-repeat white")
    (Rgba(red=255.0, green=0.0, blue=0.0, alpha=0.5019607843137255), Rgba(red=255.0, green=255.0, blue=255.0, alpha=1.0))
    """  # noqa: E501
    for token in parse_value(value):
        try:
            found = color5.parse_color(token)
            if found is not None and found != "currentcolor":
                red, green, blue, alpha = found.to("srgb")
                return Rgba(255.0 * (red or 0.0), 255.0 * (green or 0.0), 255.0 * (blue or 0.0), alpha)
        except (ValueError, TypeError, ArithmeticError, AttributeError, NotImplementedError, IndexError):
            continue
    return None


def functions(value: str) -> Iterator[tuple[str, list[list[Node]]]]:
    """Yield each function in a value, such as `translate(1px, 2px) scale(0)`, with its arguments."""
    for token in parse_value(value):
        if token.type == "function":
            yield token.lower_name, split(significant(token.arguments))


def words(value: str) -> list[str]:
    """Return the keywords of a value in lower case."""
    return [token.lower_value for token in parse_value(value) if token.type == "ident"]


def has_picture(value: str) -> bool:
    """Return True if a background value contains an image or a gradient."""
    return any(token.type in ("url", "function") and not _is_color(token) for token in parse_value(value))


def _is_color(token: Node) -> bool:
    return token.type == "function" and token.lower_name.removesuffix("a") in _COLOR_FUNCTIONS


def families(value: str) -> list[str]:
    """Return the font families in a `font-family` or `font` value, in lower case.

    >>> families("12px/1.5 'My Font', serif")
    ['my font', 'serif']
    """
    return [name for part in split(parse_value(value)) if (name := _family(part))]


def _family(part: Sequence[Node]) -> str:
    names = [token.value for token in part if token.type in ("string", "ident")]
    strings = [token.value for token in part if token.type == "string"]
    return (strings[-1] if strings else " ".join(names)).strip().lower()


def first_url(value: str) -> str:
    """Return the first URL in a value, or "" if there is none."""
    return _first_address(parse_value(value))


def token_address(token: Node) -> str:
    """Return the URL that a token represents, or "" if it represents none."""
    if token.type in ("url", "string"):
        return str(token.value)
    if token.type == "function" and token.lower_name in ("url", "src"):
        return next((str(each.value) for each in token.arguments if each.type == "string"), "")
    return ""


def _first_address(tokens: Sequence[Node]) -> str:
    for token in tokens:
        found = token_address(token) if token.type != "string" else ""
        if found or (token.type == "function" and (found := _first_address(token.arguments))):
            return found
    return ""


# Resolves custom properties: the value of var() at an element.

UNKNOWN = "?"  # replaces an unknown value; no property has this value
MAX_DEPTH, MAX_CHARS = 16, 2_000  # for variables that refer to each other; a value that exceeds these limits is UNKNOWN
_COMMA = LiteralToken(0, 0, ",")


@dataclass(frozen=True, slots=True)
class Variables:
    """The custom properties that an element declares, and those that it inherits from its ancestors."""

    own: Mapping[str, str]
    above: "Variables | None" = None


NO_VARIABLES = Variables({})


def substitute_variables(value: str, variables: Variables) -> str:
    """Replace each var() in a value by its value, or return UNKNOWN if a variable has no known value."""
    found = _substitute(parse_value(value), variables, 0) if "var(" in value.lower() else value
    return UNKNOWN if found is None else found


def _substitute(tokens: Tokens, variables: Variables, depth: int) -> str | None:
    parts: list[str] = []
    if depth > MAX_DEPTH:
        return None
    for token in tokens:
        part: str | None = tinycss2.serialize([token])
        if token.type == "function" and token.lower_name == "var":
            part = _variable_value(token.arguments, variables, depth + 1)
        elif token.type == "function":
            inner = _substitute(token.arguments, variables, depth + 1)
            part = None if inner is None else f"{token.name}({inner})"
        if part is None or sum(map(len, parts)) > MAX_CHARS:
            return None
        parts.append(part)
    return " ".join(parts).strip()


def _variable_value(arguments: Tokens, variables: Variables, depth: int) -> str | None:
    name, *fallback = split(arguments)
    names = [each.value for each in name if each.type == "ident"]
    at: Variables | None = variables
    while names and at is not None:
        declared = at.own.get(names[0], "inherit")
        if declared.lower() not in ("inherit", "unset", "revert", "revert-layer"):
            found = None if declared.lower() == "initial" else _substitute(parse_value(declared), at, depth)
            if found is not None:
                return found
            break
        at = at.above
    return (
        _substitute([each for part in fallback for each in (*part, _COMMA)][:-1], variables, depth)
        if fallback
        else None
    )
