"""Unchanged records from third-party archives, in a file next to the bundle's own archive.

They are separate because they may have another WARC version, other kinds of digests, and headers that a replay of the
bundle would show twice. Each record is compressed separately, as in archives.
"""

import gzip
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from bundles.records import Part
from bundles.secrets_withheld import starred_headers
from core.captures import ArchivedRecord
from core.ids import digest

WARC_FILE, ARC_FILE = "evidence/original.warc.gz", "evidence/original.arc.gz"
_WARC_END, _ARC_END = b"\r\n\r\n", b"\n"


@dataclass(frozen=True, slots=True)
class PlacedOriginal:
    """An original record, its part, and its entry in page.json."""

    part: int
    original: ArchivedRecord
    said: dict[str, Any]


def place_originals(parts: Iterable[Part]) -> list[PlacedOriginal]:
    """Return the original records of all parts in order; `at` is the offset in the unpacked file."""
    ends = {WARC_FILE: 0, ARC_FILE: 0}
    found = []
    for number, part in enumerate(parts):
        for original in part.capture.records:
            file = original_file(original)
            said = {
                "archive": original.file,
                "member": original.member,
                "offset": original.offset,
                "digest": digest(original.content),
                "bytes": len(original.content),
                "file": file,
                "at": ends[file],
                "withheld": starred_headers(original.content),
            }
            ends[file] += len(original.content) + len(_record_end(file))
            found.append(PlacedOriginal(number, original, said))
    return found


def files(parts: Iterable[Part]) -> dict[str, bytes]:
    """Return the files of original records, if there are any."""
    contents: dict[str, bytes] = {}
    for each in place_originals(parts):
        file = original_file(each.original)
        member = gzip.compress(each.original.content + _record_end(file), mtime=0)
        contents[file] = contents.get(file, b"") + member
    return contents


def original_file(original: ArchivedRecord) -> str:
    """Return the path of an original record in a bundle."""
    return WARC_FILE if original.content.startswith(b"WARC/") else ARC_FILE


def _record_end(file: str) -> bytes:
    return _WARC_END if file == WARC_FILE else _ARC_END
