"""Writes the unchanged records of third-party archives into a file next to the bundle's own archive.

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
    """An original record. part: the index of its page. said: its entry in page.json."""

    part: int
    original: ArchivedRecord
    said: dict[str, Any]


def place_originals(parts: Iterable[Part]) -> list[PlacedOriginal]:
    """Return the original records of all parts in order. `at` in an entry is the offset in the decompressed file."""
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
    """Return the contents of the files with original records by path; empty if there are no such records."""
    contents: dict[str, bytes] = {}
    for each in place_originals(parts):
        file = original_file(each.original)
        member = gzip.compress(each.original.content + _record_end(file), mtime=0)
        contents[file] = contents.get(file, b"") + member
    return contents


def original_file(original: ArchivedRecord) -> str:
    """Return the path of the file in a bundle that contains an original record of this kind, WARC or ARC."""
    return WARC_FILE if original.content.startswith(b"WARC/") else ARC_FILE


def _record_end(file: str) -> bytes:
    return _WARC_END if file == WARC_FILE else _ARC_END
