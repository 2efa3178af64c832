"""Reading the demo's sites without the product: files, declared bytes, plain text, and runs that two texts share."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

from deploy.demo.built_in_sites import SITES_FOLDER
from deploy.demo.plan import DemoPlan, PagePlan, SitePlan

HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")
VOID = {"meta", "link", "br", "input", "img", "hr"}


@dataclass(frozen=True)
class Demo:
    """A generated demo and the folder it was generated into."""

    plan: DemoPlan
    folder: Path

    def pages(self) -> Iterator[tuple[SitePlan, PagePlan]]:
        return ((site, page) for site in self.plan.sites for page in site.pages)

    def content(self, site: SitePlan, path: str) -> bytes:
        resource = next(resource for resource in site.resources if resource.path == path)
        return (self.folder / SITES_FOLDER / site.key / resource.file).read_bytes()

    def text(self, site: SitePlan, page: PagePlan) -> str:
        """What a reader sees of a page; decoding in the page's encoding is strict."""
        return visible_text(self.content(site, page.path).decode(page.encoding))


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
