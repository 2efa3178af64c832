"""Custom properties: what var() stands for at an element."""

from collections.abc import Mapping
from dataclasses import dataclass

import tinycss2
from tinycss2.ast import LiteralToken

from crawler.css.values import Tokens, split, tokens_of

UNKNOWN = "?"  # in place of a value that cannot be told; no property has it
MAX_DEPTH, MAX_CHARS = 16, 2_000  # of values that stand for one another; more is UNKNOWN
_COMMA = LiteralToken(0, 0, ",")


@dataclass(frozen=True, slots=True)
class Variables:
    """The custom properties that an element declares, and those of the elements above."""

    own: Mapping[str, str]
    above: "Variables | None" = None


NO_VARIABLES = Variables({})


def resolved(value: str, variables: Variables) -> str:
    """A value with what its var() stand for, UNKNOWN where that cannot be told."""
    found = _filled(tokens_of(value), variables, 0) if "var(" in value.lower() else value
    return UNKNOWN if found is None else found


def _filled(tokens: Tokens, variables: Variables, depth: int) -> str | None:
    parts: list[str] = []
    if depth > MAX_DEPTH:
        return None
    for token in tokens:
        part: str | None = tinycss2.serialize([token])
        if token.type == "function" and token.lower_name == "var":
            part = _stands_for(token.arguments, variables, depth + 1)
        elif token.type == "function":
            inner = _filled(token.arguments, variables, depth + 1)
            part = None if inner is None else f"{token.name}({inner})"
        if part is None or sum(map(len, parts)) > MAX_CHARS:
            return None
        parts.append(part)
    return " ".join(parts).strip()


def _stands_for(arguments: Tokens, variables: Variables, depth: int) -> str | None:
    name, *fallback = split(arguments)
    names = [each.value for each in name if each.type == "ident"]
    at: Variables | None = variables
    while names and at is not None:
        declared = at.own.get(names[0], "inherit")
        if declared.lower() not in ("inherit", "unset", "revert", "revert-layer"):
            found = None if declared.lower() == "initial" else _filled(tokens_of(declared), at, depth)
            if found is not None:
                return found
            break
        at = at.above
    return _filled([each for part in fallback for each in (*part, _COMMA)][:-1], variables, depth) if fallback else None
