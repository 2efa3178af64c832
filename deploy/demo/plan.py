"""What the demo's sites are, and what must be found on each of their pages."""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.matches import MatchClass
from core.obfuscations import OBFUSCATIONS, Obfuscation
from deploy.demo_presence import EXPECTED_FILE


class PageVerdict(StrEnum):
    """What a page is, for the rights holder who watches its site."""

    COPY = "copy"  # a case must be opened
    INNOCENT = "innocent"  # nothing of that holder's, or an index
    QUOTATION = "quotation"  # cites lawfully; no case
    LICENSED = "licensed"
    OWN = "own"


@dataclass(frozen=True, slots=True, order=True)
class WorkRef:
    """A chapter of a work; a work that is one text has chapter 1."""

    work: str
    chapter: int


@dataclass(frozen=True, slots=True)
class PagePlan:
    """One page that is linked and may be fetched."""

    path: str
    title: str
    verdict: PageVerdict
    encoding: str  # the bytes' own, whatever is declared
    is_index: bool = False
    works: tuple[WorkRef, ...] = ()  # the texts of the watching holder that stand here
    classes: tuple[MatchClass, ...] = ()  # for a copy: any of these is right
    obfuscations: tuple[Obfuscation, ...] = ()  # for a copy: all of these must be reported, more may be
    edits: tuple[str, ...] = ()  # what was done, as `edit:strength`
    foreign_works: tuple[WorkRef, ...] = ()  # texts of the other holder, of whom the watching one must see nothing


@dataclass(frozen=True, slots=True)
class Resource:
    """Anything that a site answers with a body of its own. `file` is relative to the site's folder."""

    path: str
    file: str
    content_type: str
    has_origin: bool = False  # `{{origin}}` in it becomes the address that the site is served at


@dataclass(frozen=True, slots=True)
class SitePlan:
    """One site and everything it serves."""

    key: str
    name_zh: str
    name_en: str
    encoding: str
    role: str  # pirate, mixed, licensed, own
    rights_holder: str  # who watches it
    start_path: str
    pages: tuple[PagePlan, ...]
    resources: tuple[Resource, ...]
    licensed_works: tuple[str, ...] = ()
    forbidden_paths: tuple[str, ...] = ()  # copies in an area that robots.txt closes: must not be fetched
    missing_paths: tuple[str, ...] = ()  # linked, answered with 404
    redirects: tuple[tuple[str, str], ...] = ()  # path and where it leads; those of the demo go in circles
    oversized_paths: tuple[str, ...] = ()  # more than a crawler takes


@dataclass(frozen=True, slots=True)
class DemoPlan:
    """All sites, and the seed they were made with."""

    seed: int
    sites: tuple[SitePlan, ...]

    def site(self, key: str) -> SitePlan:
        return next(site for site in self.sites if site.key == key)


def save(plan: DemoPlan, folder: Path) -> None:
    """Write expected.json into `folder`; one that stands there is whole at every moment."""
    text = json.dumps(asdict(plan), ensure_ascii=False, indent=1)
    unfinished = folder / f"{EXPECTED_FILE}.new"
    unfinished.write_text(text + "\n", encoding="utf-8")
    unfinished.replace(folder / EXPECTED_FILE)


def load(folder: Path) -> DemoPlan:
    """Read what `save` wrote."""
    data = json.loads((folder / EXPECTED_FILE).read_text(encoding="utf-8"))
    return DemoPlan(data["seed"], tuple(_site(entry) for entry in data["sites"]))


def _site(entry: dict[str, Any]) -> SitePlan:
    entry["pages"] = tuple(_page(page) for page in entry["pages"])
    entry["resources"] = tuple(Resource(**resource) for resource in entry["resources"])
    entry["redirects"] = tuple((path, target) for path, target in entry["redirects"])
    return SitePlan(**_with_tuples(entry))


def _page(entry: dict[str, Any]) -> PagePlan:
    entry["verdict"] = PageVerdict(entry["verdict"])
    entry["works"] = tuple(WorkRef(**ref) for ref in entry["works"])
    entry["foreign_works"] = tuple(WorkRef(**ref) for ref in entry["foreign_works"])
    entry["classes"] = tuple(MatchClass(name) for name in entry["classes"])
    entry["obfuscations"] = tuple(OBFUSCATIONS[name] for name in entry["obfuscations"])
    return PagePlan(**_with_tuples(entry))


def _with_tuples(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
