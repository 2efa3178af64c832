"""Reading the demo's sites without the product: files, declared bytes, plain text, and runs that two texts share."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from deploy.demo.plan import PagePlan, SitePlan, load_plan

HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")
VOID = {"meta", "link", "br", "input", "img", "hr"}


def pages() -> Iterator[tuple[SitePlan, PagePlan]]:
    """Every page of the demo's plan with its site."""
    return ((site, page) for site in load_plan() for page in site.pages)


def site_named(key: str) -> SitePlan:
    return next(site for site in load_plan() if site.key == key)


def content(site: SitePlan, path: str) -> bytes:
    resource = next(resource for resource in site.resources if resource.path == path)
    return (site.folder / resource.file).read_bytes()


def text(site: SitePlan, page: PagePlan) -> str:
    """Return what a reader sees of a page; decoding in the page's encoding is strict."""
    return visible_text(content(site, page.path).decode(page.encoding))


def innocent_text() -> str:
    """A text of our own that is no copy of any work of the demo."""
    return (Path(__file__).with_name("texts") / "末班摆渡.txt").read_text("utf-8").partition("\n")[2].strip()


def visible_text(html: str) -> str:
    """The text of a page without what its markup hides."""
    reader = _VisibleText()
    reader.feed(html)
    return "".join(reader.parts)


def han(text: str) -> str:
    """The Chinese characters of a text and nothing else."""
    return "".join(HAN.findall(text))


def runs(text: str, length: int) -> set[str]:
    """Every run of `length` Chinese characters of a text, whatever stands between them."""
    characters = han(text)
    return {characters[at : at + length] for at in range(len(characters) - length + 1)}


class _VisibleText(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._open: list[bool] = []  # for each open element, whether it hides what is in it

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            given = dict(attrs)
            style, names = given.get("style") or "", (given.get("class") or "").split()
            hides = "display:none" in style or "font-size:0" in style or "kd" in names
            self._open.append(hides or tag in ("style", "script"))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if not any(self._open):
            self.parts.append(data)
