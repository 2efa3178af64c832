"""The style sheets that a page applies, in order: linked ones with what they import, and style elements."""

import re
from collections.abc import Iterator

from lxml.html import HtmlElement

from crawler.css.cascade import sheet_of
from crawler.css.screens import IN_DOUBT
from crawler.css.sheet_reading import content_of
from crawler.css.sheets import Sheet
from crawler.fetching.resources import ResourceKind, Resources, absolute
from crawler.reading_steps import ReadingSteps

MAX_IMPORTS_OF_SHEET = 100
MAX_IMPORTS_DEEP = 3  # of imports of imports; how many sheets a page may ask for is bounded by its resources
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_CHARSET = re.compile(rb"""^@charset\s+["']([\w-]{1,20})["']""")


def page_sheets(
    tree: HtmlElement, base: str, resources: Resources, steps: ReadingSteps | None = None, *, with_linked: bool
) -> list[Sheet]:
    """All sheets of a page; without linked ones nothing is asked for but what style elements import.

    steps: raise TooCostly where it takes too long.
    """
    found: list[Sheet] = []
    for element in tree.iter("link", "style"):
        if steps is not None:
            steps.check()
        sheet = sheet_of(element) if element.tag == "style" else None
        if element.tag == "link" and with_linked:
            sheet = _linked(element, base, resources)
        if sheet is not None:
            found += _with_imports(sheet, sheet.base or base, resources, MAX_IMPORTS_DEEP if with_linked else 0)
    return found


def links_sheets(tree: HtmlElement, base: str) -> bool:
    """Whether a page refers to any sheet."""
    return any(_address(link, base) for link in tree.iter("link"))


def _address(link: HtmlElement, base: str) -> str:
    names = (link.get("rel") or "").lower().split()
    is_late = "preload" in names and link.get("as") == "style" and link.get("onload") is not None
    is_sheet = "stylesheet" in names and "alternate" not in names and link.get("disabled") is None
    return absolute(base, link.get("href") or "") if link.get("href") and (is_sheet or is_late) else ""


def _linked(link: HtmlElement, base: str, resources: Resources) -> Sheet | None:
    address = _address(link, base)
    # `media="print" onload="this.media='all'"`: for whom it is in the end is decided by a script.
    is_late = link.get("onload") is not None
    media = link.get("media") or ""
    if not address or (not is_late and media.strip().lower() == "print"):
        return None
    sheet = _fetched(address, resources)
    if sheet is None:
        return None
    return Sheet(sheet.text, address, screens=IN_DOUBT) if is_late else Sheet(sheet.text, address, media)


def _with_imports(sheet: Sheet, base: str, resources: Resources, deep: int) -> Iterator[Sheet]:
    """A sheet after those that it imports."""
    imports = content_of(_head(sheet.text)).imports if deep and "@import" in sheet.text.lower() else ()
    for each in imports[:MAX_IMPORTS_OF_SHEET]:
        address = absolute(base, each.address)
        fetched = _fetched(address, resources) if address else None
        if fetched is None:
            continue
        if each.earlier:
            yield Sheet("@layer " + ",".join(".".join(name) for name in each.earlier) + ";", layer=sheet.layer)
        layer = (*sheet.layer, *each.layer)
        inner = Sheet(fetched.text, address, sheet.media, sheet.screens & each.screens, layer)
        yield from _with_imports(inner, address, resources, deep - 1)
    yield sheet


def _head(text: str) -> str:
    """What stands before the first block of a sheet."""
    return _COMMENT.sub("", text).partition("{")[0]


def _fetched(address: str, resources: Resources) -> Sheet | None:
    data = resources.get(address, ResourceKind.STYLE)
    if not data:
        return None
    named = _CHARSET.match(data)
    try:
        text = data.decode(named[1].decode("ascii") if named else "utf-8", "replace")
    except LookupError:
        text = data.decode("utf-8", "replace")
    return Sheet(text.removeprefix("\ufeff"), address)
