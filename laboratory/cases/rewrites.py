"""Passages of the demo's works reworded or in English, and English passages in Chinese, written by hand.

There is one file for each manner in `reworded/`. A passage is named by its first and last characters, which occur once
in its work.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from core.text import TextRange

FOLDER = Path(__file__).with_name("reworded")
WORKS = Path(__file__).parents[2] / "deploy" / "demo" / "works"


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A text and the passage that it rewrites.

    manner: name of its file. work: name of the work in the demo without suffix, or the rewrite's own id if `source` is
    the whole work. place: of the passage in `source`.
    """

    rewrite_id: str
    manner: str
    strength: str
    text: str
    work: str
    source: str
    place: TextRange

    @property
    def passage(self) -> str:
        """The original passage that was rewritten."""
        return self.source[self.place.start : self.place.end]


@cache
def rewrites() -> tuple[Rewrite, ...]:
    """Return all rewrites, by manner. Raises ValueError if a passage does not occur exactly once in its work."""
    return tuple(
        _rewrite(path.stem, row)
        for path in sorted(FOLDER.glob("*.toml"))
        for row in tomllib.loads(path.read_text("utf-8"))["passage"]
    )


def _rewrite(manner: str, row: Mapping[str, Any]) -> Rewrite:
    text = row["text"].strip()
    if "source" in row:
        source = row["source"].strip()
        return Rewrite(row["id"], manner, row["strength"], text, row["id"], source, TextRange(0, len(source)))
    source = (WORKS / row["work"]).read_text("utf-8")
    if (source.count(row["begins"]), source.count(row["ends"])) != (1, 1):
        raise ValueError(f"{row['id']}: begins or ends stands not once in {row['work']}")
    place = TextRange(source.index(row["begins"]), source.index(row["ends"]) + len(row["ends"]))
    return Rewrite(row["id"], manner, row["strength"], text, row["work"].removesuffix(".txt"), source, place)
