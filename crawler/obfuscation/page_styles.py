"""Collects the style sheets of a page. Linked sheets are included if there is a reason to fetch them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from lxml.html import HtmlElement

from crawler.characters.repertoire import HAN, PRIVATE_USE, count_han, han_chars
from crawler.css.cascade import cascade, read_style_element
from crawler.css.sheets import Sheet, parse_sheet
from crawler.css.values import IN_DOUBT
from crawler.fetching.resources import NO_RESOURCES, ResourceKind, Resources, absolute_url
from crawler.markup import lines
from crawler.obfuscation.reordered import is_chopped
from crawler.obfuscation.repairs import HanCounts, Styled, enclosing_block
from crawler.obfuscation.visibility import INLINE, hides_text, make_finder

MIN_HAN_FOR_FACES = 100


def apply_sheets(tree: HtmlElement, base: str, resources: Resources, *, needs_faces: bool) -> Styled:
    """Apply the sheets of a page. Return the cascade, and the finder of hidden elements if one was made for it.

    Linked sheets are fetched if the markup seems to be styled so that text is obfuscated, if a sheet declares a font
    face (replaced characters look like ordinary text), or if the page's own sheets hide text, which a linked sheet may
    make visible. Each sheet is fetched once per site.
    """
    own = collect_page_sheets(tree, base, resources, with_linked=False)
    if resources is NO_RESOURCES or not (links_sheets(tree, base) or any("@import" in sheet.text for sheet in own)):
        return cascade(tree, own), None
    is_suspect = needs_sheets(tree)
    if is_suspect or (needs_faces and count_han(tree.text_content()) >= MIN_HAN_FOR_FACES):
        sheets = collect_page_sheets(tree, base, resources, with_linked=True)
        if is_suspect or any("@font-face" in sheet.text for sheet in sheets):
            return cascade(tree, sheets), None
    styles = cascade(tree, own)
    finder = make_finder(tree, styles)
    sheets = collect_page_sheets(tree, base, resources, with_linked=True) if hides_text(finder) else own
    return (cascade(tree, sheets), None) if len(sheets) > len(own) else (styles, finder)


MAX_IMPORTS_OF_SHEET = 100
MAX_IMPORTS_DEEP = 3  # levels of nested imports; the page's resources limit the number of sheets
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_CHARSET = re.compile(rb"""^@charset\s+["']([\w-]{1,20})["']""")


def collect_page_sheets(tree: HtmlElement, base: str, resources: Resources, *, with_linked: bool) -> list[Sheet]:
    """Collect the sheets of a page. with_linked: False for only the sheets in style elements."""
    found: list[Sheet] = []
    for element in tree.iter("link", "style"):
        sheet = read_style_element(element) if element.tag == "style" else None
        if element.tag == "link" and with_linked:
            sheet = _fetch_linked_sheet(element, base, resources)
        if sheet is not None:
            found += _with_imports(sheet, sheet.base or base, resources, MAX_IMPORTS_DEEP if with_linked else 0)
    return found


def links_sheets(tree: HtmlElement, base: str) -> bool:
    """Return True if a page links to a sheet."""
    return any(_address(link, base) for link in tree.iter("link"))


def _address(link: HtmlElement, base: str) -> str:
    names = (link.get("rel") or "").lower().split()
    is_late = "preload" in names and link.get("as") == "style" and link.get("onload") is not None
    is_sheet = "stylesheet" in names and "alternate" not in names and link.get("disabled") is None
    return absolute_url(base, link.get("href") or "") if link.get("href") and (is_sheet or is_late) else ""


def _fetch_linked_sheet(link: HtmlElement, base: str, resources: Resources) -> Sheet | None:
    address = _address(link, base)
    # With `media="print" onload="this.media='all'"`, a script decides to which media the sheet applies.
    is_late = link.get("onload") is not None
    media = link.get("media") or ""
    if not address or (not is_late and media.strip().lower() == "print"):
        return None
    sheet = _fetch_sheet(address, resources)
    if sheet is None:
        return None
    return Sheet(sheet.text, address, screens=IN_DOUBT) if is_late else Sheet(sheet.text, address, media)


def _with_imports(sheet: Sheet, base: str, resources: Resources, deep: int) -> Iterator[Sheet]:
    """Yield the sheets that a sheet imports, then the sheet. deep: the number of levels of imports that are fetched."""
    imports = parse_sheet(_head(sheet.text)).imports if deep and "@import" in sheet.text.lower() else ()
    for each in imports[:MAX_IMPORTS_OF_SHEET]:
        address = absolute_url(base, each.address)
        fetched = _fetch_sheet(address, resources) if address else None
        if fetched is None:
            continue
        layer = (*sheet.layer, *each.layer)
        inner = Sheet(fetched.text, address, sheet.media, sheet.screens & each.screens, layer)
        yield from _with_imports(inner, address, resources, deep - 1)
    yield sheet


def _head(text: str) -> str:
    """Return the text before the first block of a sheet, without comments."""
    return _COMMENT.sub("", text).partition("{")[0]


def _fetch_sheet(address: str, resources: Resources) -> Sheet | None:
    data = resources.get(address, ResourceKind.STYLE)
    if not data:
        return None
    named = _CHARSET.match(data)
    try:
        text = data.decode(named[1].decode("ascii") if named else "utf-8", "replace")
    except LookupError:
        text = data.decode("utf-8", "replace")
    return Sheet(text.removeprefix("\ufeff"), address)


# Finds reasons to fetch the style sheets of a page: signs in the markup that style hides, moves or inserts text.
#
# An ordinary page has none, and causes no request.

MIN_PIECES = 3
MIN_HAN_OF_LINE = 15  # a label or a byline has less
MAX_HAN_OF_PIECE = 12
MIN_HAN_TO_JUDGE = 200
MIN_ODD_LINES = 2
_FIRST_OF_LINE = re.compile("^[。，！？；：、”」』）】]")
# The characters without which there is no Chinese text. In sentences with replaced characters, they are no more
# frequent than others. Their share is .05 or more in 99 of 100 texts of novels, news and articles (2026-11).
_BINDING = frozenset("的一了是不在有人我他这這之而其以為为也与與和中大上来來到")
MIN_BINDING_SHARE = 0.05
_PIECES = INLINE - {"a", "rt", "rp", "sup", "sub", "label"}


def needs_sheets(tree: HtmlElement) -> bool:
    """Return True if style may affect which text of a page is visible, or which characters it displays."""
    return _has_odd_pieces(tree) or is_chopped(tree) or _has_odd_paragraphs(tree) or _has_odd_text(tree)


def _has_odd_pieces(tree: HtmlElement) -> bool:
    """Return True if short or empty inline elements that have a class or id divide sentences."""
    odd, han = 0, HanCounts()
    for element in tree.iter(*_PIECES):
        if not (element.get("class") or element.get("id")):
            continue
        text = "".join(element.itertext()).strip()
        if len(text) <= MAX_HAN_OF_PIECE and (not text or HAN.search(text)) and _splits_sentence(element, han):
            odd += 1
            if odd >= MIN_PIECES:
                return True
    return False


def _splits_sentence(element: HtmlElement, han: HanCounts) -> bool:
    block = enclosing_block(element)
    if block is None or han[block] < MIN_HAN_OF_LINE:
        return False
    brother, parent = element.getprevious(), element.getparent()
    before = (brother.tail if brother is not None else parent.text if parent is not None else "") or ""
    return count_han(before.rstrip()[-1:]) > 0 or count_han((element.tail or "").lstrip()[:1]) > 0


def _has_odd_paragraphs(tree: HtmlElement) -> bool:
    """Return True if some, but at most half, of the sibling paragraphs have a class, or attributes contain text."""
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
    han = han_chars("".join(text for text in shown if count_han(text) >= 2 * MIN_HAN_OF_LINE))
    if len(han) < MIN_HAN_TO_JUDGE:
        return False
    return sum(map(han.count, _BINDING)) < MIN_BINDING_SHARE * len(han)
