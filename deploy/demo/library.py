"""The works of the demo."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.works import ChapterText

WORKS_FOLDER = Path(__file__).with_name("works")


@dataclass(frozen=True, slots=True)
class DemoWork:
    """A work of the demo."""

    key: str
    title: str
    author: str
    kind: str  # novel, news, essay, story
    rights_holder: str
    chapters: tuple[ChapterText, ...]

    def chapter(self, number: int) -> ChapterText:
        return self.chapters[number - 1]


def load_works(folder: Path = WORKS_FOLDER) -> dict[str, DemoWork]:
    """Return all works by key, novels first."""
    novels = [_read_novel(manifest.parent) for manifest in sorted(folder.glob("*/work.toml"))]
    singles = [_read_single_work(folder, entry) for entry in _read_manifest(folder / "works.toml")["work"]]
    return {work.key: work for work in [*novels, *singles]}


def _read_novel(folder: Path) -> DemoWork:
    entry = _read_manifest(folder / "work.toml")
    files = sorted(folder.glob("*.txt"))
    chapters = tuple(ChapterText(number, *_read_title(path)) for number, path in enumerate(files, 1))
    return DemoWork(folder.name, entry["title"], entry["author"], entry["kind"], entry["rights_holder"], chapters)


def _read_single_work(folder: Path, entry: dict[str, str]) -> DemoWork:
    chapters = (ChapterText(1, *_read_title(folder / entry["file"])),)
    return DemoWork(entry["key"], entry["title"], entry["author"], entry["kind"], entry["rights_holder"], chapters)


def _read_title(path: Path) -> tuple[str, str]:
    title, _, text = path.read_text(encoding="utf-8").strip().partition("\n")
    return title, text


def _read_manifest(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
