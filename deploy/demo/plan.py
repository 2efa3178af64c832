"""What the demo's sites are, and what must be found on each of their pages."""

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from core.matches import MatchClass
from core.obfuscations import OBFUSCATIONS, Obfuscation

PLAN_FILE = Path(__file__).with_name("plan.json")
SITES_FOLDER = Path(__file__).with_name("sites")


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
    """Anything that a site answers with a body of its own. `file` is relative to the site's folder.

    `{{origin}}` in it becomes the address that the site is served at.
    """

    path: str
    file: str
    content_type: str


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

    @property
    def folder(self) -> Path:
        return SITES_FOLDER / self.key


def load_plan() -> tuple[SitePlan, ...]:
    """Read plan.json: the sites in the order of their ports."""
    return tuple(_site(entry) for entry in json.loads(PLAN_FILE.read_text("utf-8")))


def _site(entry: dict[str, Any]) -> SitePlan:
    entry["pages"] = tuple(_page(page) for page in entry["pages"])
    entry["resources"] = tuple(Resource(**resource) for resource in entry["resources"])
    entry["redirects"] = tuple((path, target) for path, target in entry.get("redirects", ()))
    return SitePlan(**_with_tuples(entry))


def _page(entry: dict[str, Any]) -> PagePlan:
    entry["verdict"] = PageVerdict(entry["verdict"])
    for name in ("works", "foreign_works"):
        entry[name] = tuple(WorkRef(*_key_and_number(each)) for each in entry.get(name, ()))
    entry["classes"] = tuple(MatchClass(name) for name in entry.get("classes", ()))
    entry["obfuscations"] = tuple(OBFUSCATIONS[name] for name in entry.get("obfuscations", ()))
    return PagePlan(**_with_tuples(entry))


def _key_and_number(reference: str) -> tuple[str, int]:
    work, _, chapter = reference.partition("/")
    return work, int(chapter)


def _with_tuples(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
