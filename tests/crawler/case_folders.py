"""Cases that are folders of files under tests/crawler/cases: a page, what it refers to, and what is expected of it.

Any folder with an expected.json is a case of the kind that the folder around it names; nothing else is to be written.
"""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent / "cases"


@dataclass(frozen=True)
class Case:
    """One folder."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def body(self) -> bytes:
        """The page as a server sends it."""
        return (self.folder / "page.html").read_bytes()

    @cached_property
    def expected(self) -> dict[str, Any]:
        found = json.loads((self.folder / "expected.json").read_text(encoding="utf-8"))
        assert isinstance(found, dict), self.folder
        return found

    @property
    def text(self) -> str:
        """Return what is expected to be read."""
        return "\n".join(self.expected["text"])

    @property
    def files(self) -> dict[str, bytes]:
        """Return what the page may refer to, by name."""
        own = ("page.html", "expected.json")
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.name not in own}


def cases(kind: str) -> list[Case]:
    """All cases of a kind, by name."""
    return [Case(path.parent) for path in sorted((ROOT / kind).glob("*/expected.json"))]


def case(kind: str, name: str) -> Case:
    """One of them."""
    return Case(ROOT / kind / name)
