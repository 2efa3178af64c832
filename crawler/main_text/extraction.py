"""Extracts the main text of a page, its title, author, date and chapter number, with a confidence.

The text always consists of lines of the page, as the page displays them.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from lxml.html import HtmlElement

from core.pages import Poster
from core.zones import SurroundingLine
from crawler.characters.repertoire import KANA_OR_HANGUL, count_han
from crawler.formats.numerals import chapter_number
from crawler.main_text import metadata, publication
from crawler.main_text.density import (
    MAX_LINES_OF_LEAD,
    MAX_LINK_SHARE,
    drop_navigation,
    estimate_confidence,
    lead_lines,
    lines_in_box,
    main_container,
    weigh_in_any_script,
    widen_main_box,
    widen_to_sections,
)
from crawler.main_text.posts import posts
from crawler.main_text.publication import END_OF_SENTENCE
from crawler.main_text.remarks import blocks, own_lines
from crawler.main_text.threads import is_thread, posters, read_statements, scriptless_lines
from crawler.main_text.zones import classify_other_lines, control_lines
from crawler.markup import Line, lines
from crawler.selectors import select

# Chosen, not measured: text shorter than a short sentence is a label and cannot be a copy of a work. In other scripts,
# a paragraph has some 200 letters.
MIN_HAN_TO_KEEP, MIN_LETTERS_TO_KEEP = 16, 200
# A front page or chapter list has little text, and several times as much text in links.
MAX_HAN_OF_LIST_PAGE, MIN_LINK_RATIO_OF_LIST_PAGE = 60, 3.0
# Per field: a comment form has two lines, and a form around a page has hundreds.
MAX_LINES_OF_A_FIELD = 4
# The rules in a comment form may be longer than the shortest articles. Chosen, not measured.
MAX_HAN_OF_FORM, MAX_TIMES_THE_REST = 300, 2
_FIELDS = frozenset({"input", "textarea", "select"})
# Forums have a checkbox for moderators at each post.
_NO_FIELDS = frozenset({"hidden", "submit", "button", "image", "reset", "checkbox", "radio"})
NONE = "none"  # the extractor of a page without main text
_PENALTY_OF_A_SILENT_RULE = 0.5  # if the site's own rule matches nothing, because the page has changed

MAX_CHARS_OF_PREFIX = 12  # before the title of a thread: "[求助]", the name of a board

MAX_LEFT_OUT, MAX_CHARS_LEFT_OUT = 20, 80  # number and length of the template lines that are reported

# Takes the lines of a whole page and the name of its site, and returns the lines without the site's template.
LineFilter = Callable[[Sequence[Line], str], list[Line]]


@dataclass(frozen=True, slots=True)
class Extraction:
    """The result of an extraction.

    extractor: how the text was found: "selector", "thread", "density", or "none" without a text
    """

    title: str
    text: str
    author: str
    published: datetime | None
    extractor: str
    confidence: float
    site_name: str = ""
    chapter_number: int | None = None
    left_out: tuple[str, ...] = ()  # lines of the site's template inside the text
    surroundings: tuple[SurroundingLine, ...] = ()  # the page's other lines, including the site's template
    posters: tuple[Poster, ...] = ()
    containers: frozenset[HtmlElement] = frozenset()  # the blocks that contain the lines of the text


def keep_all_lines(page: Sequence[Line], site_name: str) -> list[Line]:
    """Return all lines of a page. The filter for a site whose template is unknown."""
    return list(page)


def extract(
    tree: HtmlElement,
    url: str = "",
    body_selector: str = "",
    title_selector: str = "",
    line_filter: LineFilter = keep_all_lines,
) -> Extraction | None:
    """Extract the main text and the surroundings of a page, or return None if it has too little text.

    tree: the page without hidden parts. body_selector, title_selector: the site's rules, or "". line_filter: removes
    the lines of the site's template before the text is chosen. A list or front page has no main text; all its lines are
    surroundings.

    Raises BadConfiguration if a selector is neither CSS nor XPath.
    """
    whole = lines(tree)
    statements = read_statements(tree)
    whole += scriptless_lines(statements, whole)
    is_a_thread = is_thread(tree, statements, whole, url)
    is_worth = is_worth_reading(line.text for line in whole)
    site_name = metadata.site_name(tree)
    stated_title = metadata.one_line(tree.findtext(".//title") or "")
    page = line_filter(whole, site_name)
    if not is_worth:
        return None
    if is_a_thread or body_selector:
        own, titles = list(page), metadata.title_places(page, stated_title)
    else:
        own, titles = own_lines(_drop_forms(tree, page), stated_title)
    chosen, extractor, confidence = _choose_lines(tree, own, titles, body_selector, is_a_thread=is_a_thread)
    if count_han("".join([line.text for line in chosen])) < MIN_HAN_TO_KEEP:
        weigh_in_any_script(own)
        chosen, extractor, confidence = _choose_lines(tree, own, titles, body_selector, is_a_thread=is_a_thread)
    headings = select(tree, title_selector) if title_selector else []
    title = metadata.title(tree, " ".join("".join(node.itertext()) for node in headings[:1]), whole, chosen)
    main = _text_lines(chosen, title, whole, extractor)
    text = "\n".join([line.text for line in main])
    is_sure = extractor in ("selector", "thread") or _is_headed(own, chosen, titles)
    if not is_worth_reading([text]) or (not is_sure and _is_list_page(own, text)):
        chosen, main, text, extractor, confidence = [], [], "", NONE, 1.0
    containers, left_out = frozenset([line.container for line in main]), _left_out(whole, page, chosen)
    return Extraction(
        title=title,
        text=text,
        author=metadata.author(tree, whole, chosen),
        published=publication.publication_time(tree, whole, chosen, url),
        extractor=extractor,
        confidence=confidence,
        site_name=site_name,
        chapter_number=chapter_number(title),
        left_out=left_out,
        surroundings=(*classify_other_lines(whole, main), *control_lines(tree, len(main))),
        posters=posters(tree, whole, main, is_a_thread=is_a_thread),
        containers=containers,
    )


def is_worth_reading(texts: Iterable[str]) -> bool:
    """Return True if texts are more than a label: enough Chinese characters, or enough letters of other scripts."""
    whole = "".join(texts)
    han = count_han(whole)
    most = MIN_LETTERS_TO_KEEP + han
    return han >= MIN_HAN_TO_KEEP or sum(1 for _ in itertools.islice(filter(str.isalpha, whole), most)) >= most


def _drop_forms(tree: HtmlElement, page: Sequence[Line]) -> Sequence[Line]:
    """Return the lines of a page without its input forms, unless nothing else is worth reading."""
    asked = _lines_of_forms(tree, page)
    rest = [line for place, line in enumerate(page) if place not in asked]
    return rest if asked and is_worth_reading(line.text for line in rest) else page


def _lines_of_forms(tree: HtmlElement, page: Sequence[Line]) -> set[int]:
    """Return the indexes of lines in input forms, which have a field for every few lines and little text.

    Other forms enclose a whole page or its text.
    """
    form_of: dict[HtmlElement, HtmlElement] = {}
    asking: dict[HtmlElement, set[HtmlElement]] = defaultdict(set)  # for each form, its blocks that have fields
    for form in tree.iter("form"):
        for node in form.iter() if form not in form_of else ():
            form_of[node] = form
            if node.tag in _FIELDS and (node.get("type") or "").lower() not in _NO_FIELDS:
                asking[form].add(next(blocks(node), form))
    inside: dict[HtmlElement, list[int]] = defaultdict(list)
    for place, line in enumerate(page if asking else ()):
        if (form := form_of.get(line.container)) is not None:
            inside[form].append(place)
    han = [count_han(line.text) for line in page] if inside else []
    dropped = set[int]()
    for form, places in inside.items():
        own = sum(han[place] for place in places)
        is_small = own <= MAX_HAN_OF_FORM and own <= MAX_TIMES_THE_REST * (sum(han) - own)
        if is_small and len(places) <= MAX_LINES_OF_A_FIELD * len(asking[form]):
            dropped.update(places)
    return dropped


def _text_lines(chosen: Sequence[Line], title: str, whole: Sequence[Line], extractor: str) -> list[Line]:
    """Return the lines of the text, without lines above it.

    The title of a thread, often a question, becomes its first line.
    """
    text = publication.drop_head(chosen, title)
    if extractor != "thread" or not text:
        return text
    above = itertools.takewhile(lambda line: line is not text[0], whole)
    titles = [
        line for line in above if title and title in metadata.one_line(line.text)[: len(title) + MAX_CHARS_OF_PREFIX]
    ]
    return [*titles[-1:], *text]


def _choose_lines(
    tree: HtmlElement, page: Sequence[Line], titles: Sequence[int], body_selector: str, *, is_a_thread: bool
) -> tuple[list[Line], str, float]:
    if body_selector:
        by_rule = _lines_by_selector(tree, page, body_selector)
        if count_han("".join(line.text for line in by_rule)) >= MIN_HAN_TO_KEEP:
            return by_rule, "selector", 1.0
    container = widen_to_sections(page, main_container(page))
    penalty = _PENALTY_OF_A_SILENT_RULE if body_selector else 1.0
    thread = posts(tree, page, container) if is_a_thread else None
    if thread and thread.lines:
        # Names, ranks and buttons between posts do not lower the confidence.
        return thread.lines, "thread", estimate_confidence(thread.lines, thread.speaking) * penalty
    inside = lines_in_box(page, widen_main_box(page, container, titles))
    first = drop_navigation(inside) or drop_navigation(
        [line for line in page if line.container.tag not in ("nav", "footer", "aside")]
    )
    return [*lead_lines(page, first, titles), *first], "density", estimate_confidence(first, page) * penalty


def _left_out(whole: Sequence[Line], page: Sequence[Line], chosen: Sequence[Line]) -> tuple[str, ...]:
    """Return the lines that the filter removed between the first and the last line of the text, shortened."""
    passed, ids = {id(line) for line in page}, {id(line) for line in chosen}
    places = [number for number, line in enumerate(whole) if id(line) in ids]
    if not places:
        return ()
    between = whole[places[0] : places[-1]]
    return tuple(line.text[:MAX_CHARS_LEFT_OUT] for line in between if id(line) not in passed)[:MAX_LEFT_OUT]


def _lines_by_selector(tree: HtmlElement, page: Sequence[Line], selector: str) -> list[Line]:
    """Return the lines that a site's rule selects. A selected inline element forms lines of its own."""
    nodes = select(tree, selector)
    passed = {(id(line.container), line.text) for line in page}
    found = [line for node in nodes for line in lines(node)]
    kept = [line for line in found if (id(line.container), line.text) in passed]
    return kept if 2 * len(kept) > len(found) else found


def _is_headed(page: Sequence[Line], chosen: Sequence[Line], titles: Sequence[int]) -> bool:
    """Return True if sentences are directly below the page title, however short, as on pages of videos and images."""
    first = next((place for place, line in enumerate(page) if chosen and line is chosen[0]), 0)
    is_said = any(END_OF_SENTENCE.search(line.text) for line in chosen)
    return is_said and any(first - MAX_LINES_OF_LEAD <= place <= first for place in titles)


def _is_list_page(page: Sequence[Line], text: str) -> bool:
    linked = sum(line.link_chars for line in page if line.link_chars > MAX_LINK_SHARE * len(line.text))
    # Letters count in other languages: two kana, or four Latin letters, are about as long as a Chinese character.
    own = count_han(text) + len(KANA_OR_HANGUL.findall(text)) // 2 or sum(map(str.isalpha, text)) // 4
    return own < MAX_HAN_OF_LIST_PAGE and linked > MIN_LINK_RATIO_OF_LIST_PAGE * own
