"""Reads and writes a deterministic zip: the names and contents of its files determine every byte.

No byte can therefore change unnoticed. Files are stored, not compressed. Names are sorted, in UTF-8, and consist of
letters, digits and a few signs. There is one fixed date, and there are no extra fields, comments, gaps or ZIP64. Any
zip program can read it. Source: APPNOTE 6.3.10, sections 4.3.7, 4.3.12, 4.3.16, and appendix D for names beyond ASCII.
"""

import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import IO

from bundles.faults import DoesNotHold, Fault
from core.wording import Message

MAX_FILES = 10_000
MAX_BYTES = 2**31  # 2 GiB, half of the limit without ZIP64; a bundle with a screenshot has 1 to 5 MB
MAX_NAME_BYTES = 255  # the limit of file systems

# No character that hides or reorders text, or that is special in a shell, a list of digests or a file system.
_SIGN = r"\w（）《》“”、，。·\-"
_NAME = re.compile(rf"[{_SIGN}][{_SIGN}.]*(?:/[{_SIGN}][{_SIGN}.]*)*")
_LOCAL, _CENTRAL, _END = struct.Struct("<4s5H3I2H"), struct.Struct("<4s6H3I5H2I"), struct.Struct("<4s4H2IH")
_VERSION, _DATE = 20, 0x21  # "2.0"; 1980-01-01, the first day of zip
_UTF8 = 0x800  # the flag for names that are not ASCII
_UNIX, _FILE_MODE = 3 << 8, 0o100644 << 16

Content = bytes | memoryview


def write(files: Mapping[str, Content]) -> bytes:
    """Return the container of these files. Raises DoesNotHold if `read` would reject a name or the size."""
    return b"".join(pieces(files))


def write_container(out: IO[bytes], files: Mapping[str, Content]) -> None:
    """Write the container of these files to `out`, file by file. Raises DoesNotHold like `write`."""
    for piece in pieces(files):
        out.write(piece)


def pieces(files: Mapping[str, Content]) -> Iterator[Content]:
    """Yield the bytes of the container in order. The content of each file is looked up once, when it is needed."""
    _check_names(files)
    position, directory = 0, []
    for name in sorted(files):
        content = files[name]
        if position + len(content) + len(files) * 2 * (MAX_NAME_BYTES + 100) > MAX_BYTES:
            raise too_large()
        crc = zlib.crc32(content)
        head = _local_header(name, crc, len(content))
        yield head
        yield content
        directory.append(_central_header(name, crc, len(content), position))
        position += len(head) + len(content)
    yield from directory
    yield _end_record(len(directory), sum(map(len, directory)), position)


def read(data: memoryview, part: str) -> dict[str, memoryview]:
    """Return the files in a container by name, as views of `data`. part: the container's name, for errors.

    Raises DoesNotHold if any byte differs from the output of `write`.
    """
    if len(data) > MAX_BYTES:
        raise DoesNotHold(Fault.TOO_LARGE, part, limit=Message("flaw.bytes", bytes=MAX_BYTES))
    if len(data) < _END.size or bytes(data[:2]) != b"PK":
        raise DoesNotHold(Fault.NOT_A_CONTAINER, part, why=Message("flaw.no-zip"))
    files: dict[str, memoryview] = {}
    position, directory = 0, bytearray()
    while bytes(data[position : position + 4]) == b"PK\x03\x04":
        name, content, crc = _read_entry(data, position, part)
        if name in files or len(files) >= MAX_FILES:
            raise DoesNotHold(Fault.CONTAINER_CHANGED, part, position=position)
        directory += _central_header(name, crc, len(content), position)
        files[name] = content
        position += _LOCAL.size + len(name.encode()) + len(content)
    expected = bytes(directory) + _end_record(len(files), len(directory), position)
    if data[position:] != expected or list(files) != sorted(files):
        raise DoesNotHold(Fault.CONTAINER_CHANGED, part, position=position + _equal_prefix(data[position:], expected))
    return files


def required_file(files: Mapping[str, Content], name: str) -> bytes:
    """Return the content of the file `name`. Raises DoesNotHold if it is missing."""
    if name not in files:
        raise DoesNotHold(Fault.MISSING, name)
    return bytes(files[name])


def _read_entry(data: memoryview, position: int, part: str) -> tuple[str, memoryview, int]:
    """Return the name, content and CRC of the file at `position`.

    Raises DoesNotHold if a byte of its header or its CRC is wrong.
    """
    if position + _LOCAL.size > len(data):
        raise DoesNotHold(Fault.CONTAINER_CHANGED, part, position=position)
    fields = _LOCAL.unpack_from(data, position)
    name_start, size, name_bytes = position + _LOCAL.size, fields[8], fields[9]
    start = name_start + name_bytes
    if name_bytes > MAX_NAME_BYTES or start + size > len(data):
        raise DoesNotHold(Fault.CONTAINER_CHANGED, part, position=position)
    name = bytes(data[name_start:start]).decode("utf-8", "replace")
    if not _NAME.fullmatch(name):
        raise DoesNotHold(Fault.BAD_NAME, part, name=ascii(name))
    content = data[start : start + size]
    crc = zlib.crc32(content)
    expected = _local_header(name, fields[6], size)
    if data[position:start] != expected:
        raise DoesNotHold(
            Fault.CONTAINER_CHANGED, part, position=position + _equal_prefix(data[position:start], expected)
        )
    if crc != fields[6]:
        raise DoesNotHold(Fault.CHECKSUM, name)
    return name, content, crc


def _check_names(files: Mapping[str, Content]) -> None:
    for name in files:
        if not _NAME.fullmatch(name) or len(name.encode()) > MAX_NAME_BYTES:
            raise DoesNotHold(Fault.BAD_NAME, Message("flaw.file-to-write"), name=ascii(name))
    if len(files) > MAX_FILES:
        raise too_large()


def too_large() -> DoesNotHold:
    limit = Message("flaw.files-and-bytes", files=MAX_FILES, bytes=MAX_BYTES)
    return DoesNotHold(Fault.TOO_LARGE, Message("flaw.file-to-write"), limit=limit)


def _local_header(name: str, crc: int, size: int) -> bytes:
    said = name.encode()
    return _LOCAL.pack(b"PK\x03\x04", _VERSION, _name_flags(name), 0, 0, _DATE, crc, size, size, len(said), 0) + said


def _central_header(name: str, crc: int, size: int, position: int) -> bytes:
    said, made = name.encode(), (_UNIX | _VERSION, _VERSION, _name_flags(name), 0, 0, _DATE)
    fixed = (*made, crc, size, size, len(said), 0, 0, 0, 0, _FILE_MODE, position)
    return _CENTRAL.pack(b"PK\x01\x02", *fixed) + said


def _name_flags(name: str) -> int:
    return 0 if name.isascii() else _UTF8


def _end_record(files: int, directory_bytes: int, position: int) -> bytes:
    return _END.pack(b"PK\x05\x06", 0, 0, files, files, directory_bytes, position, 0)


def _equal_prefix(left: Content, right: Content) -> int:
    """Return the length of the longest common prefix."""
    return next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
