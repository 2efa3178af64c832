"""Matches selectors with the elements of a page, in bounded time.

cssselect2 compiles and tests selectors. Pseudo-classes of user actions (:hover, :focus) do not match, as on a page that
has just been opened.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import tinycss2
from cssselect2 import ElementWrapper, SelectorError, compile_selector_list
from cssselect2.compiler import CompiledSelector
from lxml.html import HtmlElement
from tinycss2.ast import Node

from crawler.css.values import Tokens

HTML = "http://www.w3.org/1999/xhtml"
# Visits of elements, per selector and per page. On the 70 saved pages, no selector takes more than 16,000 and no page
# more than 480,000 (2026-11). All steps take 1 s.
MAX_STEPS_OF_ONE, MAX_STEPS = 400_000, 2_000_000
_STEPS_TO_COMPILE = 1_000  # .3 ms
MAX_CHARS_OF_CLASSES = 10_000  # per element
MAX_CHARS = 4_000  # for the selectors of one rule; resets that name every element have 600
_PART_OF_WEBKIT = re.compile(r"::-webkit-[\w-]+(?::[\w-]+)*\s*$", re.IGNORECASE)  # valid, but matches no element


class Selector(NamedTuple):
    """A selector as compiled by cssselect2.

    test: None if a browser drops the rule; is_sure: True if the whole selector was understood
    """

    test: CompiledSelector | None
    is_sure: bool = True


@lru_cache(maxsize=8_192)  # the pages of a site share their sheets
def compile_selector(text: str) -> Selector:
    """Compile one selector of a list. Unsupported pseudo-classes (:defined) are removed, so that it is not sure."""
    try:
        tokens = tinycss2.parse_component_value_list(_PART_OF_WEBKIT.sub("::marker", text), skip_comments=True)
    except ValueError:
        return Selector(None)
    test = _compile(tokens)
    return Selector(test) if test is not None else Selector(_compile(_without_unknown(tokens)), is_sure=False)


def _compile(tokens: Tokens) -> CompiledSelector | None:
    try:
        (compiled,) = compile_selector_list(tokens)
    except (SelectorError, ValueError, NotImplementedError, SyntaxError, RecursionError, MemoryError, AttributeError):
        return None
    return compiled


def _without_unknown(tokens: Tokens) -> list[Node]:
    """Return a selector without pseudo-classes, which cssselect2 may not support."""
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


class _TooCostly(Exception):
    """A selector visits more elements than it may."""


@dataclass(slots=True)
class _StepCounter:
    left: int = 0

    def take(self, number: int) -> None:
        self.left -= number + 1
        if self.left < 0:
            raise _TooCostly


class _Node(ElementWrapper):  # type: ignore[misc] # cssselect2 is not typed
    """Adapts an element for cssselect2; counts each access to other elements, and copies none of them."""

    namespace_url = HTML
    in_html_document, transport_content_language = True, None

    def __init__(self, element: HtmlElement, parent: "_Node | None", steps: _StepCounter) -> None:
        self._steps, self.nodes = steps, list[_Node]()
        self.etree_element, self.parent, self.local_name = element, parent, element.tag
        self.siblings = [self] if parent is None else parent.nodes
        self.index = 0 if parent is None else len(parent.nodes)
        names = element.get("class")
        self.classes = frozenset(names[:MAX_CHARS_OF_CLASSES].split()) if names else frozenset()
        if parent is not None:
            parent.nodes.append(self)

    __hash__ = ElementWrapper.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    @cached_property
    def ancestors_up(self) -> "tuple[_Node, ...]":
        return () if self.parent is None else (self.parent, *self.parent.ancestors_up)

    @property
    def ancestors(self) -> "tuple[_Node, ...]":
        self._steps.take(len(self.ancestors_up))
        return self.ancestors_up

    @property
    def previous(self) -> "_Node | None":
        return self.siblings[self.index - 1] if self.index else None

    @property
    def previous_siblings(self) -> "list[_Node]":
        self._steps.take(self.index)
        return self.siblings[: self.index]

    @property
    def etree_siblings(self) -> list[HtmlElement]:
        return self.parent.etree_children if self.parent is not None else [self.etree_element]

    @cached_property
    def etree_children(self) -> list[HtmlElement]:
        return _CountedSiblings((node.etree_element for node in self.nodes), self._steps)

    def iter_children(self) -> "Iterator[_Node]":
        self._steps.take(len(self.nodes))
        return iter(self.nodes)


class _CountedSiblings(list[HtmlElement]):
    """The siblings of a node; counts every access."""

    def __init__(self, elements: Iterator[HtmlElement], steps: _StepCounter) -> None:
        super().__init__(elements)
        self._steps = steps

    def __iter__(self) -> Iterator[HtmlElement]:
        self._steps.take(len(self))
        return super().__iter__()

    def __getitem__(self, place: Any) -> Any:
        self._steps.take(len(self))
        return super().__getitem__(place)


class SelectorMatcher:
    """Finds the elements of one page by selectors."""

    def __init__(self, tree: HtmlElement) -> None:
        self._steps, self._left = _StepCounter(), MAX_STEPS
        self._nodes: dict[HtmlElement, _Node] = {}
        self._by_name: dict[str, list[_Node]] = defaultdict(list)
        for element in tree.iter("*"):
            node = _Node(element, self._nodes.get(element.getparent()), self._steps)
            self._nodes[element] = node
            for name in (f"<{element.tag}", *node.classes):
                self._by_name[name].append(node)
            if node.id:
                self._by_name[f"#{node.id}"].append(node)
        self.names: Set[str] = self._by_name.keys()

    def forget(self) -> None:
        """Release the nodes, whose reference cycles would keep them alive until the next garbage collection."""
        for node in self._nodes.values():
            node.nodes.clear()

    @property
    def is_used_up(self) -> bool:
        """True if no further selector is matched."""
        return self._left <= 0

    def find_elements(self, test: CompiledSelector) -> list[HtmlElement]:
        """Return the elements that a selector matches, or none if finding them takes too long."""
        candidates = () if test.never_matches else self._candidates(test)
        self._left -= _STEPS_TO_COMPILE
        self._steps.left = allowed = min(MAX_STEPS_OF_ONE, self._left)
        try:
            self._steps.take(len(candidates))
            found = [node.etree_element for node in candidates if test.test(node)]
        except (_TooCostly, RecursionError):
            found = []
        self._left -= allowed - max(0, self._steps.left)
        return found

    def _candidates(self, test: CompiledSelector) -> Sequence[_Node]:
        """Return the elements that have the id, class or tag of a selector's last part."""
        if test.id is not None:
            return self._by_name.get(f"#{test.id}", ())
        if test.class_name is not None:
            return self._by_name.get(test.class_name, ())
        if test.local_name is not None:
            return self._by_name.get(f"<{test.lower_local_name}", ())
        return list(self._nodes.values())
