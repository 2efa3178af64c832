"""The reference corpus: the texts of the rights holders."""

from dataclasses import dataclass
from datetime import datetime

from core.ids import WorkTextId
from core.wording import Message

# The division of a work into chapters: by the structure of the file, by given files or lines, or none.
OWN, GIVEN, WHOLE = "own", "given", "whole"


@dataclass(frozen=True, slots=True)
class ChapterText:
    """One text of a work. A work with a single text has one chapter, number 1."""

    number: int
    title: str
    text: str
    published_at: datetime | None = None  # official publication, in UTC; None if the source does not say


@dataclass(frozen=True, slots=True)
class WorkFile:
    """A work read from a file or a folder.

    style: OWN, GIVEN, or the style of headings that a person chose; "" to choose the style that divides the work best.
    flaws: the parts that could not be read correctly, for the owner of the file.
    """

    title: str
    author: str
    chapters: tuple[ChapterText, ...]
    style: str = ""
    flaws: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkText:
    """One text of the reference corpus, by the digest of its content."""

    id: WorkTextId
    text: str


@dataclass(frozen=True, slots=True)
class StoredFingerprint:
    """A stored fingerprint.

    subject: a VersionId or a WorkTextId. payload: its first byte is the algorithm id; only matcher and pipeline read
    it.
    """

    subject: str
    algorithm_id: int
    payload: bytes
