"""A page's tree -> its main text, title, author and date, with how sure that is.

The text is always cut from the page's own lines, so that it stays as shown: extractors say where it stands, never what
it says (trafilatura, the second opinion, drops zero-width and private-use characters, which are evidence here).
"""

import re
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime

import trafilatura
from cssselect import SelectorError
from lxml import etree
from lxml.html import HtmlElement

from core.errors import BadConfiguration
from crawler import metadata
from crawler.density import MAX_LINK_SHARE, main_container, weight
from crawler.markup import Line, lines
from crawler.repertoire import HAN, count_han

# Chosen, not measured: less than one short sentence is a label. A copy that short is no case of its own.
MIN_HAN_TO_KEEP = 16
# A front page or chapter list: little text, and several times as much of it in links.
MAX_HAN_OF_LIST_PAGE, MIN_LINK_RATIO_OF_LIST_PAGE = 60, 3.0
# Where the second opinion shares less than this with the first, the surer of the two is taken by what it weighs.
MIN_AGREEMENT_TO_IGNORE_SECOND = 0.5
# trafilatura takes time quadratic in the elements of some pages: 27,000 of them take 3 s (2026-11). News pages
# have up to 10,000; more is made to be slow, or a whole book in one file, and density alone decides.
MAX_ELEMENTS_FOR_SECOND_OPINION = 20_000

_NAVIGATION = re.compile(
    "上一[章页頁篇节節]|下一[章页頁篇节節]|返回(?:目录|目錄|书页|書頁|首页|首頁|列表|顶部)|加入(?:书签|書籤|书架|書架)|章节报错|章節報錯|投推荐票"
    "|责任编辑|責任編輯|扫一扫|扫描二维码|分享到|分享至|打印本页|关闭窗口|点击收藏|收藏本站|相关阅读|相關閱讀|相关新闻|延伸阅读|延伸閱讀"
    "|手机阅读|最新章节|免责声明|版权所有|版權所有|京公网安备|ICP备|Copyright|©"
)
_MAX_NAVIGATION_CHARS = 40  # a sentence of a novel may well speak of the next chapter
_END_OF_SENTENCE = re.compile("[。！？；…」”』!?]")


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found; `extractor` names who decided: selector, density, trafilatura."""

    title: str
    text: str
    author: str
    published: datetime | None
    extractor: str
    confidence: float


def extract(tree: HtmlElement, url: str = "", body_selector: str = "", title_selector: str = "") -> Extraction | None:
    """The main text of a page whose hidden parts are gone already; None where it has none.

    Raises BadConfiguration for a selector that is neither CSS nor XPath.
    """
    page = lines(tree)
    chosen, extractor, confidence = _chosen(tree, page, body_selector)
    headings = select(tree, title_selector) if title_selector else []
    title = metadata.title(tree, " ".join("".join(node.itertext()) for node in headings[:1]))
    kept = _without_head(chosen, title)
    text = "\n".join(line.text for line in kept)
    if count_han(text) < MIN_HAN_TO_KEEP or (extractor != "selector" and _is_list_page(page, text)):
        return None
    author = metadata.author(tree, page, chosen)
    return Extraction(title, text, author, metadata.published(tree, page, chosen, url), extractor, confidence)


def select(tree: HtmlElement, selector: str) -> list[HtmlElement]:
    """The elements that a site rule names, as CSS or, with a leading slash or bracket, XPath.

    Raises BadConfiguration for a selector that cannot be read.
    """
    try:
        is_xpath = selector.lstrip().startswith(("/", "(", "./"))
        found = tree.xpath(selector) if is_xpath else tree.cssselect(selector)
    except (SelectorError, etree.XPathError) as fault:
        raise BadConfiguration([f"{selector!r} is neither a CSS selector nor an XPath: {fault}"]) from fault
    return [node for node in found if isinstance(node, HtmlElement)] if isinstance(found, list) else []


def _chosen(tree: HtmlElement, page: Sequence[Line], body_selector: str) -> tuple[list[Line], str, float]:
    if body_selector:
        by_rule = [line for node in select(tree, body_selector) for line in lines(node)]
        if count_han("".join(line.text for line in by_rule)) >= MIN_HAN_TO_KEEP:
            return by_rule, "selector", 1.0
    first = _cleaned(_inside(page, main_container(page)))
    is_bounded = sum(1 for _ in tree.iter()) <= MAX_ELEMENTS_FOR_SECOND_OPINION
    second = _by_trafilatura(tree, page) if is_bounded else []
    agreement = _agreement(first, second)
    if agreement < MIN_AGREEMENT_TO_IGNORE_SECOND and _weight(second) > 3 * _weight(first):
        return second, "trafilatura", _confidence(second, page, agreement)
    if not first:
        first = _cleaned([line for line in page if line.container.tag not in ("nav", "footer", "aside")])
    penalty = 0.5 if body_selector else 1.0  # the site's own rule found nothing: the page is not as it was
    return first, "density", _confidence(first, page, agreement) * penalty


def _inside(page: Sequence[Line], container: HtmlElement | None) -> list[Line]:
    if container is None:
        return []
    within = set(container.iter())
    return [line for line in page if line.container in within]


def _cleaned(chosen: Sequence[Line]) -> list[Line]:
    """Without navigation: lines that are mostly links, and short ones made of the words of menus."""
    return [
        line
        for line in chosen
        if line.link_chars <= MAX_LINK_SHARE * len(line.text)
        and not (len(line.text) <= _MAX_NAVIGATION_CHARS and _NAVIGATION.search(line.text))
    ]


def _without_head(chosen: Sequence[Line], title: str) -> list[Line]:
    """Without the title and the line of author and date that stand above the text."""
    kept = list(chosen)
    for line in chosen[:4]:
        if kept and line is kept[0] and (line.text == title or metadata.is_byline(line.text)):
            kept.pop(0)
    return kept


def _by_trafilatura(tree: HtmlElement, page: Sequence[Line]) -> list[Line]:
    """Those lines of the page that trafilatura takes for its main text."""
    document = trafilatura.bare_extraction(
        deepcopy(tree), include_comments=False, deduplicate=False, with_metadata=False
    )
    body = _han(getattr(document, "text", "") or "")
    if not body:
        return []
    taken = [(_han(line.text), line) for line in page]
    return [line for key, line in taken if key and key in body]


def _han(text: str) -> str:
    return "".join(HAN.findall(text))


def _weight(chosen: Sequence[Line]) -> float:
    return sum(map(weight, chosen))


def _agreement(first: Sequence[Line], second: Sequence[Line]) -> float:
    """[0, 1]: twice the weight that both took over the sum of what each took."""
    total = _weight(first) + _weight(second)
    ids = {id(line) for line in second}
    return 2 * _weight([line for line in first if id(line) in ids]) / total if total else 0.0


def _confidence(chosen: Sequence[Line], page: Sequence[Line], agreement: float) -> float:
    """[0, 1]: the product of four signals, each of which can take away at most what stands beside it."""
    text = "\n".join(line.text for line in chosen)
    enough = min(1.0, count_han(text) / 120)
    whole = _weight(page)
    share = _weight(chosen) / whole if whole else 0.0
    ended = sum(bool(_END_OF_SENTENCE.search(line.text)) for line in chosen) / len(chosen) if chosen else 0.0
    signals = (0.6 + 0.4 * agreement, 0.7 + 0.3 * enough, 0.7 + 0.3 * share, 0.7 + 0.3 * min(1.0, 2 * ended))
    product = 1.0
    for signal in signals:
        product *= signal
    return round(product, 3)


def _is_list_page(page: Sequence[Line], text: str) -> bool:
    linked = sum(line.link_chars for line in page if line.link_chars > MAX_LINK_SHARE * len(line.text))
    own = count_han(text)
    return own < MAX_HAN_OF_LIST_PAGE and linked > MIN_LINK_RATIO_OF_LIST_PAGE * own
