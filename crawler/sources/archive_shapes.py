"""Records of what an archive holds, and of the position of its reader."""

from dataclasses import dataclass, field
from datetime import datetime

from core.captures import Capture
from core.states import ArchiveReason, Rejection
from core.wording import Message


@dataclass(frozen=True, slots=True)
class RecordPosition:
    """The start of a record: the archive in the file, and the byte; of the unpacked stream where `is_unpacked`."""

    member: int = 0
    offset: int = 0
    is_unpacked: bool = False


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """max_body_bytes: a longer body is cut off there and counted."""

    max_body_bytes: int


@dataclass(frozen=True, slots=True)
class Captured:
    """One response. fetched_at: WARC-Date. record: its name in evidence. position: of the record.

    concurrent_to: the record that it names as fetched with it. capture: what the archive says of how it was fetched,
    with the records themselves. is_dated_by_server: fetched_at is the HTTP Date, since the archive states none.
    """

    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    fetched_at: datetime
    record: str
    position: RecordPosition
    is_truncated: bool
    is_revisit: bool
    body: bytes
    capture: Capture
    concurrent_to: str = ""
    is_dated_by_server: bool = False


@dataclass(frozen=True, slots=True)
class PassedBy:
    """A record that is not a page, and why."""

    reason: ArchiveReason | Rejection
    position: RecordPosition


@dataclass(slots=True)
class ImportCounts:
    """The numbers of a file's records by outcome. passed_by: by core.states.ArchiveReason and Rejection."""

    records: int = 0
    stored: int = 0
    new_versions: int = 0
    truncated: int = 0
    revisits: int = 0
    dated_by_server: int = 0
    bytes_read: int = 0
    passed_by: dict[str, int] = field(default_factory=dict)
    faults: list[Message] = field(default_factory=list)
