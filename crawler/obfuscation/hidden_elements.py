"""Finds the elements of a page whose text no ordinary screen shows."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

from lxml.html import HtmlElement

from crawler.css.cascade import Cascade
from crawler.obfuscation.boxes import PICTURES
from crawler.obfuscation.rendering import PageRendering, TextState
from crawler.opening import ReadingSteps

RUBY = ("rt", "rp")


@dataclass(slots=True)
class HiddenElements:
    """The hidden elements of a page.

    order: all elements, in document order; elements: those whose own text no screen shows; with_seen: those with
    visible parts
    """

    order: list[HtmlElement] = field(default_factory=list)
    elements: set[HtmlElement] = field(default_factory=set)
    with_seen: set[HtmlElement] = field(default_factory=set)

    def pieces(self) -> Iterator[tuple[HtmlElement, str | None]]:
        """Yield ruby and hidden elements, outermost first, with a text if only the element's own text is hidden."""
        gone: set[HtmlElement] = set()
        for element in self.order:
            if element in gone:
                continue
            if element.tag in RUBY or (element in self.elements and element not in self.with_seen):
                gone.update(element.iterdescendants())
                yield element, None
            elif element in self.elements:
                yield element, own_text(element)

    def cause(self, element: HtmlElement) -> HtmlElement:
        """Return the outermost ancestor that hides an element, with no visible element in between."""
        while (parent := element.getparent()) is not None and parent in self.elements:
            element = parent
        return element


def own_text(element: HtmlElement) -> str:
    """Return the text of an element without the text of its children."""
    return "".join([element.text or "", *(child.tail or "" for child in element)])


class HiddenElementFinder:
    """Finds the hidden elements of one page on all ordinary screens."""

    def __init__(self, tree: HtmlElement, styles: Cascade, never_shown: Set[str], steps: ReadingSteps) -> None:
        self._tree, self._never_shown, self._steps = tree, never_shown, steps
        screens = styles.screens if styles.elements() else ()
        self._renderings = [PageRendering(tree, styles, screen) for screen in screens]
        self._with_content = frozenset(styles.with_content())

    @cached_property
    def unchanged_page(self) -> HiddenElements:
        """The hidden elements of the unchanged page."""
        return self.find(frozenset())

    def find(self, passed_over: Set[HtmlElement]) -> HiddenElements:
        """Return the hidden elements, ignoring the declared styles of the elements in `passed_over`."""
        if not self._renderings:
            return HiddenElements(list(self._tree.iter(*RUBY)))
        result = HiddenElements()
        pending: list[tuple[HtmlElement, Sequence[TextState]]] = [(self._tree, [TextState()] * len(self._renderings))]
        while pending:
            element, around = pending.pop()
            if element.tag in self._never_shown:
                continue
            self._steps.check()
            pairs = zip(self._renderings, around, strict=True)
            is_passed = element in passed_over
            states = [
                one.compute_state(element, {}, state) if is_passed else one.inside(element, state)
                for one, state in pairs
            ]
            result.order.append(element)
            if not any(state.shows_text for state in states):
                result.elements.add(element)
            elif element.tag in PICTURES or element in self._with_content or own_text(element).strip():
                result.with_seen.add(element)
            # A box with display: none hides its descendants, so only the outermost one is examined.
            if not all(state.is_gone for state in states):
                pending += [(child, states) for child in reversed(element) if isinstance(child.tag, str)]
        for element in reversed(result.order):
            parent = element.getparent()
            if element in result.with_seen and parent is not None:
                result.with_seen.add(parent)
        return result
