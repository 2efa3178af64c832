"""Finds the main text by density: it is the part of a page with much running text and few links."""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from math import exp

from lxml.html import HtmlElement

from crawler.characters.repertoire import HAN, count_han
from crawler.main_text.publication import END_OF_SENTENCE, is_byline
from crawler.main_text.remarks import is_elsewhere, is_inside, is_label
from crawler.markup import BLOCKS, HEADINGS, Line

_SENTENCE_MARK = re.compile("[，。！？；：、…”」』,.!?;]")
_SMALL_PRINT = re.compile(
    "版权所有|版權所有|备案|ICP|公网安备|Copyright|©|免责声明|免責聲明|未经.{0,6}(?:授权|许可)|增值电信"
    "|举报电话|客服(?:电话|热线)|Powered by"
)
_MAX_CHARS_OF_SMALL_PRINT = 120
MIN_CHARS_OF_SENTENCE = 15  # for a line without punctuation; shorter lines are labels, or verse, which counts little
MAX_LEVELS_TO_WIDEN = 12  # a post may be a box in a table cell inside another table
MIN_BROTHERS_SHARE = 0.5
# For siblings of the same structure, because short answers in a thread belong to it (2026-11, own layouts; .02 to .25
# tried, the same result up to .13).
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
MAX_LINK_SHARE = 0.5  # of a line's characters; a line with a higher share is navigation


def weight(line: Line) -> float:
    """Return the weight of a line as running text; 0.0 for menus.

    It is the number of characters outside links, plus 3 per punctuation mark.
    """
    if line.worth is None:
        line.worth = _weight(line)
    return line.worth


def weigh_in_any_script(page: Sequence[Line]) -> None:
    """Weigh lines without Chinese characters as running text too, for a page in another language."""
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
    """Return True if a line states the copyright, registrations or software of a site."""
    return len(text) < _MAX_CHARS_OF_SMALL_PRINT and _SMALL_PRINT.search(text) is not None


def main_container(page: Sequence[Line]) -> HtmlElement | None:
    """Return the element that contains the running text, or None if the page has none."""
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
    """Add the worth of a line to the masses of its ancestors, and a halving share to the scores of the nearest three.

    Inline elements are skipped: text after a paragraph in a <font> belongs to the block around both.
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
    """Return an ancestor of the best element if similar siblings also contain text, such as the posts of a thread."""
    best = node = _around_paragraph(best, masses)
    for _ in range(MAX_LEVELS_TO_WIDEN):
        parent = node.getparent()
        if parent is None or parent.tag == "html" or node.tag == "body":
            break
        if _has_similar_siblings(node, parent, masses):
            best = parent
        node = parent
    return best


def _around_paragraph(best: HtmlElement, masses: dict[HtmlElement, float]) -> HtmlElement:
    """Return the block around a paragraph or list if other paragraphs in that block are also text, however short."""
    around = next((node for node in best.iterancestors() if node.tag in BLOCKS), None)
    if best.tag not in _BESIDE_PARAGRAPHS or around is None or around.tag in ("html", "body"):
        return best
    within = set(best.iter("p"))
    others = (node for node in around.iter("p") if node not in within and node in masses)
    return around if next(others, None) is not None else best


def _has_similar_siblings(node: HtmlElement, parent: HtmlElement, masses: dict[HtmlElement, float]) -> bool:
    own, parts = _kind(node), _parts(node)
    siblings = similar = 0.0
    for child in parent:
        mass = masses.get(child, 0.0)
        if child is node or not mass or _kind(child) != own:
            continue
        shared = _parts(child)
        is_alike = not (parts or shared) or len(parts & shared) >= MIN_SHARED_PARTS * min(len(parts), len(shared))
        siblings += mass if own[1] or is_alike else 0.0
        similar += mass if own[1] and is_alike else 0.0
    return siblings > MIN_BROTHERS_SHARE * masses[node] or similar > MIN_TWINS_SHARE * masses[node]


def _kind(element: HtmlElement) -> tuple[object, str, str]:
    """Return the tag, class and id without digits, so that post_1 and post_2 are of the same kind."""
    return element.tag, *(_DIGITS.sub("", element.get(name) or "") for name in ("class", "id"))


def _parts(element: HtmlElement) -> set[tuple[object, str]]:
    """Return the tags and classes of the blocks in an element, without digits."""
    below = (node for node in islice(element.iterdescendants(), _MAX_PARTS) if node.tag in BLOCKS)
    return {(node.tag, _DIGITS.sub("", node.get("class") or "")) for node in below}


@lru_cache(maxsize=4_096)
def _names_a_menu(of_class: str, of_id: str) -> bool:
    return _MENU_NAMES.search(f"{of_class} {of_id}") is not None


def _name_factor(element: HtmlElement, others: Container[HtmlElement]) -> float:
    """Return a factor for the weight of text in an element, by tags, classes and ids; 1.0 for ordinary text.

    others: the teasers of other pages. Text in them has 0.05, because there are many of them; text in menus, comments
    and similar boxes has 0.2.
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
    """Return True if an element is, or is inside, a menu, comments or a similar box, by tag, class and id."""
    return _name_factor(element, ()) < 1.0


_HEADINGS = ("h2", "h3", "h4", "h5")
# At least this many similar boxes with such a heading are a stream of teasers; two may be links to the previous and the
# next part of a series.
MIN_TEASERS = 3
MIN_CHARS_OF_HEADING = 6  # shorter headings name sections
MAX_CHARS_ABOVE_HEADING = 40  # a section, a name and a date; chosen, not measured
_MAX_HEADINGS, _MAX_LEVELS = 500, 8


def teasers(root: HtmlElement) -> set[HtmlElement]:
    """Return the boxes of all teasers below `root`, which announce other pages."""
    headings = [node for tag in _HEADINGS for node in islice(root.iter(tag), _MAX_HEADINGS) if _leads_away(node)]
    if len(headings) < MIN_TEASERS:
        return set()
    above = {heading: _blocks_above(heading) for heading in headings}
    counts = Counter(block for blocks in above.values() for block in blocks)
    boxes: set[HtmlElement] = set()
    for heading, blocks in above.items():
        path = [heading, *blocks]
        stream = next((place for place, block in enumerate(path) if counts[block] >= MIN_TEASERS), 0)
        # A heading directly in the stream has no box of its own.
        if stream > 1 and _is_box_heading(path[stream - 1], heading):
            boxes.add(path[stream - 1])
    return boxes


def _blocks_above(heading: HtmlElement) -> list[HtmlElement]:
    blocks = (node for node in heading.iterancestors() if node.tag in BLOCKS and node.tag not in ("html", "body"))
    return list(islice(blocks, _MAX_LEVELS))


def _is_box_heading(box: HtmlElement, heading: HtmlElement) -> bool:
    """Return True if at most a date and a section precede the heading in its box.

    A box that begins with text is no teaser.
    """
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
    """Return True if all of a heading is a link to another page."""
    links = [node for node in (heading, *heading.iterancestors(), *heading.iter("a")) if node.tag == "a"][:1]
    shown = len("".join("".join(heading.itertext()).split()))
    linked = sum(len("".join("".join(node.itertext()).split())) for node in links)
    href = (links[0].get("href") or "").strip() if links else ""
    return bool(href) and not href.startswith(("#", "javascript:")) and linked >= shown >= MIN_CHARS_OF_HEADING


# Corrects the edges of the text: words outside the box with most of the text are added, menus and frames of posts
# removed.

# The share that a box around an unnamed main box may add. With .25, a message loses its first six lines; .6 and 1 give
# the same results for all public pages and the 58 (2026-11).
MAX_SHARE_OF_EDGES = 0.6
MAX_LEVELS, MAX_LINES_OF_LEAD, MIN_HAN_OF_LEAD = 6, 12, 16
_NO_EDGES = frozenset({"html", "body", "table", "tbody", "tr"})
_MARK = re.compile("[，。！？；]")


def widen_main_box(page: Sequence[Line], main: HtmlElement | None, titles: Sequence[int]) -> HtmlElement | None:
    """Return a larger box around an unnamed main box if it adds little, and only text.

    titles: the indexes of the page title in `page`; a box that contains a title also contains the surroundings of the
    text
    """
    if main is None:
        return None
    best = main
    for box in islice(main.iterancestors(*BLOCKS), MAX_LEVELS):
        is_closed = best.get("class") or best.get("id") or box.tag in _NO_EDGES
        if is_closed or any(is_inside(box, page[place].container) for place in titles):
            break
        inner, outer = lines_in_box(page, best), lines_in_box(page, box)
        within = {id(line) for line in inner}
        added = [line for line in outer if id(line) not in within]
        if _chars(added) > MAX_SHARE_OF_EDGES * _chars(inner) or not _are_words(added):
            break
        best = box
    return best


def lead_lines(page: Sequence[Line], main: Sequence[Line], titles: Sequence[int]) -> list[Line]:
    """Return the lead of an article: the sentences between its title and its box.

    titles: the indexes of the page title in `page`
    """
    first = next((place for place, line in enumerate(page) if main and line is main[0]), 0)
    heading = max((place for place in titles if place < first), default=first)
    if first - heading > MAX_LINES_OF_LEAD:
        return []
    return [line for line in page[heading + 1 : first] if _is_sentence(line) and not _is_menu(line)]


def lines_in_box(page: Sequence[Line], box: HtmlElement | None) -> list[Line]:
    """Return the lines of a page that are inside a box."""
    within = set(box.iter()) if box is not None else set()
    return [line for line in page if line.container in within]


def _is_sentence(line: Line) -> bool:
    is_long = count_han(line.text) >= MIN_HAN_OF_LEAD
    return is_long and not line.link_chars and _MARK.search(line.text) is not None and not is_byline(line.text)


def _are_words(added: Sequence[Line]) -> bool:
    linked = sum(line.link_chars for line in added)
    return linked <= MAX_LINK_SHARE * _chars(added) and not any(map(_is_menu, added))


def _is_menu(line: Line) -> bool:
    return is_elsewhere(line.container) or is_small_print(line.text)


def _chars(chosen: Sequence[Line]) -> int:
    return sum(len(line.text) for line in chosen)


# A box with at least MIN_SECTIONS headed sections of running text is one document if the main box contains fewer of
# them and the other sections have enough weight: text under headings in a side column has less. A line of prose has at
# most this share of links, and an index of other pages has more (2026-11, 17 manual layouts of our own; the same
# results with .2 to .4 of links and .2 to .5 of weight).
MIN_SECTIONS = 3
MAX_LINK_SHARE_OF_PROSE = 0.3
MIN_SHARE_ADDED = 0.5
_MAX_LEVELS_OF_SECTIONS = 12
_MIN_WEIGHT = 15.0  # of a line that is a sentence
_TAGS = HEADINGS - {"h1"}
# Their own names describe their contents, not their position on the page.
_PARTS = frozenset({"p", "li", "dt", "dd", "pre"})


def widen_to_sections(page: Sequence[Line], main: HtmlElement | None) -> HtmlElement | None:
    """Return the box around all sections of a document if `main` contains only some of them, or else `main`."""
    if main is None:
        return None
    at_home = {box for box in {line.container for line in page} if box.tag in _TAGS and _leads_nowhere(box)}
    headings = [place for place, line in enumerate(page) if line.container in at_home]
    if len(headings) < MIN_SECTIONS:
        return main
    spoken = {
        place
        for place, end in zip(headings, [*headings[1:], len(page)], strict=True)
        if any(map(_is_prose, page[place + 1 : end]))
    }
    inside = set(main.iter())
    within = {place for place, line in enumerate(page) if line.container in inside}
    if len(spoken & within) >= MIN_SECTIONS:
        return main
    best, own = main, _sum_weights(page, within)
    for box in islice(main.iterancestors(*BLOCKS), _MAX_LEVELS_OF_SECTIONS):
        inside = set(box.iter())
        added = [place for place, line in enumerate(page) if place not in within and line.container in inside]
        if not _may_be_main_text([page[place] for place in added]):
            break
        within.update(added)
        has_more = not spoken.isdisjoint(added) and len(spoken & within) >= MIN_SECTIONS
        if has_more and _sum_weights(page, within) >= (1 + MIN_SHARE_ADDED) * own:
            best = box
    return best


def _sum_weights(page: Sequence[Line], places: Iterable[int]) -> float:
    return sum(weight(page[place]) for place in places)


def _leads_nowhere(heading: HtmlElement) -> bool:
    addresses = (link.get("href") for link in heading.iter("a"))
    return all(not address or address.startswith("#") for address in addresses)


def _is_prose(line: Line) -> bool:
    return weight(line) >= _MIN_WEIGHT and line.link_chars <= MAX_LINK_SHARE_OF_PROSE * len(line.text)


def _may_be_main_text(added: Sequence[Line]) -> bool:
    """Return True if lines may be part of the text: none is in a menu or in comments, and none is a label."""
    boxes = (line.container.getparent() if line.container.tag in _PARTS else line.container for line in added)
    return not any(is_in_menu(box) or is_elsewhere(box) for box in boxes) and not any(map(is_label, added))


# Removes lines of the main box that are not part of the text: menus and the frames of posts.

_NAVIGATION = re.compile(
    "上一[章页頁篇节節]|下一[章页頁篇节節]|返回(?:目录|目錄|书页|書頁|首页|首頁|列表|顶部)|加入(?:书签|書籤|书架|書架)|章节报错|章節報錯|投推荐票"
    "|责任编辑|責任編輯|扫一扫|扫描二维码|分享到|分享至|打印本页|关闭窗口|点击收藏|收藏本站|相关阅读|相關閱讀|相关新闻|延伸阅读|延伸閱讀"
    "|手机阅读|最新章节|免责声明|版权所有|版權所有|京公网安备|ICP备|Copyright|©"
)
_MAX_NAVIGATION_CHARS = 40  # longer sentences of a novel may mention the next chapter
# Lines that repeat on a page in boxes without sentences: names of ranks, counters, "posted at" with different digits.
MIN_REPEATS_OF_FRAME, MAX_CHARS_OF_FRAME = 2, 30
MIN_CELLS_OF_TABLE = 3
_NEVER_FRAMES = frozenset({"pre", "h2", "h3", "h4", "h5", "h6"})
_BETWEEN_LINKS = re.compile(" ?[·•|｜／] ?| [-–—/] ")


def drop_navigation(chosen: Sequence[Line]) -> list[Line]:
    """Return the lines without navigation: those that are mostly links, and the frames of posts."""
    kept = [
        line
        for line in chosen
        if line.link_chars <= MAX_LINK_SHARE * _chars_but_between_links(line)
        and not (len(line.text) <= _MAX_NAVIGATION_CHARS and _NAVIGATION.search(line.text))
    ]
    return _drop_frame_lines(kept)


def _chars_but_between_links(line: Line) -> int:
    return len(_BETWEEN_LINKS.sub("", line.text) if line.link_chars else line.text)


def _drop_frame_lines(chosen: Sequence[Line]) -> list[Line]:
    """Return the lines without those that repeat in boxes of a kind without sentences.

    A refrain is in the box of the verses.
    """
    speaking = {_box(line) for line in chosen if END_OF_SENTENCE.search(line.text)}
    if not speaking:
        return list(chosen)
    counts = Counter(_frame(line) for line in chosen)
    return [
        line
        for line in chosen
        if _box(line) in speaking or not _may_be_frame(line) or counts[_frame(line)] < MIN_REPEATS_OF_FRAME
    ]


def _may_be_frame(line: Line) -> bool:
    """Return False for headings, such as years in a chronicle, and for lines of code and tables, which also repeat."""
    is_short = len(line.text) <= MAX_CHARS_OF_FRAME and line.container.tag not in _NEVER_FRAMES
    return is_short and not _is_of_table(line.container)


def _is_of_table(box: HtmlElement) -> bool:
    """Return True for a cell of a data table, or a box directly inside one. The row of a post has only two cells."""
    cell = box if box.tag in ("td", "th") else box.getparent()
    row = cell.getparent() if cell is not None and cell.tag in ("td", "th") else None
    return row is not None and len(row) >= MIN_CELLS_OF_TABLE


def _box(line: Line) -> tuple[object, str]:
    return line.container.tag, line.container.get("class") or ""


def _frame(line: Line) -> tuple[object, str, str]:
    return *_box(line), _DIGITS.sub("0", line.text)


# Estimates the confidence in a main text, from signals that need no human reader.
#
# Confidence is the probability that F1 against a person's reading is .9 or more: a logistic regression on 680 readings
# of 88 pages, of which 61 % were deliberately poor (other boxes, whole pages, remaining lines). For the fit and its
# quality on unseen sites, see docs/decisions/reading-pages.md.

HAN_OF_WHOLE_TEXT = 120  # a paragraph; longer texts give no further evidence
# Fitted 2026-11 with an L2 penalty of 1 (.3, 1 and 3 tried). Refit them if the line filter or the density changes. A
# sixth signal, the agreement of a second extractor, was removed; the base contains it at the value with which 176
# labelled pages are judged best without it (.8 to 1 tried).
_BASE, _LENGTH, _SHARE, _PROSE, _COMPACT = -5.21, 0.25, 2.01, 1.93, 3.54


def estimate_confidence(chosen: Sequence[Line], page: Sequence[Line]) -> float:
    """Return the probability that a person would choose nearly the same lines of a page as its text.

    Four signals in [0, 1] are used: the length, up to a paragraph; the share of the page's running text; the share of
    characters in lines with the end of a sentence; and the share of chosen characters between the first and the last
    chosen line.
    """
    chars, whole = _chars(chosen), sum(map(weight, page))
    length = min(1.0, count_han("".join([line.text for line in chosen])) / HAN_OF_WHOLE_TEXT)
    share = sum(map(weight, chosen)) / whole if whole else 0.0
    prose = _chars([line for line in chosen if END_OF_SENTENCE.search(line.text)]) / chars if chars else 0.0
    ids = {id(line) for line in chosen}
    places = [number for number, line in enumerate(page) if id(line) in ids]
    compact = chars / _chars(page[places[0] : places[-1] + 1]) if places else 0.0
    sum_of_signals = _BASE + _LENGTH * length + _SHARE * share + _PROSE * prose + _COMPACT * compact
    return round(1.0 / (1.0 + exp(-sum_of_signals)), 3)
