"""What comes out of an archive, and where a reading of one stands."""

from dataclasses import dataclass
from datetime import datetime

from core.captures import Capture


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
