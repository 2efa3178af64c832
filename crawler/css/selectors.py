"""Selectors as tests of one element, compiled by cssselect2.

What depends on what a reader does (:hover, :focus) does not hold, as on a page that has just been opened.
"""

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import tinycss2
from cssselect2 import SelectorError, compile_selector_list
from cssselect2.compiler import CompiledSelector
from tinycss2.ast import Node

from crawler.css.tokens import split

MAX_CHARS = 4_000  # of the selectors of one rule; resets that name every element have 600
_MAX_CHARS_REMEMBERED = 120
_PART_OF_WEBKIT = re.compile(r"::-webkit-[\w-]+(?::[\w-]+)*\s*$", re.IGNORECASE)
# A selector by the kinds of its tokens: tag, classes and ids, and the same behind a blank, any number of times.
_SHAPES = {"ident": "n", "hash": "#", ".": ".", "whitespace": " "}
_PLAIN = re.compile(r"(?:n|(?=[.#]))(?:\.n|#)*(?: +(?:n|(?=[.#]))(?:\.n|#)*)*")
Specificity = tuple[int, int, int]
Namespaces = tuple[tuple[str | None, str], ...]  # prefix (None: the default) and address


class Selector:
    """One selector of a list. needs: classes, ids ("#id") and tags ("<tag") without which nothing on a page matches it.

    compounds: of a selector made of names alone, as most are, what the elements are named that have to stand one in the
    other, outermost first; () of any other, which cssselect2 tests.
    """

    def __init__(self, tokens: Sequence[Node], namespaces: Namespaces) -> None:
        """Raises what cssselect2 raises for what it does not know."""
        self._tokens, self._namespaces = tokens, namespaces
        self.needs = needs(tokens)
        self.pseudo_element = ""
        self.compounds = _compounds(tokens, namespaces)
        if self.compounds:
            self.specificity = _plain_specificity(tokens)
        else:
            self.pseudo_element = self.test.pseudo_element or ""
            self.specificity = _specificity(self.test, tokens)

    @cached_property
    def test(self) -> CompiledSelector:
        """cssselect2's test of one element."""
        (compiled,) = compile_selector_list(
            [_with_one_selector(token) for token in self._tokens], dict(self._namespaces)
        )
        return compiled


class SelectorList(NamedTuple):
    """The selectors of a rule; none where a browser would drop the rule. is_sure: all of them could be read."""

    selectors: tuple[Selector, ...] = ()
    is_sure: bool = True


def selectors(text: str, namespaces: Namespaces = ()) -> SelectorList:
    """A list of selectors. What cssselect2 does not know (:defined) is taken out, and the list is not sure then."""
    return (_remembered if len(text) <= _MAX_CHARS_REMEMBERED else _read)(text, namespaces)


def _read(text: str, namespaces: Namespaces) -> SelectorList:
    try:
        parts = split(tinycss2.parse_component_value_list(text, skip_comments=True))
    except ValueError:
        return SelectorList()
    found, is_sure = [], True
    for part in parts:
        if _PART_OF_WEBKIT.search(tinycss2.serialize(part)):
            continue  # a browser reads it, and it is no element
        selector = _compiled(part, namespaces)
        if selector is None:
            is_sure, selector = False, _compiled(_without_unknown(part), namespaces)
        if selector is None:
            return SelectorList()
        found.append(selector)
    return SelectorList(tuple(found), is_sure)


_remembered = lru_cache(maxsize=2_048)(_read)  # the pages of a site bring the same sheets along


def _compiled(tokens: Sequence[Node], namespaces: Namespaces) -> Selector | None:
    try:
        return Selector(tokens, namespaces)
    except (SelectorError, ValueError, NotImplementedError, SyntaxError, RecursionError, MemoryError, AttributeError):
        return None


def _with_one_selector(token: Node) -> Node:
    """:nth-child(2n of A, B) as :nth-child(2n of :is(A, B)): cssselect2 takes the former for A and B."""
    if token.type != "function" or not token.lower_name.startswith("nth-") or "," not in token.arguments:
        return token
    nth, _, selectors = tinycss2.serialize(token.arguments).partition(" of ")
    return tinycss2.parse_one_component_value(f"{token.name}({nth} of :is({selectors}))", skip_comments=True)


def _without_unknown(tokens: Sequence[Node]) -> list[Node]:
    """A selector without pseudo-classes, which cssselect2 may not know."""
    kept: list[Node] = []
    for token in tokens:
        is_name = bool(kept) and kept[-1] == ":" and (token.type in ("ident", "function"))
        if is_name and kept[-2:-1] != [":"]:
            kept.pop()
            if not kept or kept[-1].type == "whitespace" or kept[-1] in (">", "+", "~"):
                kept += tinycss2.parse_component_value_list("*")
        else:
            kept.append(token)
    return kept


def needs(tokens: Sequence[Node]) -> frozenset[str]:
    """The classes, ids and tags that a selector names outside its brackets."""
    found, last = set(), None
    has_namespaces = "|" in tokens
    for token in tokens:
        if token.type == "hash":
            found.add(f"#{token.value}")
        elif token.type == "ident" and last == ".":
            found.add(token.value)
        elif token.type == "ident" and last != ":" and not has_namespaces:
            found.add(f"<{token.lower_value}")
        last = token
    return frozenset(found)


def _compounds(tokens: Sequence[Node], namespaces: Namespaces) -> tuple[frozenset[str], ...]:
    """What each has to be named, of a selector of tags, classes and ids alone; () where it has anything else."""
    if namespaces or _PLAIN.fullmatch("".join(map(_shape, tokens)).strip(" ")) is None:
        return ()
    parts: list[list[Node]] = [[]]
    for token in tokens:
        if token.type == "whitespace":
            parts.append([])
        else:
            parts[-1].append(token)
    return tuple(needs(part) for part in parts if part)


def _plain_specificity(tokens: Sequence[Node]) -> Specificity:
    ids = sum(token.type == "hash" for token in tokens)
    classes = sum(each == "." for each in tokens)
    return ids, classes, sum(token.type == "ident" for token in tokens) - classes


def _shape(token: Node) -> str:
    # <tbody> may stand in no source; a name that begins as our marks do could be taken for one.
    is_odd = token.type in ("ident", "hash") and (token.value[:1] in "<#" or token.value.lower() == "tbody")
    if is_odd or (token.type == "hash" and not token.is_identifier):
        return "?"
    return _SHAPES.get(token.value if token.type == "literal" else token.type, "?")


def _specificity(compiled: CompiledSelector, tokens: Sequence[Node]) -> Specificity:
    """cssselect2's, and that of the list in :nth-child(2n of .a), which it leaves out."""
    total = tuple(compiled.specificity)
    for token in tokens:
        if token.type == "function" and token.lower_name in ("nth-child", "nth-last-child"):
            words = [each.lower_value if each.type == "ident" else "" for each in token.arguments]
            if "of" in words:
                inner = _read(tinycss2.serialize(token.arguments[words.index("of") + 1 :]), ()).selectors
                most = max((each.specificity for each in inner), default=(0, 0, 0))
                total = tuple(own + more for own, more in zip(total, most, strict=True))
    return total[0], total[1], total[2]


def nested(selectors: Sequence[Node], parent: str) -> str:
    """The selectors of a rule inside a rule, as they would stand outside; "" where they are broken or too long."""
    around = f":is({parent})"
    parts = [_with_parent(part, around) for part in split(selectors)]
    whole = [text if around in text else f"{around} {text}" for text in parts]
    return ",".join(whole) if all(parts) and sum(map(len, whole)) <= MAX_CHARS else ""


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
