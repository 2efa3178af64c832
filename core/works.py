"""The reference corpus: the texts that a rights holder owns."""

from dataclasses import dataclass
from datetime import datetime

from core.ids import WorkTextId
from core.wording import Message

# How a work is divided: as the file says by itself, one chapter a file or line, or not at all.
OWN, GIVEN, WHOLE = "own", "given", "whole"


@dataclass(frozen=True, slots=True)
class ChapterText:
    """One text of a work. A work that is one text has one chapter, number 1."""

    number: int
    title: str
    text: str
    published_at: datetime | None = None  # officially, in UTC; None where the source does not say


@dataclass(frozen=True, slots=True)
class WorkFile:
    """What was read from a file or folder: one work.

    style: OWN, GIVEN, or the style of headings that a person chose; "" for the one that divides it best. flaws: what of
    it could not be read as it is, for whoever has the file.
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
    """A fingerprint as it is kept.

    `payload` begins with the algorithm id (one byte); only matcher and pipeline look in.
    `subject` is a VersionId or a WorkTextId.
    """

    subject: str
    algorithm_id: int
    payload: bytes
