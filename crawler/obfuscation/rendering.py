"""Computes whether a screen displays the text of an element, from inherited values and the element's own style.

Layout is not computed. If a position or size depends on layout, a bound is used, so that text that may be visible
counts as visible.
"""

from dataclasses import dataclass, field
from enum import IntEnum
from math import nan, prod
from operator import attrgetter

from lxml.html import HtmlElement

from crawler.css.cascade import Cascade, Properties
from crawler.css.declarations import CSS_WIDE, INHERITED
from crawler.css.values import (
    MEDIUM_PX,
    NO_VARIABLES,
    SCREENS,
    UNKNOWN,
    Rgba,
    Units,
    Variables,
    color,
    font_size_px,
    functions,
    has_picture,
    parse_value,
    ratio,
    substitute_variables,
    token_ratio,
    words,
)
from crawler.obfuscation.boxes import (
    PageBounds,
    is_clipped,
    is_cut_away,
    is_flat,
    is_flexible,
    is_inline,
    is_part_of_table,
)
from crawler.obfuscation.places import ElementPlace, Shift, Transform, is_indented_away, read_transform, with_lines

MIN_OPACITY = 0.06  # below it, black on white differs by less than 16 of 255, which is invisible
MAX_SPECK_PX = 1.0  # browsers render a character of 1 px as a grey speck
MAX_UNSEEN_STEPS = 12  # of 255 in the channel that differs most; #fefefe on white is invisible, #eee is barely visible
BLACK, _LINK, _MARK = Rgba(0, 0, 0), Rgba(0, 0, 238), Rgba(255, 255, 0)
_INITIAL = {"visibility": "visible", "color": "black", "font-size": "medium", "text-indent": "0", "text-align": "start"}
_INITIAL |= {"-webkit-text-fill-color": "currentcolor", "text-shadow": "none", "direction": "ltr"}
_QUIRKY_DOCTYPE = "-//W3C//DTD HTML 4.0 Transitional//EN"  # lxml also reports it for a page without a doctype


class Holds(IntEnum):
    """The descendants that an invisible box hides: all except those positioned relative to an ancestor of the box."""

    NOTHING = 0
    FLOW = 1
    ABSOLUTE = 2
    FIXED = 3


@dataclass(slots=True)
class TextState:
    """The computed values for text directly inside an element; None if unknown.

    A returned state is not changed again.
    """

    own: Properties = field(default_factory=dict)  # for `inherit` in properties that are not inherited
    variables: Variables = NO_VARIABLES
    font_px: float | None = MEDIUM_PX
    scale: float = 1.0
    opacity: float = 1.0
    is_visible: bool = True
    color: Rgba | None = BLACK
    fill: str = "currentcolor"
    has_shadow: bool = False
    has_stroke: bool = False
    background: Rgba | None = None  # the declared background of the text
    is_gone: bool = False
    cut: Holds = Holds.NOTHING  # inside a box that displays nothing
    is_off: bool = False  # outside the area that a reader can reach
    is_indented_away: bool = False
    is_flexible: bool = False
    place: ElementPlace = field(default_factory=ElementPlace)
    _shows: bool | None = field(default=None, init=False)

    @property
    def ink(self) -> Rgba | None:
        """The colour of the text, or None if it is unknown."""
        return self.color if "currentcolor" in self.fill else color(self.fill)

    @property
    def shows_text(self) -> bool:
        """True if text with this state may be visible."""
        if self._shows is None:
            self._shows = self._is_seen()
        return self._shows

    def _is_seen(self) -> bool:
        if self.is_gone or self.cut or self.is_off or self.is_indented_away or not self.is_visible:
            return False
        if self.font_px is not None and self.font_px * self.scale <= MAX_SPECK_PX:
            return False
        return self.opacity >= MIN_OPACITY and self._has_ink()

    def _has_ink(self) -> bool:
        ink = self.ink
        if ink is None or self.has_shadow or self.has_stroke:
            return True
        if ink.alpha * self.opacity < MIN_OPACITY:
            return False
        return self.background is None or ink.blend(self.background).distance(self.background) > MAX_UNSEEN_STEPS

    def copy(self) -> "TextState":
        return TextState(*_FIELDS(self))

    def child_state(self) -> "TextState":
        """Return the state inside a child without styles, unless browsers style it, as they do with links."""
        if not self.own and not self.is_flexible:
            return self
        state = self.copy()
        state.own, state.is_flexible = {}, False
        return state


_FIELDS = attrgetter(*(name for name in TextState.__dataclass_fields__ if name != "_shows"))


class PageRendering:
    """A page, or a part of a page, on one screen.

    bounds: its number of requests tells whether a state depends on position or size
    """

    def __init__(self, tree: HtmlElement, styles: Cascade, screen: int) -> None:
        self._styles, self.screen, self.bounds = styles, screen, PageBounds(tree, styles, screen)
        self._rem_px, self._is_quirky = MEDIUM_PX, tree.getroottree().docinfo.public_id == _QUIRKY_DOCTYPE

    def compute_state(self, element: HtmlElement, declared: Properties, around: TextState) -> TextState:
        """Return the state of the text in an element.

        declared: its declared values. around: the state of its parent.
        """
        state = around.copy()
        own, state.variables = _specified_values(declared, around)
        state.own, state.is_flexible = own, is_flexible(own)
        self._forget_animated(own)
        self._set_font(element, own, state)
        state.is_visible = _visibility(own, around)
        if own.get("display") == "none":
            state.is_gone = True
            return state
        units = self._units(nan if state.font_px is None else state.font_px)
        state.place = with_lines(state.place, own, units)
        _set_ink(element, own, state)
        is_line = is_inline(element, own, is_item=around.is_flexible)
        if own.get("display") != "contents":
            self._set_box(element, state, units, is_line=is_line, is_item=around.is_flexible)
        if not is_line:
            is_away = is_indented_away(element, state.place, self.bounds, self._is_one_line)
            state.is_indented_away = is_away or ("inline" in own.get("display", "") and around.is_indented_away)
        return state

    def _units(self, em_px: float) -> Units:
        return Units(em_px, self._rem_px, SCREENS[self.screen], self._is_quirky)

    def _is_one_line(self, element: HtmlElement) -> bool:
        """Return True if nothing in a block begins another line."""
        for each in element.iterdescendants():
            own = self._styles.properties(each, self.screen)
            is_in_line = is_inline(each, own, is_item=False) or own.get("display", "").startswith("inline")
            if each.tag == "br" or not is_in_line:
                return False
        return True

    def _forget_animated(self, own: dict[str, str]) -> None:
        """Remove the properties that an animation changes, because their final values are unknown."""
        for token in parse_value(own.get("animation-name", "")):
            name = token.value if token.type in ("ident", "string") else ""
            for changed in self._styles.animated.get(name, ()):
                if changed in INHERITED:
                    own[changed] = UNKNOWN
                else:
                    own.pop(changed, None)

    def _set_font(self, element: HtmlElement, own: Properties, state: TextState) -> None:
        if self._is_quirky and element.tag == "table":
            state.font_px, state.color = MEDIUM_PX, None
        value = own.get("font-size", "inherit")
        if value != "inherit":
            state.font_px = font_size_px(value, state.font_px, self._units(MEDIUM_PX))
        if element.tag == "html":
            self._rem_px = nan if state.font_px is None else state.font_px

    def _set_box(self, element: HtmlElement, state: TextState, units: Units, *, is_line: bool, is_item: bool) -> None:
        """Apply the box of an element to the state of its contents.

        is_line: inline. is_item: an item of a flexible box.
        """
        own, position = state.own, state.own.get("position", "static")
        transform = Transform() if is_line else read_transform(own, units)
        has_margins = not is_part_of_table(element, own)
        shift = Shift(element, own, units, state.place, transform, self.bounds, is_line, has_margins)
        state.is_gone = is_cut_away(own)
        if (position == "absolute" and state.cut < Holds.ABSOLUTE) or (position == "fixed" and state.cut < Holds.FIXED):
            state.cut = Holds.NOTHING
        holds = Holds.FIXED if shift.is_moving else Holds.ABSOLUTE if position != "static" else Holds.FLOW
        is_cut = is_clipped(own, units) or (not is_line and is_flat(element, own, units, is_item=is_item))
        if is_cut or (state.cut and holds > Holds.FLOW):
            state.cut = max(state.cut, holds)
        if shift.may_return:
            state.is_off = state.scale == 1.0 and shift.is_off()
        state.background = _background(element, own, None if shift.overlaps else state.background)
        if "opacity" in own or "filter" in own:
            state.opacity *= _opacity(own)
        state.scale *= transform.scale
        state.place = shift.inside()


def _specified_values(declared: Properties, around: TextState) -> tuple[dict[str, str], Variables]:
    """Return the specified values and the variables of an element.

    Specified values are the declared ones with var() and CSS-wide keywords resolved.
    """
    custom = {name: value for name, value in declared.items() if name[:2] == "--"}
    variables = Variables(custom, around.variables) if custom else around.variables
    own: dict[str, str] = {}
    for name, value in declared.items():
        if name[:2] != "--":
            found = _resolve_keyword(name, substitute_variables(value, variables) if "(" in value else value, around)
            if found is not None:
                own[name] = found
    return own, variables


def _resolve_keyword(name: str, value: str, around: TextState) -> str | None:
    """Resolve a CSS-wide keyword (such as inherit) for a property. Return None to ignore the declaration."""
    if value not in CSS_WIDE:
        return value
    if value == "revert-layer":
        return UNKNOWN
    if name in INHERITED:
        return "inherit" if value in ("inherit", "unset") else _INITIAL.get(name) if value == "initial" else None
    if value == "inherit":
        return around.own.get(name)
    return "inline" if name == "display" and value != "revert" else None


def _visibility(own: Properties, around: TextState) -> bool:
    value = own.get("visibility", "inherit")
    return around.is_visible if value == "inherit" else value not in ("hidden", "collapse")


def _set_ink(element: HtmlElement, own: Properties, state: TextState) -> None:
    """Set the colour, the shadow and the stroke of text."""
    state.color = _color(element, own.get("color"), state)
    fill = own.get("-webkit-text-fill-color", "inherit")
    state.fill = state.fill if fill == "inherit" else fill
    shadow, stroke = own.get("text-shadow", "inherit"), own.get("-webkit-text-stroke", "inherit")
    state.has_shadow = state.has_shadow if shadow == "inherit" else shadow != "none"
    state.has_stroke = state.has_stroke if stroke == "inherit" else not stroke.startswith("0")
    if "text" in words(own.get("background-clip", "")):  # the text displays the background
        state.has_stroke = True


def _color(element: HtmlElement, value: str | None, state: TextState) -> Rgba | None:
    if value is None and element.tag == "a" and element.get("href") is not None:
        return _LINK
    if value is None and element.tag == "mark":
        return BLACK
    return state.color if value in (None, "inherit", "currentcolor") else color(value or "")


def _background(element: HtmlElement, own: Properties, around: Rgba | None) -> Rgba | None:
    """Return the declared background colour of text; None for an image, or if it is unknown. around: the parent's."""
    value = own.get("background-color", "")
    if has_picture(own.get("background-image", "")) or element.get("background"):
        return None
    if not value:
        return _MARK if element.tag == "mark" else around
    found = color(value)
    if found is None:
        is_none = all(token.type == "ident" for token in parse_value(value)) and "currentcolor" not in value
        return around if is_none else None
    if found.alpha >= 1.0 or found.alpha == 0.0:
        return found if found.alpha else around
    return None if around is None else found.blend(around)


def _opacity(own: Properties) -> float:
    shares = [ratio(own.get("opacity"))]
    for name, arguments in functions(own.get("filter", "")):
        if name == "opacity" and len(arguments[0]) == 1:
            shares.append(token_ratio(arguments[0][0]))
    return prod(min(1.0, max(0.0, share)) for share in shares if share is not None)
