"""What comes out of an archive, and where a reading of one stands."""

from dataclasses import dataclass, field
from datetime import datetime

from core.captures import Capture
from core.wording import Message


@dataclass(frozen=True, slots=True)
class Position:
    """Where a record begins: which archive of the file, at which byte; of what is unpacked where `is_unpacked`."""

    member: int = 0
    offset: int = 0
    is_unpacked: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """max_body_bytes: a longer body is cut off there and counted."""

    max_body_bytes: int


@dataclass(frozen=True, slots=True)
class Captured:
    """One response. fetched_at: WARC-Date. record: what evidence calls it. position: of the record.

    concurrent_to: the record that it names as fetched with it. capture: what the archive says of how it was fetched,
    with the records themselves.
    """

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    fetched_at: datetime
    record: str
    position: Position
    is_truncated: bool
    is_revisit: bool
    body: bytes
    capture: Capture
    concurrent_to: str = ""


@dataclass(frozen=True, slots=True)
class PassedBy:
    """A record that is no page, and why in a word."""

    reason: str
    position: Position


@dataclass(slots=True)
class ImportCounts:
    """What became of the records of a file. passed_by: by the reasons of `archive_records` and core.states."""

    records: int = 0
    stored: int = 0
    new_versions: int = 0
    truncated: int = 0
    revisits: int = 0
    bytes_read: int = 0
    passed_by: dict[str, int] = field(default_factory=dict)
    faults: list[Message] = field(default_factory=list)
