"""Lists of tokens, as tinycss2 gives them."""

from collections.abc import Sequence

from tinycss2.ast import Node

Tokens = Sequence[Node]


def significant(tokens: Tokens) -> list[Node]:
    """Tokens without blanks and comments."""
    return [token for token in tokens if token.type not in ("whitespace", "comment")]


def split(tokens: Tokens, mark: str = ",") -> list[list[Node]]:
    """The parts of a list."""
    parts: list[list[Node]] = [[]]
    for token in tokens:
        if token == mark:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts
