"""The texts that the demo is made of: the works, and the innocent texts that stand beside the copies."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.works import Chapter

WORKS_FOLDER = Path(__file__).with_name("works")
OTHERS_FOLDER = Path(__file__).with_name("others")
EXCERPT_PLACE = "＊＊＊"  # the line of a carrier where an excerpt is set in


@dataclass(frozen=True, slots=True)
class DemoWork:
    """One work. `path`: the folder of chapters or the single file that `zhuiwen work add` reads."""

    key: str
    title: str
    author: str
    kind: str  # novel, news, essay, story
    rights_holder: str
    path: Path
    chapters: tuple[Chapter, ...]

    def chapter(self, number: int) -> Chapter:
        return self.chapters[number - 1]


@dataclass(frozen=True, slots=True)
class Quote:
    """A passage that an innocent text cites from a work, word for word."""

    work: str
    text: str


@dataclass(frozen=True, slots=True)
class OtherText:
    """A text that is nobody's copy. A carrier has two parts: what stands before an excerpt and what stands after it."""

    key: str
    title: str
    author: str
    parts: tuple[str, ...]
    quotes: tuple[Quote, ...] = ()

    @property
    def text(self) -> str:
        return "\n".join(self.parts)

    @property
    def is_carrier(self) -> bool:
        return len(self.parts) == 2


@dataclass(frozen=True, slots=True)
class Library:
    """Everything that the demo's pages are made of, by key."""

    works: dict[str, DemoWork]
    others: dict[str, OtherText]


def load_library() -> Library:
    """The works and the innocent texts that come with the product."""
    return Library(load_works(), load_others())


def load_works(folder: Path = WORKS_FOLDER) -> dict[str, DemoWork]:
    """All works by key, novels first."""
    novels = [_novel(manifest.parent) for manifest in sorted(folder.glob("*/work.toml"))]
    singles = [_single(folder, entry) for entry in _manifest(folder / "works.toml")["work"]]
    return {work.key: work for work in [*novels, *singles]}


def load_others(folder: Path = OTHERS_FOLDER) -> dict[str, OtherText]:
    """All innocent texts by key, in the manifest's order."""
    texts = [_other(folder, entry) for entry in _manifest(folder / "others.toml")["text"]]
    return {text.key: text for text in texts}


def _novel(folder: Path) -> DemoWork:
    entry = _manifest(folder / "work.toml")
    files = sorted(folder.glob("*.txt"))
    chapters = tuple(Chapter(number, *_titled(path)) for number, path in enumerate(files, 1))
    return DemoWork(
        folder.name, entry["title"], entry["author"], entry["kind"], entry["rights_holder"], folder, chapters
    )


def _single(folder: Path, entry: dict[str, str]) -> DemoWork:
    path = folder / entry["file"]
    chapters = (Chapter(1, *_titled(path)),)
    return DemoWork(
        entry["key"], entry["title"], entry["author"], entry["kind"], entry["rights_holder"], path, chapters
    )


def _other(folder: Path, entry: dict[str, Any]) -> OtherText:
    title, text = _titled(folder / entry["file"])
    parts = tuple(part.strip("\n") for part in text.split(EXCERPT_PLACE))
    quotes = tuple(Quote(quote["work"], quote["text"]) for quote in entry.get("quotes", ()))
    return OtherText(entry["key"], title, entry["author"], parts, quotes)


def _titled(path: Path) -> tuple[str, str]:
    title, _, text = path.read_text(encoding="utf-8").strip().partition("\n")
    return title, text


def _manifest(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
