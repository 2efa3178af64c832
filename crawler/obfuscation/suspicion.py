"""Whether a page gives reason to fetch its style sheets: signs in its markup that style hides, moves or writes text.

An ordinary page has none, and costs no request.
"""

import re

from lxml.html import HtmlElement

from crawler.characters.repertoire import HAN, PRIVATE_USE, count_han, han_of
from crawler.markup import lines
from crawler.obfuscation.reordered import is_chopped
from crawler.obfuscation.repaired import HanCounts, block_of
from crawler.obfuscation.visibility import INLINE

MIN_PIECES = 3
MIN_HAN_OF_LINE = 15  # a label or a byline has less
MAX_HAN_OF_PIECE = 12
MIN_HAN_TO_JUDGE = 200
MIN_ODD_LINES = 2
_FIRST_OF_LINE = re.compile("^[。，！？；：、”」』）】]")
# The characters that every Chinese text is held together by; in sentences whose characters stand for others they are no
# more frequent than the rest. Their share is .05 or more in 99 of 100 texts of novels, news and articles (2026-11).
_BINDING = frozenset("的一了是不在有人我他这這之而其以為为也与與和中大上来來到")
MIN_BINDING_SHARE = 0.05
_NO_PIECE = frozenset({"a", "rt", "rp", "sup", "sub", "label"})


def needs_sheets(tree: HtmlElement) -> bool:
    """Whether style may decide what of this page's text is seen, or how."""
    return _has_odd_pieces(tree) or is_chopped(tree) or _has_odd_paragraphs(tree) or _has_odd_text(tree)


def _has_odd_pieces(tree: HtmlElement) -> bool:
    """Whether short pieces with a class of their own, or empty ones, stand between characters of sentences."""
    odd, han = 0, HanCounts()
    for element in tree.iter():
        if element.tag not in INLINE or element.tag in _NO_PIECE or not (element.get("class") or element.get("id")):
            continue
        text = "".join(element.itertext()).strip()
        if len(text) <= MAX_HAN_OF_PIECE and (not text or HAN.search(text)) and _is_between(element, han):
            odd += 1
            if odd >= MIN_PIECES:
                return True
    return False


def _is_between(element: HtmlElement, han: HanCounts) -> bool:
    block = block_of(element)
    if block is None or han[block] < MIN_HAN_OF_LINE:
        return False
    brother, parent = element.getprevious(), element.getparent()
    before = (brother.tail if brother is not None else parent.text if parent is not None else "") or ""
    return count_han(before.rstrip()[-1:]) > 0 or count_han((element.tail or "").lstrip()[:1]) > 0


def _has_odd_paragraphs(tree: HtmlElement) -> bool:
    """Whether among brothers that are paragraphs, some have a class and most have none, or text is in an attribute."""
    for parent in tree.iter():
        if not isinstance(parent.tag, str) or len(parent) <= MIN_PIECES:
            continue
        brothers = [
            child for child in parent if child.tag == "p" and count_han(child.text_content()) >= MIN_HAN_OF_LINE
        ]
        named = [bool(child.get("class")) for child in brothers]
        if len(named) > MIN_PIECES and 0 < sum(named) <= len(named) / 2:
            return True
        held = (value for child in parent for name, value in child.items() if name.startswith("data-"))
        if sum(1 for value in held if count_han(value[:200]) >= MIN_PIECES) > MIN_PIECES:
            return True
    return False


def _has_odd_text(tree: HtmlElement) -> bool:
    shown = [line.text for line in lines(tree)]
    if sum(1 for text in shown if _FIRST_OF_LINE.match(text)) >= MIN_ODD_LINES:
        return True
    if len(PRIVATE_USE.findall("".join(shown))) >= MIN_PIECES:
        return True
    han = han_of("".join(text for text in shown if count_han(text) >= 2 * MIN_HAN_OF_LINE))
    if len(han) < MIN_HAN_TO_JUDGE:
        return False
    return sum(map(han.count, _BINDING)) < MIN_BINDING_SHARE * len(han)
