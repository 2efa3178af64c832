"""On which screens a condition of a style sheet holds: Media Queries 4, and @supports of Conditional Rules 3."""

from collections.abc import Callable
from functools import lru_cache
from operator import eq, ge, gt, le, lt

import tinycss2
from tinycss2.ast import Node

from crawler.css.screens import ALL_SCREENS, SCREENS, Screen
from crawler.css.tokens import Tokens, significant, split

MAX_DEPTH = 32  # of conditions in brackets; frameworks have 2
_KNOWN_TYPES = {"all": True, "screen": True}
_OPERATORS = {"<": lt, "<=": le, ">": gt, ">=": ge, "=": eq}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}
_PX = {"px": 1.0, "em": 16.0, "rem": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 9.6 / 2.54, "q": 2.4 / 2.54}
_PX |= {"pt": 4 / 3, "pc": 16.0, "ex": 8.0, "ch": 8.0}
_DPPX = {"dppx": 1.0, "x": 1.0, "dpi": 1 / 96, "dpcm": 2.54 / 96}
_LENGTHS = frozenset({"width", "height", "device-width", "device-height"})
# What Chromium says on an ordinary desktop first, then what else it may be; `(feature)` alone asks for any but these:
_NOTHING = frozenset({"none", "no-preference", "0"})
_KEYWORDS = {
    "hover": ("hover", "none"),
    "any-hover": ("hover", "none"),
    "pointer": ("fine", "coarse", "none"),
    "any-pointer": ("fine", "coarse", "none"),
    "update": ("fast", "slow", "none"),
    "overflow-block": ("scroll", "none", "paged"),
    "overflow-inline": ("scroll", "none"),
    "display-mode": ("browser", "fullscreen", "standalone", "minimal-ui"),
    "color-gamut": ("srgb", "p3", "rec2020"),
    "dynamic-range": ("standard", "high"),
    "scripting": ("enabled", "none", "initial-only"),
    "inverted-colors": ("none", "inverted"),
    "forced-colors": ("none", "active"),
    "prefers-color-scheme": ("light", "dark"),
    "prefers-contrast": ("no-preference", "more", "less", "custom"),
    "prefers-reduced-motion": ("no-preference", "reduce"),
    "prefers-reduced-transparency": ("no-preference", "reduce"),
    "prefers-reduced-data": ("no-preference", "reduce"),
}
_OF_DEVICES = {"hover": "none", "any-hover": "none", "pointer": "coarse", "any-pointer": "coarse"}
_NUMBERS = {"color": 8.0, "color-index": 0.0, "monochrome": 0.0, "grid": 0.0, "-webkit-transform-3d": 1.0}

Answer = bool | None  # None: what is asked is unknown, which makes a whole query false


@lru_cache(maxsize=1024)
def screens_of(media: str) -> int:
    """The screens that a media query list (of an attribute, or as serialised) is for.

    >>> screens_of("print"), screens_of("screen, print") == ALL_SCREENS
    (0, True)
    """
    queries = split(significant(tinycss2.parse_component_value_list(media, skip_comments=True)))
    if queries == [[]]:
        return ALL_SCREENS
    return _where(lambda screen: any(_is_for(query, screen) for query in queries))


@lru_cache(maxsize=1024)
def screens_supporting(condition: str, declares: Callable[[str, str], Answer]) -> int:
    """The screens whose browser supports what @supports asks for.

    declares: whether a browser knows a declaration (name, value), None where that cannot be told.
    """
    tokens = significant(tinycss2.parse_component_value_list(condition, skip_comments=True))

    def answer(content: Tokens, screen: Screen) -> Answer:
        name, colon, *value = [*content, None, None][: max(2, len(content))]
        if name is None or name.type != "ident" or colon != ":":
            return screen.doubts_hold
        known = declares(name.lower_value, tinycss2.serialize(value).strip())
        return screen.doubts_hold if known is None else known

    return _where(lambda screen: bool(_condition(tokens, screen, answer)))


def _where(holds: Callable[[Screen], bool]) -> int:
    return sum(1 << number for number, screen in enumerate(SCREENS) if holds(screen))


def _is_for(query: Tokens, screen: Screen) -> bool:
    """One media query: a type with conditions, or a condition alone."""
    words = [token.lower_value if token.type == "ident" else "" for token in query[:2]]
    if words[:1] in (["only"], ["not"]) and words[1:] and words[1]:
        prefix, rest = words[0], query[1:]
    else:
        prefix, rest = "", query
    if not rest or rest[0].type != "ident" or rest[0].lower_value in ("not", "and", "or", "only", "layer"):
        return not prefix and bool(_condition(rest, screen, _feature))
    holds: Answer = _KNOWN_TYPES.get(rest[0].lower_value, False)
    if len(rest) > 1:
        is_and = rest[1].type == "ident" and rest[1].lower_value == "and"
        condition = _condition(rest[2:], screen, _feature, has_or=False) if is_and else None
        if condition is None:
            return False
        holds = holds and condition
    return holds != (prefix == "not")


def _condition(
    tokens: Tokens, screen: Screen, leaf: Callable[[Tokens, Screen], Answer], depth: int = 0, *, has_or: bool = True
) -> Answer:
    """`not A`, `A and B`, `A or B`, each in brackets; None where it is none of these, or of what is unknown."""
    if not tokens or depth > MAX_DEPTH:
        return None
    if tokens[0].type == "ident" and tokens[0].lower_value == "not":
        inner = _bracketed(tokens[1], screen, leaf, depth) if len(tokens) == 2 else None
        return None if inner is None else not inner
    words = {token.lower_value if token.type == "ident" else "" for token in tokens[1::2]}
    if len(tokens) % 2 == 0 or not (words <= {"and"} or (has_or and words == {"or"})):
        return None
    answers = [_bracketed(token, screen, leaf, depth) for token in tokens[::2]]
    decisive = words == {"or"}
    return decisive if decisive in answers else (None if None in answers else not decisive)


def _bracketed(token: Node, screen: Screen, leaf: Callable[[Tokens, Screen], Answer], depth: int) -> Answer:
    if token.type == "function":
        return screen.doubts_hold if leaf is not _feature else None  # selector(), font-tech() of @supports
    if token.type != "() block":
        return None
    content = significant(token.content)
    is_nested = bool(content) and (
        content[0].type in ("() block", "function") or (content[0].type == "ident" and content[0].lower_value == "not")
    )
    return _condition(content, screen, leaf, depth + 1) if is_nested else leaf(content, screen)


def _feature(content: Tokens, screen: Screen) -> Answer:
    """One media feature: `hover`, `min-width: 600px`, `600px <= width < 900px`."""
    if any(token.type == "function" for token in content):
        return screen.doubts_hold  # calc()
    if len(content) == 1:
        return _is_there(content[0], screen)
    if len(content) > 2 and content[0].type == "ident" and content[1] == ":":
        return _plain(content[0].lower_value, content[2:], screen)
    return _range(content, screen)


def _is_there(token: Node, screen: Screen) -> Answer:
    if token.type != "ident":
        return None
    value = _value_on(token.lower_value, screen)
    return None if value is None else str(value) not in _NOTHING and value != 0.0


def _plain(name: str, value: Tokens, screen: Screen) -> Answer:
    for prefix, operator in (("min-", ge), ("max-", le), ("-webkit-min-", ge), ("-webkit-max-", le)):
        if name.startswith(prefix):
            name = prefix.replace(prefix[-4:], "") + name.removeprefix(prefix)
            return _compared(name, operator, value, screen)
    if len(value) == 1 and value[0].type == "ident":
        known = (*_KEYWORDS.get(name, ()), *(("portrait", "landscape") if name == "orientation" else ()))
        return _value_on(name, screen) == value[0].lower_value if value[0].lower_value in known else None
    return _compared(name, eq, value, screen)


def _range(content: Tokens, screen: Screen) -> Answer:
    parts: list[Tokens] = [[]]
    signs: list[str] = []
    for each in content:
        if each in ("<", ">", "="):
            if each == "=" and signs and not parts[-1]:
                signs[-1] += "="
            else:
                signs.append(each.value)
                parts.append([])
        else:
            parts[-1] = [*parts[-1], each]
    names = [part[0].lower_value if len(part) == 1 and part[0].type == "ident" else "" for part in parts]
    if not set(signs) <= _OPERATORS.keys():
        return None
    if len(signs) == 1 and names[0]:
        return _compared(names[0], _OPERATORS[signs[0]], parts[1], screen)
    if len(signs) == 1 and names[1]:
        return _compared(names[1], _OPERATORS[_MIRRORED[signs[0]]], parts[0], screen)
    if len(signs) == 2 and names[1] and signs[0][0] == signs[1][0] != "=":
        first = _compared(names[1], _OPERATORS[_MIRRORED[signs[0]]], parts[0], screen)
        second = _compared(names[1], _OPERATORS[signs[1]], parts[2], screen)
        return None if first is None or second is None else first and second
    return None


def _compared(name: str, operator: Callable[[float, float], bool], value: Tokens, screen: Screen) -> Answer:
    own, asked = _value_on(name, screen), _number(name, value)
    return operator(own, asked) if isinstance(own, float) and asked is not None else None


def _value_on(name: str, screen: Screen) -> float | str | None:
    """What a feature is on a screen, None for an unknown one."""
    if name in _LENGTHS:
        return float(screen.width_px if name.endswith("width") else screen.height_px)
    if name in ("aspect-ratio", "device-aspect-ratio"):
        return screen.width_px / screen.height_px
    if name == "orientation":
        return "portrait" if screen.height_px >= screen.width_px else "landscape"
    if name in ("resolution", "-webkit-device-pixel-ratio"):
        return 2.0 if screen.is_device else 1.0
    if name in _KEYWORDS:
        return _OF_DEVICES.get(name, _KEYWORDS[name][0]) if screen.is_device else _KEYWORDS[name][0]
    return _NUMBERS.get(name)


def _number(name: str, value: Tokens) -> float | None:
    """A value as the number that a feature is compared with, None for one of another kind."""
    if "aspect-ratio" in name and len(value) == 3 and value[1] == "/":
        first, second = value[0], value[2]
        is_ratio = first.type == second.type == "number" and second.value
        return first.value / second.value if is_ratio else None
    if len(value) != 1:
        return None
    token = value[0]
    units = _PX if name in _LENGTHS else _DPPX if name == "resolution" else {}
    if token.type == "dimension":
        size = units.get(token.lower_unit)
        return None if size is None else token.value * size
    is_plain = token.type == "number" and (not units or (token.value == 0 and units is _PX))
    return float(token.value) if is_plain else None
