"""Writes the settings files and preserves a person's comments and layout."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import ParseError

from core.errors import BadConfiguration
from core.private_files import write_privately


def change(path: Path, sets: Mapping[str, Any], unsets: tuple[str, ...] = (), head: str = "") -> None:
    """Set and remove names in a file, which is created if missing and readable only by this user.

    head: comment of a new file. After a power loss the old or the new file exists, complete. Raises BadConfiguration.
    """
    try:
        text = path.read_text("utf-8") if path.exists() else "".join(f"# {line}\n" for line in head.splitlines())
        document = tomlkit.parse(text)
    except (OSError, ValueError, ParseError) as error:
        raise BadConfiguration("config.unreadable", path=path, reason=error) from error
    for name in unsets:
        document.pop(name, None)
    for name, value in sets.items():
        document[name] = _toml_value(value)
    if tomlkit.dumps(document) != text or not path.exists():
        write_privately(path, tomlkit.dumps(document))


def write(path: Path, values: Mapping[str, Any], head: str) -> None:
    """Write a new file with only these values under a comment, readable only by this user."""
    document = tomlkit.document()
    document.add(tomlkit.comment(head))
    for name, value in values.items():
        document[name] = _toml_value(value)
    write_privately(path, tomlkit.dumps(document))


def _toml_value(value: Any) -> Any:
    """Convert a value for TOML."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return list(value) if isinstance(value, tuple) else value
