"""Takes out of a page's tree what a reader does not see, and says what that was.

Zero-width characters, spaces and bracketed pinyin stay: they are part of the text as shown and are undone later.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass

from lxml.html import HtmlElement

from core.pages import Disguise, DisguiseFound
from crawler.characters.repertoire import count_han
from crawler.disguises.stylesheets import Cascade, Properties, cascade
from crawler.disguises.undone import EXAMPLE_CHARS, block_of

# An element that holds most of the page's Chinese is shown by a script later on, however it is styled: taking it out
# would lose the very text. Half: text that is there to confuse is less than the text that it hides in.
MAX_SHARE_TO_HIDE = 0.5
_FAR_OFF_PX = 500.0  # no ordinary layout places text that far outside; seen in the wild: -999px, -9999px, -100em
# Beyond the right or lower edge a page may scroll; further than four screens nobody does to read a sentence.
_FAR_RIGHT_PX = 5_000.0
_MIN_OPACITY = 0.06  # below it black on white differs by less than 16 of 255, which is not seen
_MAX_SPECK_PX = 1.0  # browsers draw a character of 1 px as a grey speck
_MAX_UNSEEN_STEPS = 12  # of 255 in the channel that differs most; #fefefe on white is not seen, #eee barely is
_PX_PER_UNIT = {
    "px": 1.0,
    "pt": 4 / 3,
    "em": 16.0,
    "rem": 16.0,
    "vw": 12.0,
    "vh": 8.0,
    "%": 8.0,
    "": 1.0,
}  # of a screen of 1,200 by 800
_LENGTH = re.compile(r"(-?[\d.]+)\s*(px|pt|em|rem|vw|vh|%|)")
_COLORS = {
    "white": "ffffff",
    "black": "000000",
    "red": "ff0000",
    "gray": "808080",
    "grey": "808080",
    "silver": "c0c0c0",
}
NEVER_SHOWN = frozenset(
    {"script", "style", "noscript", "template", "head", "title", "option", "textarea", "svg", "iframe"}
)


INLINE = frozenset(
    [
        "span",
        "font",
        "i",
        "b",
        "em",
        "strong",
        "small",
        "big",
        "u",
        "s",
        "a",
        "ins",
        "del",
        "sup",
        "sub",
        "label",
        "code",
        "q",
        "rt",
        "rp",
        "tt",
        "bdo",
        "bdi",
        "mark",
        "var",
    ]
)
_CONTEXT_CHARS = 12  # enough to find the place again in the main text
# Bounds for pages made to be slow: how far is looked for the text around a piece, and for how many pieces.
_MAX_NEIGHBOURS = 50
MAX_PIECES_TO_RECORD = 2_000
MIN_PIECES_WITHOUT_HAN = 4


@dataclass(frozen=True, slots=True)
class Removed:
    """One piece that was taken out, and the visible text right before and right after it inside its parent."""

    kind: Disguise
    text: str
    before: str
    after: str
    is_inline: bool
    parent: HtmlElement | None = None


def remove_hidden(tree: HtmlElement, styles: Cascade | None = None) -> list[Removed]:
    """Take hidden elements and ruby out of `tree` (changed in place); returns them in document order."""
    styles = cascade(tree) if styles is None else styles
    most = count_han(shown_text(tree)) * MAX_SHARE_TO_HIDE
    taken: list[tuple[HtmlElement, Disguise, str, bool]] = []
    gone: set[HtmlElement] = set()  # with an ancestor that was taken out before
    for element in list(tree.iter()):
        if not isinstance(element.tag, str) or element.tag in NEVER_SHOWN or element in gone:
            continue
        kind = Disguise.RUBY if element.tag in ("rt", "rp") else Disguise.HIDDEN_TEXT
        if kind is Disguise.HIDDEN_TEXT and not is_hidden(element, styles):
            continue
        text = " ".join(shown_text(element).split())
        if kind is Disguise.HIDDEN_TEXT and len(text) == 1 and element.tag in INLINE:
            kind = Disguise.DECOYS  # one character between others: nobody puts a text there to be unfolded later
        if element is not tree and (kind is Disguise.RUBY or not text or count_han(text) <= most):
            taken.append((element, kind, text, element.tag in INLINE))
            gone.update(element.iterdescendants())
            empty(element)
    return [
        Removed(kind, text, _before(element), _after(element), is_inline, element.getparent())
        for element, kind, text, is_inline in taken[:MAX_PIECES_TO_RECORD]
        if text.strip("()（） ")
    ]


def found(
    removed: Sequence[Removed], main_text: str, containers: Set[HtmlElement] = frozenset()
) -> tuple[DisguiseFound, ...]:
    """What of `removed` stood inside the main text: a closed menu hides nothing from anybody.

    containers: the blocks that the main text stands in; what stood in one of them between other characters needs no
    other sign. The characters around a piece may have been disguised themselves.
    """
    body = "".join(main_text.split())
    result = []
    for kind in (Disguise.HIDDEN_TEXT, Disguise.DECOYS, Disguise.RUBY):
        inside = [
            piece
            for piece in removed
            if piece.kind is kind
            and (_stood_in(piece, body) or (piece.is_inline and block_of(piece.parent) in containers))
        ]
        # A date for programs (microformats) is hidden honestly; it has no word of a text.
        if (
            len(inside) >= MIN_PIECES_WITHOUT_HAN
            or count_han("".join(piece.text for piece in inside))
            or (inside and kind is Disguise.RUBY)
        ):
            result.append(DisguiseFound(kind, len(inside), inside[0].text[:EXAMPLE_CHARS]))
    return tuple(result)


def _stood_in(piece: Removed, body: str) -> bool:
    if not piece.is_inline and not (piece.before and piece.after):
        return False
    return bool(piece.before or piece.after) and piece.before in body and piece.after in body


def is_hidden(element: HtmlElement, styles: Cascade) -> bool:
    own = styles.of(element)
    if element.get("hidden") is not None and own.get("display", "none") == "none":
        return True
    if not own or _is_undone_below(element, own, styles):
        return False
    return is_not_drawn(own) or _is_off_screen(own) or _has_color_of_ground(element, own, styles)


def is_not_drawn(own: Properties) -> bool:
    if own.get("display") == "none" or own.get("visibility") in ("hidden", "collapse"):
        return True
    if _number(own.get("opacity"), 1.0) < _MIN_OPACITY or length_px(own.get("font-size"), 12.0) <= _MAX_SPECK_PX:
        return True
    if "opacity(0" in own.get("filter", "") and not re.search(r"opacity\(0?\.[1-9]", own["filter"]):
        return True
    shrinks = own.get("overflow") == "hidden" or own.get("position") == "absolute"
    clipped = own.get("clip", "").replace(" ", "") in (
        "rect(0,0,0,0)",
        "rect(0px,0px,0px,0px)",
        "rect(1px,1px,1px,1px)",
    )
    flat = any(_number(own.get(side), 9.0) <= 1.0 and own.get("overflow") == "hidden" for side in _SIDES)
    is_cut_away = _CUT_AWAY.match(own.get("clip-path", "").replace(" ", "")) is not None
    return (shrinks and clipped) or flat or is_cut_away or _SHRUNK.match(own.get("transform", "")) is not None


_CUT_AWAY = re.compile(r"inset\((?:100|[5-9]\d)%\)|circle\(0|polygon\(00(?:px)?,00|polygon\(0(?:px)?0(?:px)?,0(?:px)?0")
_SHRUNK = re.compile(r"scale[xy]?\(\s*0(?:\.0\d*)?\s*[,)]|matrix\(\s*0\s*,\s*0\s*,\s*0\s*,\s*0")
_SHIFTED = re.compile(r"translate(?:x|y|3d)?\(([^)]*)\)")
_SIDES = ("height", "max-height", "width")


def _is_undone_below(element: HtmlElement, own: Properties, styles: Cascade) -> bool:
    """Whether a child takes back what hides: size 0 that only closes the gaps between children."""
    is_sized = _number(own.get("font-size"), 12.0) == 0.0
    is_hidden = own.get("visibility") in ("hidden", "collapse")
    if own.get("display") == "none" or not (is_sized or is_hidden):
        return False
    below = [styles.of(child) for child in element.iterdescendants() if isinstance(child.tag, str)]
    if is_sized:
        return any(_number(child.get("font-size"), 0.0) > 0.0 for child in below)
    return any(child.get("visibility") == "visible" for child in below)


def _is_off_screen(own: Properties) -> bool:
    if length_px(own.get("text-indent")) <= -_FAR_OFF_PX:
        return True
    if length_px(own.get("margin-left")) <= -_FAR_OFF_PX:
        return True
    shifted = _SHIFTED.search(own.get("transform", ""))
    if shifted and any(abs(length_px(part.strip())) >= _FAR_OFF_PX for part in shifted[1].split(",")):
        return True
    if own.get("position") not in ("absolute", "fixed", "relative"):
        return False
    if own.get("position") != "relative" and any(length_px(own.get(side)) >= _FAR_RIGHT_PX for side in ("left", "top")):
        return True
    return any(length_px(own.get(side)) <= -_FAR_OFF_PX for side in ("left", "top", "right", "bottom"))


def _has_color_of_ground(element: HtmlElement, own: Properties, styles: Cascade) -> bool:
    """Whether text has the color that the page itself states for what lies behind it; unknown ones are not guessed."""
    color = _color(own.get("color", ""))
    if not color:
        return False
    if color == "transparent":
        return True
    ground: HtmlElement | None = element
    while ground is not None:
        properties = styles.of(ground)
        stated = properties.get("background-color") or properties.get("background") or ground.get("bgcolor") or ""
        if "url(" in stated or "gradient" in stated:
            return False
        if stated and _color(stated) not in ("", "transparent"):
            return _is_near(_color(stated), color)
        ground = ground.getparent()
    return False


def _is_near(ground: str, color: str) -> bool:
    channels = ((int(ground[at : at + 2], 16), int(color[at : at + 2], 16)) for at in (0, 2, 4))
    return max(abs(one - other) for one, other in channels) <= _MAX_UNSEEN_STEPS


def _color(value: str) -> str:
    """A color as six hex digits, "transparent", or "" when it is none."""
    value = value.strip().lower()
    hexes = re.search(r"#([0-9a-f]{6}|[0-9a-f]{3})\b", value)
    if hexes:
        digits = hexes[1]
        return digits if len(digits) == 6 else "".join(digit * 2 for digit in digits)
    parts = re.search(r"rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)(?:[\s,/]+([\d.]+))?", value)
    if parts:
        if parts[4] and float(parts[4]) == 0.0:
            return "transparent"
        return "".join(f"{min(255, int(part)):02x}" for part in parts.groups()[:3])
    word = value.split()[0] if value else ""
    return "transparent" if word == "transparent" else _COLORS.get(word, "")


def _number(value: str | None, default: float) -> float:
    match = _LENGTH.match(value or "")
    try:
        return float(match[1]) if match else default
    except ValueError:
        return default


def length_px(value: str | None, default: float = 0.0) -> float:
    match = _LENGTH.match(value or "")
    return _number(value, default) * _PX_PER_UNIT[match[2]] if match else default


def shown_text(element: HtmlElement) -> str:
    parts: list[str] = []
    for node in element.iter():
        if isinstance(node.tag, str) and node.tag not in NEVER_SHOWN and node.text:
            parts.append(node.text)
        if node is not element and node.tail:
            parts.append(node.tail)
    return "".join(parts)


def _before(element: HtmlElement) -> str:
    """The end of what stands before `element` inside its parent, without blanks."""
    text, node, parent = "", element.getprevious(), element.getparent()
    for _ in range(_MAX_NEIGHBOURS):
        if node is None or len("".join(text.split())) >= _CONTEXT_CHARS:
            break
        text = shown_text(node) + (node.tail or "") + text
        node = node.getprevious()
    if node is None and parent is not None:
        text = (parent.text or "") + text
    return "".join(text.split())[-_CONTEXT_CHARS:]


def _after(element: HtmlElement) -> str:
    """The beginning of what stands after `element` inside its parent, without blanks."""
    text, node = element.tail or "", element.getnext()
    for _ in range(_MAX_NEIGHBOURS):
        if node is None or len("".join(text.split())) >= _CONTEXT_CHARS:
            break
        text += shown_text(node) + (node.tail or "")
        node = node.getnext()
    return "".join(text.split())[:_CONTEXT_CHARS]


def empty(element: HtmlElement) -> None:
    """Leave a husk that shows nothing: to take an element out copies all the text beside it, each time."""
    element.clear(keep_tail=True)
    element.tag = "span"
