"""Main text by density: the place on a page where running sentences stand close together, apart from links."""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from functools import lru_cache
from itertools import islice

from lxml.html import HtmlElement

from crawler.characters.repertoire import HAN
from crawler.markup import BLOCKS, Line

_SENTENCE_MARK = re.compile("[，。！？；：、…”」』,.!?;]")
_SMALL_PRINT = re.compile(
    "版权所有|版權所有|备案|ICP|公网安备|Copyright|©|免责声明|免責聲明|未经.{0,6}(?:授权|许可)|增值电信"
    "|举报电话|客服(?:电话|热线)|Powered by"
)
_MAX_CHARS_OF_SMALL_PRINT = 120
MIN_CHARS_OF_SENTENCE = 15  # without any mark; shorter lines are labels, or verse: together they count, one does not
MAX_LEVELS_TO_WIDEN = 12  # a post is a box in a cell in a row of a table in a cell in a row of a table
MIN_BROTHERS_SHARE = 0.5
# Of brothers built alike down to their parts: the short answers of a thread belong to it (2026-11, own layouts; .02
# to .25 tried, one result up to .13).
MIN_TWINS_SHARE = 0.05
MIN_SHARED_PARTS = 0.5
_MAX_PARTS = 60
_WORTH_OF_VERSE = 0.1
_DIGITS = re.compile(r"\d+")
_MENU_TAGS = frozenset({"nav", "aside", "footer"})
_MENU_NAMES = re.compile(
    r"comment|footer|sidebar|side-bar|cookie|consent|(?<![a-z])cc-window|gdpr|breadcrumb|related|recommend|copyright|toolbar|share|menu|pinglun|xiangguan|tuijian|hotnews|rank",
    re.IGNORECASE,
)
_BESIDE_PARAGRAPHS = frozenset({"p", "ul", "ol", "dl"})
_WORTH_IN_MENUS, _WORTH_IN_TEASERS = 0.2, 0.05
_LEVELS_TO_NAME = 6
MAX_LINK_SHARE = 0.5  # of a line's characters; above it the line is navigation


def weight(line: Line) -> float:
    """Return the weight of a line as running text: characters outside links, punctuation threefold; 0.0 for menus."""
    if line.worth is None:
        line.worth = _weight(line)
    return line.worth


def weigh_in_any_script(page: Sequence[Line]) -> None:
    """Weigh lines without a Chinese character as running text as well, on a page in another language."""
    for line in page:
        line.worth = _weight(line, is_in_chinese=False)


def _weight(line: Line, *, is_in_chinese: bool = True) -> float:
    own = max(0, len(line.text) - line.link_chars)
    is_menu = line.link_chars > MAX_LINK_SHARE * len(line.text) or (is_in_chinese and not HAN.search(line.text))
    if is_menu or is_small_print(line.text):
        return 0.0
    marks = len(_SENTENCE_MARK.findall(line.text))
    if not marks and own < MIN_CHARS_OF_SENTENCE:
        return own * _WORTH_OF_VERSE
    return own + 3.0 * marks


def is_small_print(text: str) -> bool:
    """Return True if a line states rights, registrations or the software of a site."""
    return len(text) < _MAX_CHARS_OF_SMALL_PRINT and _SMALL_PRINT.search(text) is not None


def main_container(page: Sequence[Line]) -> HtmlElement | None:
    """Return the element that running text stands in, None for a page without any sentence."""
    scores: dict[HtmlElement, float] = defaultdict(float)
    masses: dict[HtmlElement, float] = defaultdict(float)
    others = teasers(page[0].container.getroottree().getroot()) if page else set()
    for line in page:
        worth = weight(line) * _name_factor(line.container, others)
        if worth:
            _credit(line.container, worth, scores, masses)
    if not scores:
        return None
    return _widen(max(scores, key=lambda element: scores[element]), masses)


def _credit(
    container: HtmlElement, worth: float, scores: dict[HtmlElement, float], masses: dict[HtmlElement, float]
) -> None:
    """Credit a line: whole to its container, half to the parent, a quarter above; to masses whole all the way up.

    Inline elements are passed over: text behind a paragraph in a <font> stands in the block around both.
    """
    share, node = 1.0, container
    while node is not None:
        if node.tag not in BLOCKS:
            node = node.getparent()
            continue
        masses[node] += worth
        if share >= 0.25 and (node.tag not in ("html", "body") or share == 1.0):
            scores[node] += worth * share
        share, node = share / 2, node.getparent()


def _widen(best: HtmlElement, masses: dict[HtmlElement, float]) -> HtmlElement:
    """Return an ancestor instead where siblings of one kind carry text too: paragraphs in boxes, posts of a thread."""
    best = node = _around_paragraph(best, masses)
    for _ in range(MAX_LEVELS_TO_WIDEN):
        parent = node.getparent()
        if parent is None or parent.tag == "html" or node.tag == "body":
            break
        if _has_brothers(node, parent, masses):
            best = parent
        node = parent
    return best


def _around_paragraph(best: HtmlElement, masses: dict[HtmlElement, float]) -> HtmlElement:
    """Return the block around a paragraph or list that outweighs its siblings: they are text too, however short."""
    around = next((node for node in best.iterancestors() if node.tag in BLOCKS), None)
    if best.tag not in _BESIDE_PARAGRAPHS or around is None or around.tag in ("html", "body"):
        return best
    within = set(best.iter("p"))
    others = (node for node in around.iter("p") if node not in within and node in masses)
    return around if next(others, None) is not None else best


def _has_brothers(node: HtmlElement, parent: HtmlElement, masses: dict[HtmlElement, float]) -> bool:
    own, parts = _kind(node), _parts(node)
    brothers = twins = 0.0
    for child in parent:
        mass = masses.get(child, 0.0)
        if child is node or not mass or _kind(child) != own:
            continue
        shared = _parts(child)
        is_alike = not (parts or shared) or len(parts & shared) >= MIN_SHARED_PARTS * min(len(parts), len(shared))
        brothers += mass if own[1] or is_alike else 0.0
        twins += mass if own[1] and is_alike else 0.0
    return brothers > MIN_BROTHERS_SHARE * masses[node] or twins > MIN_TWINS_SHARE * masses[node]


def _kind(element: HtmlElement) -> tuple[object, str, str]:
    """Return the tag, class and id without their numbers: post_1 and post_2 are of one kind."""
    return element.tag, *(_DIGITS.sub("", element.get(name) or "") for name in ("class", "id"))


def _parts(element: HtmlElement) -> set[tuple[object, str]]:
    """Return the tags and classes of the blocks below an element."""
    below = (node for node in islice(element.iterdescendants(), _MAX_PARTS) if node.tag in BLOCKS)
    return {(node.tag, _DIGITS.sub("", node.get("class") or "")) for node in below}


@lru_cache(maxsize=4_096)
def _names_a_menu(of_class: str, of_id: str) -> bool:
    return _MENU_NAMES.search(f"{of_class} {of_id}") is not None


def _name_factor(element: HtmlElement, others: Container[HtmlElement]) -> float:
    """Return a fifth for text in menus, comments and the like, by tag and by class and id; 1.0 for other text.

    A twentieth for text of `others`, boxes that announce other pages: there are many of them.
    """
    node: HtmlElement | None = element
    for _ in range(_LEVELS_TO_NAME):
        if node is None or node.tag == "body":
            return 1.0
        if node in others:
            return _WORTH_IN_TEASERS
        if node.tag in _MENU_TAGS or _names_a_menu(node.get("class", ""), node.get("id", "")):
            return _WORTH_IN_MENUS
        node = node.getparent()
    return 1.0


def is_in_menu(element: HtmlElement) -> bool:
    """Return True if a box is a menu, remarks or the like, or stands in one, by tag and name."""
    return _name_factor(element, ()) < 1.0


_HEADINGS = ("h2", "h3", "h4", "h5")
# As many boxes alike, each with such a heading, are a stream; two may be the parts before and after this one.
MIN_TEASERS = 3
MIN_CHARS_OF_HEADING = 6  # shorter ones name sections
MAX_CHARS_ABOVE_HEADING = 40  # a section, a name and a date; chosen, not measured
_MAX_HEADINGS, _MAX_LEVELS = 500, 8


def teasers(root: HtmlElement) -> set[HtmlElement]:
    """Return the boxes of all streams of teasers below `root`."""
    headings = [node for tag in _HEADINGS for node in islice(root.iter(tag), _MAX_HEADINGS) if _leads_away(node)]
    if len(headings) < MIN_TEASERS:
        return set()
    above = {heading: _blocks_above(heading) for heading in headings}
    counts = Counter(block for blocks in above.values() for block in blocks)
    boxes: set[HtmlElement] = set()
    for heading, blocks in above.items():
        path = [heading, *blocks]
        stream = next((place for place, block in enumerate(path) if counts[block] >= MIN_TEASERS), 0)
        # A heading right in the stream has no box of its own to hold text.
        if stream > 1 and _is_box_heading(path[stream - 1], heading):
            boxes.add(path[stream - 1])
    return boxes


def _blocks_above(heading: HtmlElement) -> list[HtmlElement]:
    blocks = (node for node in heading.iterancestors() if node.tag in BLOCKS and node.tag not in ("html", "body"))
    return list(islice(blocks, _MAX_LEVELS))


def _is_box_heading(box: HtmlElement, heading: HtmlElement) -> bool:
    """Return True if at most a date and a section are above a heading: a box that starts with text has none."""
    shown = 0
    for node in box.iter():
        if node is heading:
            return True
        if isinstance(node.tag, str) and node.tag not in ("script", "style"):
            shown += len((node.text or "").strip())
        if shown > MAX_CHARS_ABOVE_HEADING:
            return False
    return True


def _leads_away(heading: HtmlElement) -> bool:
    """Return True if the whole of a heading is a link to another page."""
    links = [node for node in (heading, *heading.iterancestors(), *heading.iter("a")) if node.tag == "a"][:1]
    shown = len("".join("".join(heading.itertext()).split()))
    linked = sum(len("".join("".join(node.itertext()).split())) for node in links)
    href = (links[0].get("href") or "").strip() if links else ""
    return bool(href) and not href.startswith(("#", "javascript:")) and linked >= shown >= MIN_CHARS_OF_HEADING
