"""Which elements of a page show their text on no ordinary screen.

Only what stands in elements whose style may hide something is looked at.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

from lxml.html import HtmlElement

from crawler.css.cascade import Cascade, Properties
from crawler.css.screens import DESKTOP, WIDEST_PX
from crawler.css.values import Rgba
from crawler.obfuscation.bounds import PageBounds
from crawler.obfuscation.boxes import PICTURES
from crawler.obfuscation.rendering import BLACK, MAX_UNSEEN_STEPS, Rendering, State, alone
from crawler.reading_steps import ReadingSteps

RUBY = ("rt", "rp")
# By themselves: sizes hide where what is beyond them is cut off, which another property says.
_HARMLESS = frozenset([
    "width", "height", "min-width", "min-height", "max-width", "max-height", "padding-left", "padding-right",
    "padding-top", "padding-bottom", "text-align", "direction", "float", "margin-right", "font-family", "unicode-bidi",
])  # fmt: skip
_SMALL_PX = 6.0  # sizes in shares of one another make characters smaller; no text is set in this
_QUIRKY_DOCTYPE = "-//W3C//DTD HTML 4.0 Transitional//EN"  # also what lxml says of a page without one


@dataclass(slots=True)
class Unseen:
    """What one look at a page finds, in `order`: elements whose own text no screen shows, and those with seen parts."""

    order: list[HtmlElement] = field(default_factory=list)
    elements: set[HtmlElement] = field(default_factory=set)
    with_seen: set[HtmlElement] = field(default_factory=set)

    def pieces(self) -> Iterator[tuple[HtmlElement, str | None]]:
        """Ruby and what is unseen, outermost first; with a text where only an element's own text is, not all in it."""
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
        """The outermost of the unseen elements, one in the other, that an element is in."""
        while (parent := element.getparent()) is not None and parent in self.elements:
            element = parent
        return element


def own_text(element: HtmlElement) -> str:
    """The text of an element without that of its children."""
    return "".join([element.text or "", *(child.tail or "" for child in element)])


class Looker:
    """Looks at one page on all ordinary screens."""

    def __init__(self, tree: HtmlElement, styles: Cascade, never_shown: Set[str], steps: ReadingSteps) -> None:
        self._tree, self._styles, self._never_shown, self._steps = tree, styles, never_shown, steps
        self._is_quirky = tree.getroottree().docinfo.public_id == _QUIRKY_DOCTYPE
        self._renderings = [
            Rendering(styles, screen, PageBounds(tree, styles, screen), is_quirky=self._is_quirky)
            for screen in styles.screens
        ]
        self._with_content = frozenset(styles.with_content())

    @cached_property
    def first(self) -> Unseen:
        """What no screen shows. Holds as long as the page is not changed."""
        return self.look(frozenset())

    def look(self, passed_over: Set[HtmlElement]) -> Unseen:
        """The same, but for what `passed_over` hides: elements whose own style is not looked at."""
        result = Unseen()
        seen: dict[HtmlElement, Sequence[State]] = {}
        asked = self._suspects | {*self._tree.iter(*RUBY)}
        for element in [element for element in self._tree.iter("*") if element in asked]:
            if element in seen or element.tag in self._never_shown:
                continue
            if element in self._suspects and element not in passed_over:
                self._into(element, passed_over, seen, result)
            elif element.tag in RUBY:
                result.order.append(element)
        for element in reversed(result.order):
            parent = element.getparent()
            if element in result.with_seen and parent is not None:
                result.with_seen.add(parent)
        return result

    def _into(
        self, root: HtmlElement, passed_over: Set[HtmlElement], seen: dict[HtmlElement, Sequence[State]], result: Unseen
    ) -> None:
        """Look at an element and all in it."""
        pending = [root]
        while pending:
            element = pending.pop()
            self._steps.check()
            states = self._states(element, passed_over, seen)
            result.order.append(element)
            if not any(state.shows_text for state in states):
                result.elements.add(element)
            elif element.tag in PICTURES or element in self._with_content or own_text(element).strip():
                result.with_seen.add(element)
            # Nothing in a box that is not there is there; what is told of the outermost is told of all.
            if element.tag not in self._never_shown and not all(state.is_gone for state in states):
                pending += [child for child in reversed(element) if isinstance(child.tag, str)]

    def _states(
        self, element: HtmlElement, passed_over: Set[HtmlElement], seen: dict[HtmlElement, Sequence[State]]
    ) -> Sequence[State]:
        """What holds for an element's text on each screen."""
        chain = [element]
        while chain[-1] not in seen and chain[-1].getparent() is not None:
            chain.append(chain[-1].getparent())
        states = seen.get(chain[-1]) or [State()] * len(self._renderings)
        for each in reversed(chain):
            if each not in seen:
                pairs = zip(self._renderings, states, strict=True)
                is_passed = each in passed_over
                states = [
                    one.styled(each, {}, around) if is_passed else one.inside(each, around) for one, around in pairs
                ]
                seen[each] = states
        return states

    @cached_property
    def _suspects(self) -> Set[HtmlElement]:
        """The elements whose style may hide something on a desktop."""
        example = self._tree.makeelement("div")
        states: dict[int, tuple[Properties, State]] = {}
        by_style: dict[int, list[HtmlElement]] = {}
        for element in self._styles.elements():
            declared = self._styles.of(element, DESKTOP)
            if declared.keys() <= _HARMLESS and not any("var(" in value for value in declared.values()):
                continue
            by_style.setdefault(id(declared), []).append(element)
            if id(declared) not in states:
                self._steps.check()
                states[id(declared)] = declared, alone(declared, example, self._styles, is_quirky=self._is_quirky)
        grounds = {state.ground for _, state in states.values() if state.ground is not None}
        return {
            element
            for key, (declared, state) in states.items()
            if _may_hide(declared, state, grounds)
            for element in by_style[key]
        }


def _may_hide(declared: Properties, state: State, grounds: Set[Rgba]) -> bool:
    """Whether declarations may hide text. state: what they do by themselves; grounds: all that the page states."""
    is_weaker = state.opacity < 1.0 or min(state.scale) < 1.0 or state.place.indent_px <= -WIDEST_PX
    is_small = state.font_px is not None and state.font_px < _SMALL_PX
    if is_weaker or is_small or not state.shows_text or any("var(" in value for value in declared.values()):
        return True
    ink = state.ink
    is_inked = "color" in declared or "-webkit-text-fill-color" in declared
    if is_inked and ink is not None and any(ink.steps_to(ground) <= MAX_UNSEEN_STEPS for ground in grounds):
        return True
    return state.ground is not None and state.ground.steps_to(BLACK) <= MAX_UNSEEN_STEPS
