"""A site while it is being made: pages go in, files come out, and at the end its plan."""

from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Any

from deploy.demo.plan import PagePlan, Resource, SitePlan

TEMPLATES_FOLDER = Path(__file__).with_name("templates")
ORIGIN = "{{origin}}"  # stands for the address in files that must name it; the server puts it in
XML_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'


def rendered(template: str, **values: str) -> str:
    """A template of the templates folder, filled in. The values are HTML already: text is escaped by the caller."""
    return Template((TEMPLATES_FOLDER / template).read_text(encoding="utf-8")).substitute(values)


@dataclass(slots=True)
class SiteDraft:
    """Writes one site's files. `charset` is what headers and pages declare, `encoding` what the bytes are."""

    folder: Path
    encoding: str
    charset: str
    pages: list[PagePlan] = field(default_factory=list)
    resources: list[Resource] = field(default_factory=list)

    def page(self, plan: PagePlan, html: str, *, is_listed: bool = True) -> None:
        """Write one page in the encoding of its plan; one that is not listed is served and expected of nobody."""
        self._write(plan.path, html.encode(plan.encoding, "xmlcharrefreplace"), f"text/html; charset={self.charset}")
        if is_listed:
            self.pages.append(plan)

    def file(self, path: str, text: str, content_type: str) -> None:
        """Write anything that is no page."""
        self._write(path, text.encode("utf-8"), content_type, has_origin=ORIGIN in text)

    def robots(self, *closed: str, with_sitemap: bool = False) -> None:
        rules = [f"Disallow: {path}" for path in closed] or ["Disallow:"]
        sitemap = [f"Sitemap: {ORIGIN}/sitemap.xml"] if with_sitemap else []
        self.file("/robots.txt", "\n".join(["User-agent: *", *rules, *sitemap, ""]), "text/plain; charset=utf-8")

    def sitemap(self) -> None:
        """Name every page written so far."""
        urls = "".join(f"<url><loc>{ORIGIN}{page.path}</loc></url>\n" for page in self.pages)
        self.file("/sitemap.xml", f"{XML_HEAD}{urls}</urlset>\n", "application/xml; charset=utf-8")

    def finished(self, **about: Any) -> SitePlan:
        """The plan of the site as it was written; `about` holds the fields that no page tells."""
        return SitePlan(
            encoding=self.encoding, pages=tuple(self.pages), resources=tuple(self.resources), start_path="/", **about
        )

    def _write(self, path: str, content: bytes, content_type: str, has_origin: bool = False) -> None:
        name = path.lstrip("/") + ("index.html" if path.endswith("/") else "")
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        self.resources.append(Resource(path, name, content_type, has_origin))
