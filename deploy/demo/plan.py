"""The plan of the demo's sites and of the expected result for each page."""

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
    """The correct classification of a page for the rights holder who watches its site."""

    COPY = "copy"  # a case must be opened
    INNOCENT = "innocent"  # has no text of that holder, or is an index
    QUOTATION = "quotation"  # a lawful quotation; no case may be opened
    LICENSED = "licensed"
    OWN = "own"


@dataclass(frozen=True, slots=True, order=True)
class WorkRef:
    """A chapter of a work; a work with a single text has chapter 1."""

    work: str
    chapter: int


@dataclass(frozen=True, slots=True)
class PagePlan:
    """A linked page that may be fetched."""

    path: str
    title: str
    verdict: PageVerdict
    encoding: str  # of the bytes, whatever encoding is declared
    is_index: bool = False
    works: tuple[WorkRef, ...] = ()  # the texts of the watching holder on this page
    classes: tuple[MatchClass, ...] = ()  # for a copy: the correct classes
    obfuscations: tuple[Obfuscation, ...] = ()  # for a copy: those that must be reported; others may be reported too
    edits: tuple[str, ...] = ()  # the edits, as `edit:strength`
    foreign_works: tuple[WorkRef, ...] = ()  # texts of the other holder, which the watching one must not see


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource that a site serves. file: relative to the site's folder.

    `{{origin}}` in the file is replaced by the URL of the site.
    """

    path: str
    file: str
    content_type: str


@dataclass(frozen=True, slots=True)
class SitePlan:
    """A site with everything it serves."""

    key: str
    name_zh: str
    name_en: str
    encoding: str
    role: str  # pirate, mixed, licensed, own
    rights_holder: str  # the holder who watches it
    start_path: str
    pages: tuple[PagePlan, ...]
    resources: tuple[Resource, ...]
    licensed_works: tuple[str, ...] = ()
    forbidden_paths: tuple[str, ...] = ()  # copies that robots.txt disallows, which must not be fetched
    missing_paths: tuple[str, ...] = ()  # linked, but 404 is returned
    redirects: tuple[tuple[str, str], ...] = ()  # path and target; the redirects of the demo are loops
    oversized_paths: tuple[str, ...] = ()  # larger than a crawler accepts

    @property
    def folder(self) -> Path:
        return SITES_FOLDER / self.key


def load_plan() -> tuple[SitePlan, ...]:
    """Return the sites of plan.json in the order of their ports."""
    return tuple(_parse_site(entry) for entry in json.loads(PLAN_FILE.read_text("utf-8")))


def _parse_site(entry: dict[str, Any]) -> SitePlan:
    entry["pages"] = tuple(_parse_page(page) for page in entry["pages"])
    entry["resources"] = tuple(Resource(**resource) for resource in entry["resources"])
    entry["redirects"] = tuple((path, target) for path, target in entry.get("redirects", ()))
    return SitePlan(**_convert_lists(entry))


def _parse_page(entry: dict[str, Any]) -> PagePlan:
    entry["verdict"] = PageVerdict(entry["verdict"])
    for name in ("works", "foreign_works"):
        entry[name] = tuple(WorkRef(*_key_and_number(each)) for each in entry.get(name, ()))
    entry["classes"] = tuple(MatchClass(name) for name in entry.get("classes", ()))
    entry["obfuscations"] = tuple(OBFUSCATIONS[name] for name in entry.get("obfuscations", ()))
    return PagePlan(**_convert_lists(entry))


def _key_and_number(reference: str) -> tuple[str, int]:
    work, _, chapter = reference.partition("/")
    return work, int(chapter)


def _convert_lists(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
