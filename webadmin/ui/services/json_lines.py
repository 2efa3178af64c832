"""Reads files with one JSON object on each line, and reports malformed lines by number."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import BadInput, MalformedLine, UnreadableFile
from core.wording import Message

MAX_LINE_BYTES = 64 * 1024 * 1024

Complain = Callable[[BadInput], None]


@dataclass(frozen=True, slots=True)
class JsonRecord:
    """A JSON object from one line of a file."""

    line_number: int
    values: dict[str, Any]

    def string(self, path: Path, name: str) -> str:
        """Return the string with this name. Raises MalformedLine if it is missing, empty or not a string.

        path: the file, for the error.
        """
        value = self.values.get(name)
        if not isinstance(value, str) or not value:
            raise MalformedLine(path, self.line_number, "batch.lacks", name=name)
        return value


def records(path: Path, skip: Complain) -> Iterator[JsonRecord]:
    """Yield the lines that are JSON objects, and call `skip` with the error for each other line.

    Raises UnreadableFile if the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            number = 0
            while data := file.readline(MAX_LINE_BYTES + 1):
                number += 1
                is_long = len(data) > MAX_LINE_BYTES
                rest = data
                while is_long and rest and not rest.endswith(b"\n"):
                    rest = file.readline(MAX_LINE_BYTES)
                if not data.strip():
                    continue
                record = _parse_line(path, number, data, is_long)
                if isinstance(record, JsonRecord):
                    yield record
                else:
                    skip(record)
    except OSError as error:
        raise UnreadableFile(path, _json_fault(error)) from error


def _json_fault(error: OSError) -> Message:
    if isinstance(error, IsADirectoryError):
        return Message("batch.folder")
    if isinstance(error, FileNotFoundError):
        return Message("batch.no-file")
    return Message("batch.system", reason=error.strerror or error)


def _parse_line(path: Path, number: int, data: bytes, is_long: bool) -> JsonRecord | MalformedLine:
    if is_long:
        return MalformedLine(path, number, "batch.too-long", megabytes=MAX_LINE_BYTES // (1024 * 1024))
    try:
        values = json.loads(data.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError:
        return MalformedLine(path, number, "batch.not-utf8")
    except (ValueError, RecursionError) as error:
        return MalformedLine(path, number, "batch.no-json", reason=error)
    return JsonRecord(number, values) if isinstance(values, dict) else MalformedLine(path, number, "batch.no-object")
