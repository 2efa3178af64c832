"""Which elements of a page a selector matches, in bounded time."""

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cssselect2 import ElementWrapper
from cssselect2.compiler import CompiledSelector
from lxml.html import HtmlElement

from crawler.css.selectors import Selector

HTML = "http://www.w3.org/1999/xhtml"
# Looks at an element that one selector, and all of a page, may take. On the 70 saved pages no selector takes more than
# 16,000 and no page more than 480,000 (2026-11). All steps take 1 s.
MAX_STEPS_OF_ONE, MAX_STEPS = 400_000, 2_000_000
MAX_CHARS_OF_CLASSES = 10_000  # of one element
_STEPS_TO_COMPILE = 1_000  # .3 ms


class TooCostly(Exception):
    """A selector looks at more elements than it may. Never leaves this module."""


@dataclass(slots=True)
class _Steps:
    left: int = 0

    def take(self, number: int) -> None:
        self.left -= number + 1
        if self.left < 0:
            raise TooCostly


_NO_NAMES: frozenset[str] = frozenset()


class _Node(ElementWrapper):  # type: ignore[misc] # cssselect2 is not typed
    """An element as cssselect2 sees it; each look at others is counted, and none copies what it looks at."""

    namespace_url = HTML
    in_html_document, transport_content_language = True, None

    def __init__(self, element: HtmlElement, parent: "_Node | None", index: int, steps: _Steps) -> None:
        self._steps, self.nodes = steps, list[_Node]()
        self.etree_element, self.parent, self.index = element, parent, index
        self.local_name, self.id = element.tag, element.get("id")
        names = element.get("class")
        self.classes = frozenset(names[:MAX_CHARS_OF_CLASSES].split()) if names else _NO_NAMES

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
    def siblings(self) -> "list[_Node]":
        return self.parent.nodes if self.parent is not None else [self]

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
        return _Counted((node.etree_element for node in self.nodes), self._steps)

    def iter_children(self) -> "Iterator[_Node]":
        self._steps.take(len(self.nodes))
        return iter(self.nodes)


class _Counted(list[HtmlElement]):
    """Brothers; to walk through them is counted."""

    def __init__(self, elements: Iterator[HtmlElement], steps: _Steps) -> None:
        super().__init__(elements)
        self._steps = steps

    def __iter__(self) -> Iterator[HtmlElement]:
        self._steps.take(len(self))
        return super().__iter__()

    def __getitem__(self, place: Any) -> Any:
        self._steps.take(len(self))
        return super().__getitem__(place)


class Matcher:
    """The elements of one page, found by selectors."""

    def __init__(self, tree: HtmlElement, hinting: Set[str] = frozenset()) -> None:
        """hinting: names of attributes that style beside `style` itself."""
        self._tree, self._steps, self._left = tree, _Steps(), MAX_STEPS
        self._nodes: list[_Node] = []
        self._by_name: dict[str, list[_Node]] = defaultdict(list)
        self._named: dict[str, list[HtmlElement]] = defaultdict(list)
        self._names_of: dict[HtmlElement, frozenset[str]] = {}
        self.styled: list[tuple[HtmlElement, str]] = []  # with the text of their style attribute
        self.hinted: list[HtmlElement] = []  # that have attributes of `hinting`
        for element in tree.iter():
            if isinstance(element.tag, str):
                self._name(element, f"<{element.tag}", hinting)
        self.names = frozenset({*self._named, "<tbody"})  # which a browser puts around rows

    def _name(self, element: HtmlElement, tag: str, hinting: Set[str]) -> None:
        self._named[tag].append(element)
        classes = own_id = ""
        for name, value in element.items():
            if name == "class":
                classes = value
            elif name == "id":
                own_id = value
            elif name == "style":
                self.styled.append((element, value))
            elif name in hinting and not (self.hinted and self.hinted[-1] is element):
                self.hinted.append(element)
        if not classes and not own_id:
            return
        names = set(classes[:MAX_CHARS_OF_CLASSES].split()) if classes else set()
        names = {name for name in names if name[0] not in "<#"}  # those that could be taken for a tag or an id
        if own_id:
            names.add(f"#{own_id}")
        for name in names:
            self._named[name].append(element)
        self._names_of[element] = frozenset((*names, tag))

    def forget(self) -> None:
        """Let go of what was looked at: nodes that know one another would live until the collector finds them."""
        for node in self._nodes:
            node.nodes.clear()

    @property
    def is_used_up(self) -> bool:
        """Whether no further selector finds anything."""
        return self._left <= 0

    def may_match(self, needed: frozenset[str]) -> bool:
        """Whether every class, id and tag is on the page; most of a sheet is for other pages."""
        return needed <= self.names

    def matching(self, selector: Selector) -> Iterator[HtmlElement]:
        """The elements that a selector is for; none where finding them takes too long."""
        if not self.may_match(selector.needs):
            return iter(())
        if selector.compounds:
            return iter(self._matching_names(selector.compounds))
        if selector.test.never_matches:
            return iter(())
        if not self._nodes:
            self._fill(self._tree)
        candidates = self._candidates(selector.test)
        self._left -= _STEPS_TO_COMPILE
        self._steps.left = allowed = min(MAX_STEPS_OF_ONE, self._left)
        try:
            self._steps.take(len(candidates))
            found = [node.etree_element for node in candidates if selector.test.test(node)]
        except (TooCostly, RecursionError):
            found = []
        self._left -= allowed - max(0, self._steps.left)
        return iter(found)

    def _matching_names(self, compounds: Sequence[frozenset[str]]) -> list[HtmlElement]:
        """The elements of the last compound that stand in ones of those before."""
        *around, last = compounds
        candidates = min((self._named[name] for name in last), key=len)
        self._steps.left = allowed = min(MAX_STEPS_OF_ONE, self._left)
        try:
            self._steps.take(len(candidates))
            found = [each for each in candidates if self._is_named(each, last) and self._stands_in(each, around)]
        except TooCostly:
            found = []
        self._left -= allowed - max(0, self._steps.left)
        return found

    def _is_named(self, element: HtmlElement, names: frozenset[str]) -> bool:
        own = self._names_of.get(element)
        return names <= own if own is not None else names == {f"<{element.tag}"}

    def _stands_in(self, element: HtmlElement, around: Sequence[frozenset[str]]) -> bool:
        node = element.getparent()
        for names in reversed(around):
            while node is not None and not self._is_named(node, names):
                self._steps.take(0)
                node = node.getparent()
            if node is None:
                return False
            node = node.getparent()
        return True

    def _candidates(self, test: CompiledSelector) -> Sequence[_Node]:
        """Those that have what the last part of a selector names."""
        if test.id is not None:
            return self._by_name.get(f"#{test.id}", ())
        if test.class_name is not None:
            return self._by_name.get(test.class_name, ())
        return self._nodes if test.local_name is None else self._by_name.get(f"<{test.lower_local_name}", ())

    def _fill(self, tree: HtmlElement) -> None:
        pending: list[tuple[HtmlElement, _Node | None]] = [(tree, None)]
        while pending:
            element, parent = pending.pop()
            if element.tag == "tr" and parent is not None and parent.local_name == "table":
                parent = self._row_group(parent)
            node = self._node(element, parent)
            if len(element):
                pending += [(child, node) for child in reversed(element) if isinstance(child.tag, str)]

    def _row_group(self, table: _Node) -> _Node:
        """The <tbody> that a browser puts around rows where the source has none."""
        last = table.nodes[-1] if table.nodes else None
        if last is not None and last.etree_element.getparent() is None:
            return last
        return self._node(table.etree_element.makeelement("tbody"), table)

    def _node(self, element: HtmlElement, parent: _Node | None) -> _Node:
        node = _Node(element, parent, len(parent.nodes) if parent is not None else 0, self._steps)
        if parent is not None:
            parent.nodes.append(node)
        self._nodes.append(node)
        self._by_name[f"<{element.tag}"].append(node)
        for name in node.classes:
            self._by_name[name].append(node)
        if node.id:
            self._by_name[f"#{node.id}"].append(node)
        return node
