"""What a measurement found: tables on the terminal, all figures in a file."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from core.errors import UnreadableFile
from core.wording import Message
from deploy.cli.output import say, table


def require_folder(path: Path | None) -> None:
    """Raises UnreadableFile where a file could not be written in the end."""
    if path is not None and not path.parent.is_dir():
        raise UnreadableFile(path, "cli.no-such-folder")


def show(tables: Iterable[Any]) -> None:
    """Each under its title, after an empty line."""
    for each in tables:
        say("")
        say(each.title)
        table(each.columns, each.rows, right=each.right)


def write_figures(path: Path | None, figures: object) -> None:
    """Write figures as JSON where a file is given. Raises UnreadableFile."""
    if path is not None:
        text = json.dumps(figures, ensure_ascii=False, indent=1) + "\n"
        write(path, text.encode("utf-8", "surrogatepass"))


def write(path: Path, content: bytes) -> None:
    """Write a file and say so. Raises UnreadableFile."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UnreadableFile(path, "cli.cannot-write", reason=error.strerror or error) from error
    say(Message("cli.written-to", path=path))
