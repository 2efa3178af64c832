"""Finds the elements of a page whose text is visible on no usual screen."""

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import takewhile

from lxml.html import HtmlElement

from crawler.css.cascade import NOTHING, Cascade
from crawler.obfuscation.boxes import PICTURES
from crawler.obfuscation.rendering import PageRendering, TextState

RUBY = ("rt", "rp")
_STYLED_BY_BROWSERS = frozenset({"a", "mark", "table"})


class _View:
    """The states of the text in an element, one for each screen. Children without styles share one view."""

    def __init__(self, states: Sequence[TextState]) -> None:
        self.states = states
        self.children: dict[tuple[object, ...], _View] = {}  # by style
        self.shows_text = any(state.shows_text for state in states)
        self.is_gone = all(state.is_gone for state in states)
        # An indent may move the only line of a block off the screen, so each block needs a view of its own.
        self.is_uniform = all(state.place.across.most + state.place.indent_px >= 0.0 for state in states)

    @cached_property
    def child_view(self) -> "_View":
        """The view of a child without styles."""
        return _View([state.child_state() for state in self.states])


class HiddenElements:
    """The hidden elements of a page.

    order: ruby and hidden elements, in document order. elements: those whose own text is visible on no screen.
    with_seen: those of them that contain visible elements
    """

    def __init__(self, views: Mapping[HtmlElement, _View], with_content: Set[HtmlElement]) -> None:
        self.elements = {element for element, view in views.items() if not view.shows_text}
        self.order = [element for element in views if element in self.elements or element.tag in RUBY]
        self.with_seen = set[HtmlElement]()
        inside = set[HtmlElement]()
        for element, view in views.items() if self.elements else ():
            parent = element.getparent()
            if parent not in self.elements and parent not in inside:
                continue
            inside.add(element)
            if view.shows_text and (element.tag in PICTURES or element in with_content or own_text(element).strip()):
                self.with_seen.update(takewhile(lambda above: above not in self.with_seen, element.iterancestors()))

    def pieces(self) -> Iterator[tuple[HtmlElement, str | None]]:
        """Yield (element, text) for ruby and hidden elements, the outermost first.

        text: the element's own text if only that is hidden, or None if all of the element is hidden
        """
        gone: set[HtmlElement] = set()
        for element in self.order:
            if element in gone:
                continue
            if element.tag in RUBY or element not in self.with_seen:
                gone.update(element.iterdescendants())
                yield element, None
            else:
                yield element, own_text(element)

    def cause(self, element: HtmlElement) -> HtmlElement:
        """Return the outermost ancestor that hides an element. All elements between the two are hidden."""
        while (parent := element.getparent()) is not None and parent in self.elements:
            element = parent
        return element


def own_text(element: HtmlElement) -> str:
    """Return the text of an element without the text in its children."""
    return "".join([element.text or "", *(child.tail or "" for child in element)])


class HiddenElementFinder:
    """Finds the elements of a page that are hidden on all usual screens."""

    def __init__(self, tree: HtmlElement, styles: Cascade, never_shown: Set[str]) -> None:
        self._tree, self._styles, self._never_shown = tree, styles, never_shown
        screens = styles.screens if styles.elements() else ()
        self._renderings = [PageRendering(tree, styles, screen) for screen in screens]
        self._with_content = frozenset(styles.with_content())
        self._styled = {*styles.elements(), *(tree.xpath("//*[@background]") if screens else ())}

    @cached_property
    def unchanged_page(self) -> HiddenElements:
        """The hidden elements of the unchanged page."""
        return self.find(frozenset())

    def find(self, passed_over: Set[HtmlElement]) -> HiddenElements:
        """Return the hidden elements of the page without the declared styles of the elements in `passed_over`."""
        views = dict[HtmlElement, _View]()
        if not self._renderings:
            ruby = _View([TextState()])
            return HiddenElements(dict.fromkeys(self._tree.iter(*RUBY), ruby), self._with_content)
        outside = _View([TextState()] * len(self._renderings))
        for element in self._tree.iter("*"):
            around = outside if element is self._tree else views.get(element.getparent())
            # A box with display: none hides all its descendants, so these are not examined.
            if around is None or around.is_gone or element.tag in self._never_shown:
                continue
            is_styled = element in self._styled or element.tag in _STYLED_BY_BROWSERS
            if not is_styled and around.is_uniform:
                views[element] = around.child_view
                continue
            views[element] = self._view(element, around, is_styled=is_styled and element not in passed_over)
        return HiddenElements(views, self._with_content)

    def _view(self, element: HtmlElement, around: _View, *, is_styled: bool) -> _View:
        """Compute the view of an element. is_styled: False to ignore its declared style.

        Siblings with the same style share a view if the view depends on neither position nor size.
        """
        declared = [self._styles.properties(element, one.screen) if is_styled else NOTHING for one in self._renderings]
        key = (*map(id, declared), element.tag, element.get("href") is None, element.get("background"), is_styled)
        if key in around.children:
            return around.children[key]
        requests = sum(one.bounds.request_count for one in self._renderings)
        computed = zip(self._renderings, declared, around.states, strict=True)
        view = _View([one.compute_state(element, own, state) for one, own, state in computed])
        if requests == sum(one.bounds.request_count for one in self._renderings):
            around.children[key] = view
        return view
