"""Reads local files. Errors name the reason why a file cannot be read."""

from pathlib import Path

from core.errors import UnreadableFile
from core.wording import Message
from crawler.formats.plain import DecodedText, decode_text

MAX_TEXT_BYTES = 256 * 1024 * 1024  # the longest novels have 60 MB in UTF-8


def read_bytes(path: Path, limit: int = MAX_TEXT_BYTES) -> bytes:
    """Return the content of a file. Raises UnreadableFile if it is empty, over `limit` bytes or cannot be opened."""
    try:
        size = path.stat().st_size
        if size > limit:
            raise UnreadableFile(path, "intake.too-large", most=limit // (1024 * 1024))
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableFile(path, open_error_reason(error)) from error
    if not data:
        raise UnreadableFile(path, "intake.empty")
    return data


def read_text(path: Path) -> DecodedText:
    """Return the text of a .txt or .md file, with line feeds as line endings.

    Raises UnreadableFile if the file cannot be read or its encoding is unknown.
    """
    return decode_text(read_bytes(path), path)


def open_error_reason(error: OSError) -> Message:
    """Return the reason why the operating system did not open a file."""
    if isinstance(error, FileNotFoundError):
        return Message("intake.missing")
    if isinstance(error, IsADirectoryError):
        return Message("intake.a-folder")
    if isinstance(error, PermissionError):
        return Message("intake.not-permitted")
    return Message("file.cannot-be-read", error=error.strerror or error)
