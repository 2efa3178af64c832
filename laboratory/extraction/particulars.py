"""Part `particulars` of `bench extract`: title, author and day of saved pages, by the product and its peers."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta, timezone
from importlib import metadata
from typing import Any

from htmldate import find_date
from trafilatura.metadata import extract_metadata

from core.errors import BadInput
from laboratory.extraction.extractors import PRODUCT, gne_extractor, product_reading, quiet
from laboratory.extraction.saved_pages import ARCHIVE, SavedPage, saved_pages
from laboratory.extraction.sections import ExtractPlan, Say, Section
from laboratory.text_table import TextTable

CHINA = timezone(timedelta(hours=8))
NONE_STATED = frozenset({"UNKNOWN", "UNKNWON"})  # a person looked for an author and there is none
FIELDS = ("title", "author", "date")
_DAY = re.compile(r"(\d{4})\D(\d{1,2})\D(\d{1,2})(?!\d)")
_BEHIND_TITLE = re.compile(r"\s*[_|｜<]|\s+[-–—]+\s*|-+(?=[^-]{2,12}$)")
_BETWEEN_NAMES = re.compile(r"[\s　、,，;；]+")

Found = dict[str, str]
Read = Callable[[SavedPage], Found]


@dataclass(frozen=True, slots=True)
class FieldScore:
    """Of the pages whose manifest states the field. invented: given where a person found none."""

    stated: int
    right: int
    wrong: int
    silent: int
    invented: int


def section(plan: ExtractPlan, say: Say) -> Section:
    """Raises UnreadableFile, and BadInput where no page states any of the three."""
    path = plan.pages or plan.corpora / ARCHIVE
    pages = saved_pages(path)
    if not any(getattr(page, field) for page in pages for field in FIELDS):
        raise BadInput("laboratory.no-particulars", path=path)
    rows, record = [], {}
    with quiet():
        for name, read, fields in _readers():
            say(f"particulars: {name} reads {len(pages)} pages")
            found = [_read(read, page) for page in pages]
            for field in fields:
                score = _score(field, pages, found)
                record[f"{name} {field}"] = asdict(score)
                rows.append((name, field, *map(str, asdict(score).values())))
    columns = ("reader", "field", "stated", "right", "wrong", "silent", "invented")
    return Section((TextTable("Title, author and day of saved pages", columns, tuple(rows), columns[2:]),), record)


def is_right(field: str, found: str, stated: str) -> bool:
    """Whether what was found is what a person read.

    A title may lack the site's name; of several authors one is enough and none may be another; a day is China's.

    >>> is_right("title", "渡口", "渡口_江上书屋"), is_right("author", "林舟", "林舟 何晚")
    (True, True)
    >>> is_right("author", "林舟摄", "林舟"), is_right("date", "2026-03-01", "2026年3月1日 10:20")
    (False, True)
    """
    if field == "title":
        ends = [len(stated), *(match.start() for match in _BEHIND_TITLE.finditer(stated))]
        return _key(found) in {_key(stated[:end]) for end in ends}
    if field == "author":
        names = set(filter(None, _BETWEEN_NAMES.split(stated)))
        return _key(found) == _key(stated) or set(filter(None, _BETWEEN_NAMES.split(found))) <= names
    return _day(found) == _day(stated)


def _readers() -> Iterable[tuple[str, Read, tuple[str, ...]]]:
    yield PRODUCT, _product, FIELDS
    yield f"trafilatura {metadata.version('trafilatura')}", _trafilatura, FIELDS
    yield f"htmldate {metadata.version('htmldate')}", _htmldate, ("date",)
    try:
        yield f"gne {metadata.version('gne')}", _gne(), FIELDS
    except ImportError:
        return


def _product(page: SavedPage) -> Found:
    reading = product_reading(page)
    if reading is None:
        return {}
    day = reading.published.astimezone(CHINA).date().isoformat() if reading.published else ""
    named = [reading.author, *(poster.name for poster in reading.posters)]  # people who labelled made no difference
    return {"title": reading.title, "author": next(filter(None, named), ""), "date": day}


def _trafilatura(page: SavedPage) -> Found:
    found = extract_metadata(page.markup)
    return {field: getattr(found, field) or "" for field in FIELDS} if found else {}


def _htmldate(page: SavedPage) -> Found:
    return {"date": find_date(page.markup, original_date=True) or ""}


def _gne() -> Read:
    extractor = gne_extractor()

    def read(page: SavedPage) -> Found:
        found = extractor(page.markup)
        return {"title": found["title"], "author": found["author"], "date": found["publish_time"]}

    return read


def _read(read: Read, page: SavedPage) -> Found:
    try:
        return read(page)
    except Exception:  # a library that raises has found nothing, and that is its figure
        return {}


def _score(field: str, pages: Sequence[SavedPage], found: Sequence[Found]) -> FieldScore:
    read = zip(pages, found, strict=True)
    pairs = [(getattr(page, field).strip(), each.get(field, "").strip()) for page, each in read]
    stated = [(truth, given) for truth, given in pairs if truth not in NONE_STATED and _is_whole(field, truth)]
    right = sum(bool(given) and is_right(field, given, truth) for truth, given in stated)
    silent = sum(not given for _, given in stated)
    invented = sum(bool(given) for truth, given in pairs if truth in NONE_STATED)
    return FieldScore(len(stated), right, len(stated) - right - silent, silent, invented)


def _is_whole(field: str, truth: str) -> bool:
    """A month without its day is no date to compare."""
    return bool(_day(truth) if field == "date" else truth)


def _day(text: str) -> tuple[Any, ...]:
    match = _DAY.search(text)
    return tuple(map(int, match.groups())) if match else ()


def _key(text: str) -> str:
    return "".join(char for char in text if char.isalnum()).lower()
