"""Custom properties: what var() stands for at an element."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import tinycss2
from tinycss2.ast import LiteralToken, Node

from crawler.css.tokens import split
from crawler.css.values import tokens_of

UNKNOWN = "?"  # in place of a value that cannot be told; no property has it
MAX_DEPTH, MAX_CHARS = 16, 2_000  # of values that stand for one another; more is UNKNOWN
_COMMA = LiteralToken(0, 0, ",")


@dataclass(frozen=True, slots=True)
class Variables:
    """The custom properties that an element declares, and those of the elements above."""

    own: Mapping[str, str]
    above: "Variables | None" = None

    def value(self, name: str, depth: int = 0) -> str | None:
        """What a custom property stands for, None where it is not declared or cannot be told."""
        at: Variables | None = self
        while at is not None:
            declared = at.own.get(name)
            if declared is not None and declared.lower() not in ("inherit", "unset", "revert", "revert-layer"):
                return None if declared.lower() == "initial" else _substituted(declared, at, depth)
            at = at.above
        return None


NO_VARIABLES = Variables({})


def resolved(value: str, variables: Variables) -> str:
    """A value with what its var() stand for, UNKNOWN where that cannot be told."""
    return UNKNOWN if (found := _substituted(value, variables, 0)) is None else found


def _substituted(value: str, variables: Variables, depth: int) -> str | None:
    if "var(" not in value.lower():
        return value
    try:
        text = _filled(tokens_of(value), variables, depth)
    except ValueError:
        return None
    return text.strip() if text is not None and len(text) <= MAX_CHARS else None


def _filled(tokens: Sequence[Node], variables: Variables, depth: int) -> str | None:
    if depth > MAX_DEPTH:
        return None
    parts: list[str] = []
    for token in tokens:
        part: str | None = tinycss2.serialize([token])
        if token.type == "function" and token.lower_name == "var":
            part = _stands_for(token, variables, depth + 1)
        elif token.type == "function":
            inner = _filled(token.arguments, variables, depth + 1)
            part = None if inner is None else f"{token.name}({inner})"
        if part is None or sum(map(len, parts)) > MAX_CHARS:
            return None
        parts.append(part)
    return " ".join(parts)


def _stands_for(token: Node, variables: Variables, depth: int) -> str | None:
    name, *fallback = split(token.arguments)
    names = [each.value for each in name if each.type == "ident"]
    found = variables.value(names[0], depth) if names else None
    if found is None and fallback:
        return _filled([each for part in fallback for each in (*part, _COMMA)][:-1], variables, depth)
    return found
