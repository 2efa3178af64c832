"""Whether a page gives reason to fetch its style sheets: signs in its markup that style hides, moves or writes text.

An ordinary page has none, and costs no request.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

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
_PIECES = INLINE - {"a", "rt", "rp", "sup", "sub", "label"}


def needs_sheets(tree: HtmlElement) -> bool:
    """Whether style may decide what of this page's text is seen, or how."""
    return _has_odd_pieces(tree) or is_chopped(tree) or _has_odd_paragraphs(tree) or _has_odd_text(tree)


def _has_odd_pieces(tree: HtmlElement) -> bool:
    """Whether short pieces with a class of their own, or empty ones, stand between characters of sentences."""
    odd, han = 0, HanCounts()
    for element in tree.iter(*_PIECES):
        if not (element.get("class") or element.get("id")):
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
    holding = Counter(
        element.getparent()
        for element in tree.iter("*")
        for name, value in element.items()
        if name.startswith("data-") and count_han(value[:200]) >= MIN_PIECES
    )
    if any(count > MIN_PIECES for parent, count in holding.items() if parent is not None):
        return True
    brothers: dict[HtmlElement | None, list[HtmlElement]] = defaultdict(list)
    for element in tree.iter("p"):
        brothers[element.getparent()].append(element)
    return any(len(each) > MIN_PIECES and _are_odd(each) for each in brothers.values())


def _are_odd(paragraphs: Sequence[HtmlElement]) -> bool:
    if not 0 < sum(bool(each.get("class")) for each in paragraphs) < len(paragraphs):
        return False
    named = [bool(each.get("class")) for each in paragraphs if count_han(each.text_content()) >= MIN_HAN_OF_LINE]
    return len(named) > MIN_PIECES and 0 < sum(named) <= len(named) / 2


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
