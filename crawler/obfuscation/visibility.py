"""Removes the elements that are visible on no usual screen from a page's tree, and records them.

Zero-width characters, spaces and bracketed pinyin are not removed here: they are part of the displayed text and are
removed later.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from lxml.html import HtmlElement

from core.obfuscations import Obfuscation
from crawler.characters.repertoire import count_han
from crawler.css.cascade import Cascade, cascade
from crawler.markup import lines
from crawler.obfuscation.hidden_elements import RUBY, HiddenElementFinder
from crawler.obfuscation.repairs import STYLE, MarkedPage, Removed, Repair, Repaired

# An element with most of the page's Chinese text is made visible by a script later, however it is styled, so removing
# it would remove the text itself. Half, because confusing text is shorter than the text in which it hides.
MAX_SHARE_TO_HIDE = 0.5
_MAX_ROUNDS = 8  # maximum nesting depth of such elements
NEVER_SHOWN = frozenset([
    "script", "style", "noscript", "template", "head", "title", "option", "textarea", "svg", "iframe",
])  # fmt: skip
INLINE = frozenset([
    "span", "font", "i", "b", "em", "strong", "small", "big", "u", "s", "a", "ins", "del", "sup", "sub", "label",
    "code", "q", "rt", "rp", "tt", "bdo", "bdi", "mark", "var",
])  # fmt: skip
_CONTEXT_CHARS = 12  # enough to find the position again in the main text
# Limits for pages that are designed to be slow: the siblings that are searched for text around an element, and the
# recorded elements.
_MAX_NEIGHBOURS = 50
MAX_PIECES_TO_RECORD = 2_000
MIN_HAN_TO_UNFOLD = 16  # in a hidden block; shorter ones are labels or menu entries (crawler.main_text.extraction)


def remove_hidden(
    tree: HtmlElement,
    styles: Cascade | None = None,
    finder: HiddenElementFinder | None = None,
) -> list[Removed]:
    """Remove hidden elements and ruby from a tree, and return their records in document order.

    styles: None for the sheets in the page's style elements. finder: one that has examined the page with these styles,
    or None
    """
    styles = cascade(tree) if styles is None else styles
    taken: list[tuple[HtmlElement, Removed]] = []
    for element, kind in _find_hidden(tree, finder or make_finder(tree, styles)):
        text, is_inline = " ".join(shown_text(element).split()), element.tag in INLINE
        # A single character between others is a decoy. Nobody hides it in order to unfold it later.
        is_decoy = kind is Obfuscation.HIDDEN_TEXT and len(text) == 1 and is_inline
        may_unfold = kind is Obfuscation.HIDDEN_TEXT and not is_inline and count_han(text) >= MIN_HAN_TO_UNFOLD
        piece = Removed(
            Obfuscation.DECOYS if is_decoy else kind,
            text,
            before="",
            after="",
            is_inline=is_inline,
            names=(element.get("class", ""), element.get("id", "")),
            folded=tuple(line.text for line in lines(element)) if may_unfold else (),
        )
        taken.append((element, piece))
        styles.forget(element.iter())
        if text or len(element):
            empty(element)
    return [
        replace(piece, before=_preceding_text(element), after=_following_text(element), parent=element.getparent())
        for element, piece in taken[:MAX_PIECES_TO_RECORD]
        if piece.text.strip("()（） ")
    ]


def make_finder(tree: HtmlElement, styles: Cascade) -> HiddenElementFinder:
    """Return a finder for the hidden elements of a page."""
    return HiddenElementFinder(tree, styles, NEVER_SHOWN)


def hides_text(finder: HiddenElementFinder) -> bool:
    """Return True if Chinese text of a page is hidden, other than ruby."""
    pieces = finder.unchanged_page.pieces()
    hidden = (shown_text(element) if text is None else text for element, text in pieces if element.tag not in RUBY)
    return any(map(count_han, hidden))


def _find_hidden(tree: HtmlElement, finder: HiddenElementFinder) -> list[tuple[HtmlElement, Obfuscation]]:
    """Return the elements to remove, in document order, each with its kind."""
    if not finder.unchanged_page.order:
        return []
    most = count_han(shown_text(tree)) * MAX_SHARE_TO_HIDE  # number of Chinese characters that one element may hide
    passed_over = set[HtmlElement]()
    for _ in range(_MAX_ROUNDS):
        hidden = finder.find(passed_over) if passed_over else finder.unchanged_page
        by_cause: Counter[HtmlElement] = Counter()
        with_words = set[HtmlElement]()
        for element, text in hidden.pieces():
            cause, han = hidden.cause(element), count_han(text if text is not None else shown_text(element))
            by_cause[cause] += han
            if han and (text is not None or element.tag in INLINE):
                with_words.add(cause)
        too_large = {
            element
            for element, han in by_cause.items()
            if han > most or element is tree or (han and element not in with_words and _holds(element, most))
        }
        if not too_large:
            break
        passed_over |= too_large
    found: list[tuple[HtmlElement, Obfuscation]] = []
    for element, text in hidden.pieces():
        if element.tag in RUBY:
            found.append((element, Obfuscation.RUBY))
        elif hidden.cause(element) not in too_large:
            found += [(each, Obfuscation.HIDDEN_TEXT) for each in ([element] if text is None else _wrap_texts(element))]
    return found


def _holds(element: HtmlElement, most: float) -> bool:
    """Return True if an element contains more than `most` Chinese characters of visible text.

    If such an element hides whole paragraphs among others that declare themselves visible, a script displays the
    article later, as in messengers.
    """
    return count_han(shown_text(element)) > most


def _wrap_texts(element: HtmlElement) -> list[HtmlElement]:
    """Wrap each of an element's own texts in a new element, and return the new elements."""
    made: list[HtmlElement] = []
    for child in (None, *element):
        text = element.text if child is None else child.tail
        if not (text or "").strip():
            continue
        made.append(element.makeelement("span"))
        made[-1].text = text
        if child is None:
            element.text = None
            element.insert(0, made[-1])
        else:
            child.tail = None
            child.addnext(made[-1])
    return made


def shown_text(element: HtmlElement) -> str:
    parts: list[str] = []
    for node in element.iter():
        if isinstance(node.tag, str) and node.tag not in NEVER_SHOWN and node.text:
            parts.append(node.text)
        if node is not element and node.tail:
            parts.append(node.tail)
    return "".join(parts)


def _preceding_text(element: HtmlElement) -> str:
    """Return the end of the text before an element inside its parent, without spaces."""
    text, node, parent = "", element.getprevious(), element.getparent()
    for _ in range(_MAX_NEIGHBOURS):
        if node is None or len("".join(text.split())) >= _CONTEXT_CHARS:
            break
        text = shown_text(node) + (node.tail or "") + text
        node = node.getprevious()
    if node is None and parent is not None:
        text = (parent.text or "") + text
    return "".join(text.split())[-_CONTEXT_CHARS:]


def _following_text(element: HtmlElement) -> str:
    """Return the start of the text after an element inside its parent, without spaces."""
    text, node = element.tail or "", element.getnext()
    for _ in range(_MAX_NEIGHBOURS):
        if node is None or len("".join(text.split())) >= _CONTEXT_CHARS:
            break
        text += shown_text(node) + (node.tail or "")
        node = node.getnext()
    return "".join(text.split())[:_CONTEXT_CHARS]


def empty(element: HtmlElement) -> None:
    """Empty an element. This is cheaper than removing it, because each removal copies all text after it."""
    element.clear(keep_tail=True)
    element.tag = "span"


def _repair(page: MarkedPage) -> Sequence[Repaired]:
    """Remove hidden text, decoys and ruby. They are recorded in `page.removed`, so no record is returned."""
    styles = page.styles
    page.removed += remove_hidden(page.tree, styles, page.hidden_finder)
    return ()


REPAIR = Repair(in_tree=_repair, needs=frozenset({STYLE, *RUBY}))
