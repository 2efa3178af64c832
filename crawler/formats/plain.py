"""Decodes the bytes of a rights holder's text file, or refuses them with a reason.

The limits are stricter than those for pages. A page in a doubtful encoding is marked as doubtful, but a work in a
doubtful encoding would distort every comparison. A few lost characters are replaced and reported.
"""

import codecs
import re
from dataclasses import dataclass
from pathlib import Path

from core.errors import UnreadableFile
from core.states import Rejection
from core.text import storable
from core.wording import Message
from crawler.characters.decoding import CHINESE, decode
from crawler.characters.mojibake import MIN_QUALITY_TO_TRUST, frequent_share, quality
from crawler.characters.repertoire import count_han

MIN_UTF8_QUALITY = (
    # Wrong decodings score 0.05-0.70 (crawler.characters.decoding); valid UTF-8 is correct unless it was encoded twice.
    0.5
)

CHARS_FOR_A_BROKEN_ONE = 10_000  # a book may have one invalid byte; a book with more was decoded wrongly
MIN_CHARS_TO_LOSE_ONE = 1_000  # a short chapter; if a line or two has one lost character, all of it may be wrong
LOST = "\ufffd"
BYTES_OF_CHARACTER = 3  # in UTF-8, for the characters of books; each of these bytes may become one LOST
# After an invalid byte: the number of bytes that decide between the two ways to continue, and how many such positions a
# text may have, in total and per character. A text with more is in another encoding.
_BYTES_TO_TRY, _PLACES, _CHARS_OF_PLACE = 64, 20, 500
_IN_STEP = "zhuiwen.in-step"
MAX_PLACES = 5  # number of lines that a message names
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
TRIED = ("UTF-8", "GB18030", "Big5", "UTF-16")
_KINDS = (
    (b"%PDF", Message("intake.kind-pdf")),
    (b"PK\x03\x04", Message("intake.kind-zip")),
    (b"\xd0\xcf\x11\xe0", Message("intake.kind-old-word")),
    (b"{\\rtf", Message("intake.kind-rtf")),
    (b"Rar!", Message("intake.kind-rar")),
    (b"7z\xbc\xaf", Message("intake.kind-7z")),
    (b"\x1f\x8b", Message("intake.kind-gzip")),
    (b"\x89PNG", Message("intake.kind-picture")),
    (b"\xff\xd8\xff", Message("intake.kind-picture")),
    (b"GIF8", Message("intake.kind-picture")),
    (b"TPZ", Message("intake.kind-kindle")),
    (b"\x7fELF", Message("intake.kind-program")),
)


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The text of a file. lost: the number of undecodable characters, which became U+FFFD."""

    text: str
    lost: int = 0

    def flaws(self) -> tuple[Message, ...]:
        """Return messages about the lines with lost characters, for the owner of the file."""
        if not self.lost:
            return ()
        lines = [number for number, line in enumerate(self.text.split("\n"), 1) if LOST in line]
        more = [Message("corpus.and-more", count=len(lines) - MAX_PLACES)] if len(lines) > MAX_PLACES else []
        return (Message("intake.replaced", count=self.lost, lines=[*map(str, lines[:MAX_PLACES]), *more]),)


def decode_text(data: bytes, path: Path | str) -> DecodedText:
    """Decode a Chinese text file. Raises UnreadableFile if it is binary, not Chinese or in no certain encoding."""
    kind = kind_of_binary(data)
    if kind is not None:
        raise UnreadableFile(path, "intake.not-text", kind=kind)
    characters, lost = _decode_characters(data, path)
    text = normalize_text(characters)
    return DecodedText(require_chinese(text, path), lost)


def kind_of_binary(data: bytes) -> Message | None:
    """Return the kind of binary file that the first bytes of `data` indicate, or None."""
    return next((kind for mark, kind in _KINDS if data.startswith(mark)), None)


def decode_with_replacement(data: bytes, codec: str) -> tuple[str, int]:
    """Decode with U+FFFD for invalid bytes. Also return the number of lost characters."""
    try:
        return data.decode(codec), 0
    except UnicodeDecodeError:
        text = data.decode(codec, "replace")
        if codec in CHINESE and text.count(LOST) <= max(_PLACES, len(text) // _CHARS_OF_PLACE):
            text = data.decode(codec, _IN_STEP)
        written = LOST.encode(codec, "ignore")  # empty if the encoding lacks U+FFFD
        return text, max(1, _count_lost(text) - (data.count(written) if written else 0))


def _count_lost(text: str) -> int:
    return sum(-(-len(run) // BYTES_OF_CHARACTER) for run in re.findall(f"{LOST}+", text))


def _replace_byte(fault: UnicodeError) -> tuple[str, int]:
    """Return the replacement for an invalid byte, and the index at which decoding continues.

    The next byte may be the second byte of the same character. If it were decoded as a first byte, the rest of the line
    would be garbled.
    """
    assert isinstance(fault, UnicodeDecodeError)
    behind = fault.object[fault.start + 1 :][:_BYTES_TO_TRY].partition(b"\n")[0]
    ways = [way.decode(fault.encoding, "replace").rstrip(LOST) for way in (behind, behind[1:])]
    worths = [quality(way, fault.encoding) + frequent_share(way) for way in ways]
    is_second = behind[:1] >= b"\x80" and worths[1] > worths[0]
    return LOST, fault.start + 1 + is_second


codecs.register_error(_IN_STEP, _replace_byte)


def normalize_text(text: str) -> str:
    """Remove a byte order mark and characters that cannot be stored, and convert line endings to line feeds."""
    return storable(re.sub("\r\n?", "\n", text.removeprefix("\ufeff")))


def require_chinese(text: str, path: Path | str) -> str:
    """Return `text` unchanged.

    Raises UnreadableFile if it has no Chinese character, because no copy of it could be found.
    """
    if not count_han(text):
        raise UnreadableFile(path, "intake.no-chinese")
    return text


def _decode_characters(data: bytes, path: Path | str) -> tuple[str, int]:
    """Return the decoded text and the number of its lost characters.

    Raises UnreadableFile if no encoding is certain.
    """
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return _decode_with_few_losses(data[len(mark) :], codec, path, len(mark))
    text = _decode_utf8(data) or _decode_utf16(data)
    if text:
        return text, 0
    found = decode(data)
    if isinstance(found, Rejection):
        raise UnreadableFile(path, "intake.no-encoding", tried=TRIED)
    text, lost = _decode_with_few_losses(data, found.encoding, path)
    if not lost and not found.is_doubtful:
        return found.text, 0
    if quality(text, found.encoding) < MIN_QUALITY_TO_TRUST:
        raise UnreadableFile(path, "intake.doubtful-encoding", tried=TRIED, name=_codec_name(found.encoding))
    return text, lost


def _decode_utf8(data: bytes) -> str | None:
    """Return the text if all bytes are valid UTF-8 and the text is not mojibake, or else None."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if quality(text.replace("\x00", "")) >= MIN_UTF8_QUALITY else None


def _decode_utf16(data: bytes) -> str | None:
    """Return the text of a UTF-16 file without byte order mark; None if neither byte order yields running Chinese."""
    if len(data) % 2:
        return None
    for codec in ("utf-16-le", "utf-16-be"):
        try:
            text = data.decode(codec)
        except UnicodeDecodeError:
            continue
        if count_han(text) and quality(text, codec) >= MIN_QUALITY_TO_TRUST:
            return text
    return None


def _decode_with_few_losses(data: bytes, codec: str, path: Path | str, at: int = 0) -> tuple[str, int]:
    """Decode with U+FFFD for invalid bytes. Raises UnreadableFile if more than a few characters are lost.

    at: the number of bytes in the file before `data`
    """
    text, lost = decode_with_replacement(data, codec)
    if lost * CHARS_FOR_A_BROKEN_ONE > len(text) and (lost > 1 or len(text) < MIN_CHARS_TO_LOSE_ONE):
        try:
            data.decode(codec)
        except UnicodeDecodeError as error:
            at += error.start
        raise UnreadableFile(
            path, "intake.broken-characters", name=_codec_name(codec), count=lost, chars=len(text), at=at
        )
    return text, lost


def _codec_name(codec: str) -> str:
    return {"gb18030": "GB18030", "big5hkscs": "Big5", "utf-8": "UTF-8"}.get(codec, codec.upper())
