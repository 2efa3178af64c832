"""Selects the elements of a page that a site's rule names."""

import re

from cssselect import SelectorError
from lxml import etree
from lxml.cssselect import CSSSelector
from lxml.html import HtmlElement, document_fromstring

from core.errors import BadConfiguration
from core.wording import Message

_XPATH_PART = re.compile(r"""("[^"]*"|'[^']*'|//|(?:descendant|ancestor|following|preceding)[a-z-]*::|\[|\])""")


MAX_SLOW_PAGES = 3  # of a crawl, each of which takes 5 s of CPU time; after them, the slow selectors are ignored
MAX_SELECTOR_CHARS = 1_000  # chosen: the fields of the desk take 200
# A page that reveals slow selectors. Few pages of a novel have as many paragraphs, in one block or in several.
_PROBE = "<body>" + "<p>a</p>" * 3_000 + "<div><ul><li><a href=b>c</a></ul></div>" * 300


def select(tree: HtmlElement, selector: str) -> list[HtmlElement]:
    """Return the elements that a site's rule names in CSS or, if it begins with a slash, a bracket or "./", in XPath.

    Raises BadConfiguration if a selector is invalid or too long, or could take minutes for one page.
    """
    is_xpath = selector.lstrip().startswith(("/", "(", "./"))
    if len(selector) > MAX_SELECTOR_CHARS:
        raise _too_slow(f"{selector[:MAX_SELECTOR_CHARS]}...")
    try:
        compiled = etree.XPath(selector) if is_xpath else CSSSelector(selector, translator="html")
        if _walks_inside_walks(compiled.path):
            raise _too_slow(selector)
        found = compiled(tree)
    except (SelectorError, etree.XPathError, RecursionError) as fault:
        raise BadConfiguration("site.no-selector", selector=selector, fault=fault) from fault
    return [node for node in found if isinstance(node, HtmlElement)] if isinstance(found, list) else []


def slow_selector(selector: str) -> Message:
    """Return the message about a selector that takes too long."""
    return Message("site.slow-selector", selector=selector, most=MAX_SELECTOR_CHARS)


def _too_slow(selector: str) -> BadConfiguration:
    return BadConfiguration(slow_selector(selector))


def require_quick_selector(selector: str) -> None:
    """Raise BadConfiguration as `select` does. The call may not end for a selector that is slow on long pages."""
    select(document_fromstring(_PROBE), selector)


def _walks_inside_walks(xpath: str) -> bool:
    """Return True if a nested condition traverses the page. On 760 elements, three such traversals took 36 s.

    >>> _walks_inside_walks("//div[p[@class='a']]//p"), _walks_inside_walks("//*[count(//*[count(//*)>0])>0]")
    (False, True)
    """
    depth = 0
    for part in _XPATH_PART.findall(xpath):
        depth += (part == "[") - (part == "]")
        if depth > 1 and part not in "[]" and part[0] not in "\"'":
            return True
    return False
