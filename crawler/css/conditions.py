"""Evaluates the conditions of style sheets for each screen: Media Queries 4, and @supports of Conditional Rules 3.

A condition that cannot be evaluated is true on the screens with `doubts_hold`. Its negation is true on the others.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from operator import eq, ge, gt, le, lt

import tinycss2
from tinycss2.ast import Node

from crawler.css.values import ALL_SCREENS, SCREENS, Screen, Tokens, length_px, parse_value, significant, split

MAX_DEPTH = 32  # of nested parentheses; frameworks have 2
_KNOWN_TYPES = ("all", "screen")
_BOUNDS = {"min-": ge, "max-": le, "": eq}
_OPERATORS = {"<": lt, "<=": le, ">": gt, ">=": ge, "=": eq}
_MIRRORED = {"<": gt, "<=": ge, ">": lt, ">=": le, "=": eq}
_SIZE = "(?:device-)?(width|height)"
_BOUND = re.compile(rf"(min-|max-|){_SIZE}:(.+)")
_RANGE = re.compile(rf"(?:([^<>=:]+)([<>]=?|=))?{_SIZE}(?:([<>]=?|=)([^<>=:]+))?")
# The values of Chromium on a usual desktop.
_KEYWORDS = {"prefers-color-scheme": "light", "prefers-reduced-motion": "no-preference"}
_Leaf = Callable[[Tokens, Screen], bool]


@lru_cache(maxsize=1024)
def media_screens(media: str) -> int:
    """Return the screens to which a media query list applies.

    >>> media_screens("print"), media_screens("screen, print") == ALL_SCREENS
    (0, True)
    """
    queries = split(parse_value(media))
    if queries == [[]]:
        return ALL_SCREENS
    return _where(lambda screen: any(_query_matches(query, screen) for query in queries))


@lru_cache(maxsize=1024)
def screens_supporting(condition: str, declares: Callable[[str, str], bool | None]) -> int:
    """Return the screens on which the condition of an @supports rule is true.

    declares: returns True if a browser supports a declaration (name, value), False if not, None if that is unknown
    """

    def answer(content: Tokens, screen: Screen) -> bool:
        name, colon, value = tinycss2.serialize(content).partition(":")
        known = declares(name.strip().lower(), value.strip()) if colon else None
        return screen.doubts_hold if known is None else known

    tokens = parse_value(condition)
    return _where(lambda screen: _evaluate_condition(tokens, screen, answer))


def _where(holds: Callable[[Screen], bool]) -> int:
    return sum(1 << number for number, screen in enumerate(SCREENS) if holds(screen))


def _query_matches(query: Tokens, screen: Screen) -> bool:
    """Evaluate a media query: a type with or without conditions, or a condition alone."""
    words = [_word(token) for token in query]
    is_not = words[:1] == ["not"]
    if words[:1] in (["only"], ["not"]) and any(words[1:2]):
        query, words = query[1:], words[1:]
    if not words or words[0] in ("", "not"):
        return _evaluate_condition(query, screen, _evaluate_feature)
    if len(words) > 1 and (words[1] != "and" or "or" in words):
        return screen.doubts_hold
    holds = words[0] in _KNOWN_TYPES and (len(words) == 1 or _evaluate_condition(query[2:], screen, _evaluate_feature))
    return holds != is_not


def _evaluate_condition(tokens: Tokens, screen: Screen, leaf: _Leaf, depth: int = 0) -> bool:
    """Evaluate `not A`, `A and B` or `A or B`, where each operand is in parentheses.

    leaf: evaluates a single feature.
    """
    if len(tokens) == 2 and _word(tokens[0]) == "not":
        return not _evaluate_brackets(tokens[1], screen, leaf, depth)
    words = {_word(token) for token in tokens[1::2]}
    if len(tokens) % 2 == 0 or len(words) > 1 or not words <= {"and", "or"} or depth > MAX_DEPTH:
        return screen.doubts_hold
    answers = (_evaluate_brackets(token, screen, leaf, depth) for token in tokens[::2])
    return any(answers) if words == {"or"} else all(answers)


def _evaluate_brackets(token: Node, screen: Screen, leaf: _Leaf, depth: int) -> bool:
    if token.type != "() block":
        return screen.doubts_hold  # selector() and font-tech() of @supports
    content = significant(token.content)
    is_nested = bool(content) and (content[0].type == "() block" or _word(content[0]) == "not")
    return _evaluate_condition(content, screen, leaf, depth + 1) if is_nested else leaf(content, screen)


def _evaluate_feature(content: Tokens, screen: Screen) -> bool:
    """Evaluate a media feature such as `min-width: 600px` or `600px <= width < 900px`.

    The features in _KEYWORDS have their values on desktops. Other features are true on the screens with `doubts_hold`.
    """
    text = "".join(tinycss2.serialize(content).lower().split())
    name, _, value = text.partition(":")
    if name == "orientation":
        return value == ("portrait" if screen.height_px >= screen.width_px else "landscape")
    if value and name in _KEYWORDS:
        return value == _KEYWORDS[name]
    if bound := _BOUND.fullmatch(text):
        asked = [(bound[2], _BOUNDS[bound[1]], bound[3])]
    elif found := _RANGE.fullmatch(text):
        below, above = found[2] or "", found[4] or ""
        if below and above and below[0] != above[0]:
            return screen.doubts_hold
        asked = [(found[3], _MIRRORED[below], found[1])] if below else []
        asked += [(found[3], _OPERATORS[above], found[5])] if above else []
    else:
        return screen.doubts_hold
    own = {"width": screen.width_px, "height": screen.height_px}
    answers = [(size := length_px(text)) is not None and operator(own[name], size) for name, operator, text in asked]
    is_known = all(length_px(text) is not None for _, _, text in asked)
    return all(answers) if is_known else screen.doubts_hold


def _word(token: Node) -> str:
    return str(token.lower_value) if token.type == "ident" else ""
