"""The files that `zhuiwen batch` reads and writes: works, pages and matches, a record a line."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def write(path: Path, rows: Iterable[dict[str, Any] | str]) -> Path:
    """Write records as lines; what is text already is a line as it is."""
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def read(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Read the matches of each page."""
    records = (json.loads(line) for line in path.read_text("utf-8").splitlines())
    return {record["page_id"]: record["matches"] for record in records}
