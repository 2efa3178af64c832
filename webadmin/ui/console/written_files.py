"""Checks the output path of a command before the work, and writes the file and reports it afterwards."""

from pathlib import Path

from core.errors import UnreadableFile
from core.wording import Message
from webadmin.ui.console.output import print_line


def require_folder(path: Path | None) -> None:
    """Raise UnreadableFile if the folder of a file does not exist. None is allowed."""
    if path is not None and not path.parent.is_dir():
        raise UnreadableFile(path, "cli.no-such-folder")


def write(path: Path, content: bytes) -> None:
    """Write a file and print its path. Raises UnreadableFile if it cannot be written."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UnreadableFile(path, "cli.cannot-write", reason=error.strerror or error) from error
    print_line(Message("cli.written-to", path=path))
