"""Finds the elements of a page that match selectors, in bounded time.

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
# Visits of elements, for each selector and for each page. On the 70 saved pages, no selector takes more than 16,000
# visits and no page more than 480,000 (2026-11). MAX_STEPS visits take 1 s.
MAX_STEPS_OF_ONE, MAX_STEPS = 400_000, 2_000_000
_STEPS_TO_COMPILE = 1_000  # .3 ms
MAX_CHARS_OF_CLASSES = 10_000  # per element
MAX_CHARS = 4_000  # for the selectors of one rule; reset sheets that list every element have 600
_PART_OF_WEBKIT = re.compile(r"::-webkit-[\w-]+(?::[\w-]+)*\s*$", re.IGNORECASE)  # valid, but matches no element

_IDENT = r"-?[A-Za-z_\u0080-\uffff][\w\u0080-\uffff-]*"
_OF_COMPOUND = rf"(?:(?:{_IDENT}|\*)(?:[.#]{_IDENT})*+|(?:[.#]{_IDENT})++)"
_PLAIN = re.compile(
    rf"\s*+({_OF_COMPOUND}(?:(?:\s*+>\s*+|\s++){_OF_COMPOUND})*?)(?:::?(before|after))?\s*+", re.IGNORECASE
)
_COMPOUND = re.compile(rf"(>?)\s*({_OF_COMPOUND})")
_PART = re.compile(rf"[.#]?{_IDENT}|\*")


class Selector(NamedTuple):
    """A compiled selector.

    test: None if a browser drops the rule. is_sure: True if all parts of the selector were understood
    """

    test: "CompiledSelector | PlainSelector | None"
    is_sure: bool = True


@lru_cache(maxsize=8_192)  # the pages of a site share their sheets
def compile_selector(text: str) -> Selector:
    """Compile one selector. Unsupported pseudo-classes such as :defined are removed, so that `is_sure` is False."""
    if plain := _PLAIN.fullmatch(text):
        return Selector(PlainSelector(plain[1], plain[2] and plain[2].lower()))
    try:
        tokens = tinycss2.parse_component_value_list(_PART_OF_WEBKIT.sub("::marker", text), skip_comments=True)
    except ValueError:
        return Selector(None)
    test = _compile(tokens)
    return Selector(test) if test is not None else Selector(_compile(_without_unknown(tokens)), is_sure=False)


class Compound(NamedTuple):
    """A compound selector: the names that an element must have, as `SelectorMatcher` indexes them.

    path: the selector up to and including this compound. is_child: True if the combinator before it is `>`
    """

    path: str
    is_child: bool
    names: tuple[str, ...]


class PlainSelector:
    """A selector of tags, ids and classes that are joined by spaces and `>`. Nine in ten selectors on pages are such.

    >>> selector = PlainSelector("div.a > p#b", "before")
    >>> selector.specificity, selector.pseudo_element, selector.compounds[1]
    ((1, 1, 3), 'before', Compound(path='div.a > p#b', is_child=True, names=('<p', '#b')))
    """

    never_matches = False

    def __init__(self, text: str, pseudo_element: str | None) -> None:
        self.pseudo_element = pseudo_element
        self.compounds = [
            Compound(text[: match.end()], match[1] == ">", tuple(map(_index_name, _PART.findall(match[2]))))
            for match in _COMPOUND.finditer(text)
        ]
        names = [name for compound in self.compounds for name in compound.names]
        self.specificity = (
            sum(name[0] == "#" for name in names),
            sum(name[0] not in "#<*" for name in names),
            sum(name[0] == "<" for name in names) + (pseudo_element is not None),
        )


def _index_name(part: str) -> str:
    """Return the name under which SelectorMatcher indexes the elements with a tag, an id or a class."""
    return part[1:] if part[0] == "." else part if part[0] in "#*" else f"<{part.lower()}"


def _compile(tokens: Tokens) -> CompiledSelector | None:
    try:
        (compiled,) = compile_selector_list(tokens)
    except (SelectorError, ValueError, NotImplementedError, SyntaxError, RecursionError, MemoryError, AttributeError):
        return None
    return compiled


def _without_unknown(tokens: Tokens) -> list[Node]:
    """Return the tokens of a selector without pseudo-classes, which cssselect2 may not support."""
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
    """Raised if a selector would visit more elements than allowed."""


@dataclass(slots=True)
class _StepCounter:
    left: int = 0

    def take(self, number: int) -> None:
        self.left -= number + 1
        if self.left < 0:
            raise _TooCostly


class _Node(ElementWrapper):  # type: ignore[misc] # cssselect2 is not typed
    """Adapts an element for cssselect2. Counts each access to other elements, and copies none of them."""

    namespace_url = HTML
    in_html_document, transport_content_language = True, None

    def __init__(self, element: HtmlElement, parent: "_Node | None", steps: _StepCounter) -> None:
        self._steps, self.nodes = steps, list[_Node]()
        self.etree_element, self.parent, self.local_name = element, parent, element.tag
        self.siblings = [self] if parent is None else parent.nodes
        self.index = 0 if parent is None else len(parent.nodes)
        self.classes = frozenset(_classes(element))
        if parent is not None:
            parent.nodes.append(self)

    __hash__ = ElementWrapper.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    @cached_property
    def ancestors_nearest_first(self) -> "tuple[_Node, ...]":
        return () if self.parent is None else (self.parent, *self.parent.ancestors_nearest_first)

    @property
    def ancestors(self) -> "tuple[_Node, ...]":
        self._steps.take(len(self.ancestors_nearest_first))
        return self.ancestors_nearest_first

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
    """The siblings of a node. Counts every access to them."""

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
    """Finds the elements of one page by selectors.

    names: the names that elements have: classes, ids as "#id", tags as "<tag", and "*"
    """

    def __init__(self, tree: HtmlElement) -> None:
        self._steps, self._left = _StepCounter(), MAX_STEPS
        self._elements: list[HtmlElement] = list(tree.iter("*"))
        by_name: dict[str, list[int]] = defaultdict(list)
        for number, element in enumerate(self._elements):
            by_name[f"<{element.tag}"].append(number)
            for name in dict.fromkeys(_classes(element)):
                by_name[name].append(number)
            if ident := element.get("id"):
                by_name[f"#{ident}"].append(number)
        self._by_name: dict[str, Sequence[int]] = {**by_name, "*": range(len(self._elements))}
        self.names: Set[str] = self._by_name.keys()
        self._matched: dict[str, Sequence[int]] = {}  # by the path of the compound

    @cached_property
    def _parents(self) -> list[int]:
        numbers = {element: number for number, element in enumerate(self._elements)}
        return [-1, *(numbers[element.getparent()] for element in self._elements[1:])]

    @cached_property
    def _ends(self) -> list[int]:
        """For each element, the number of the first element after it and its descendants."""
        ends = list(range(1, len(self._elements) + 1))
        for number in range(len(ends) - 1, 0, -1):
            parent = self._parents[number]
            ends[parent] = max(ends[parent], ends[number])
        return ends

    @cached_property
    def _nodes(self) -> list[_Node]:
        """The elements as nodes for cssselect2."""
        nodes: list[_Node] = []
        for element, parent in zip(self._elements, self._parents, strict=True):
            nodes.append(_Node(element, nodes[parent] if parent >= 0 else None, self._steps))
        return nodes

    def forget(self) -> None:
        """Release the nodes. Their reference cycles would otherwise exist until the next garbage collection."""
        for node in self.__dict__.get("_nodes", ()):
            node.nodes.clear()

    @property
    def is_used_up(self) -> bool:
        """True if the steps for this page are used up, so that no further selector is matched."""
        return self._left <= 0

    def find_elements(self, test: CompiledSelector | PlainSelector) -> list[HtmlElement]:
        """Return the elements that match a selector; none if finding them takes too many steps."""
        if isinstance(test, PlainSelector):
            found: Sequence[int] | None = None
            for compound in test.compounds:
                if self.is_used_up:
                    return []
                if compound.path not in self._matched:
                    self._matched[compound.path] = self._find(compound, found)
                found = self._matched[compound.path]
            return [self._elements[number] for number in found or ()]
        numbers = () if test.never_matches else self._candidates(test)
        self._left -= _STEPS_TO_COMPILE
        self._steps.left = allowed = min(MAX_STEPS_OF_ONE, self._left)
        try:
            self._steps.take(len(numbers))
            matched = [self._elements[number] for number in numbers if test.test(self._nodes[number])]
        except (_TooCostly, RecursionError):
            matched = []
        self._left -= allowed - max(0, self._steps.left)
        return matched

    def _find(self, compound: Compound, before: Sequence[int] | None) -> Sequence[int]:
        """Return the elements that match a compound.

        before: the matches of the compound before it; None for the first.
        """
        first, *others = sorted((self._by_name.get(name, ()) for name in compound.names), key=len)
        self._left -= len(first) + 1
        if others:
            sets = list(map(set, others))
            first = [number for number in first if all(number in each for each in sets)]
        if before is None or not first:
            return first
        if compound.is_child:
            parents = set(before)
            return [number for number in first if self._parents[number] in parents]
        found, end, pending = [], 0, iter(before)
        following = next(pending, None)
        for number in first:
            while following is not None and following < number:
                end = max(end, self._ends[following])
                following = next(pending, None)
            if number < end:
                found.append(number)
        return found

    def _candidates(self, test: CompiledSelector) -> Sequence[int]:
        """Return the elements that have the id, class or tag of a selector's last compound."""
        if test.id is not None:
            return self._by_name.get(f"#{test.id}", ())
        if test.class_name is not None:
            return self._by_name.get(test.class_name, ())
        if test.local_name is not None:
            return self._by_name.get(f"<{test.lower_local_name}", ())
        return self._by_name["*"]


def _classes(element: HtmlElement) -> list[str]:
    names = element.get("class")
    return names[:MAX_CHARS_OF_CLASSES].split() if names else []
