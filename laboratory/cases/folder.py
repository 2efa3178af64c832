"""A folder of texts as sources of cases: most of the texts are works, the others are outside texts."""

import json
from collections.abc import Iterator
from pathlib import Path

from core.errors import BadInput, MalformedLine, UnreadableFile
from core.text import TextRange
from laboratory.cases.passages import PAGE_CHARS, cuts
from laboratory.cases.sources import Kind, Outside, Sources, Work
from laboratory.draws import generator, mixed

WORKS_SHARE = 0.7
MIN_TEXTS = 4


def sources(folder: Path, seed: int) -> Sources:
    """Return the sources: each .txt file, and each line of a .jsonl file with a "text", is one text.

    Raises UnreadableFile for a folder or file that cannot be read, MalformedLine, and BadInput for too few texts.
    """
    texts = [(name, text) for name, text in _texts(folder) if text.strip()]
    if len(texts) < MIN_TEXTS:
        raise BadInput("laboratory.few-texts", folder=folder, texts=len(texts), least=MIN_TEXTS)
    order = mixed(generator(seed, "folder"), texts)
    inside = max(2, min(round(WORKS_SHARE * len(order)), len(order) - 1))
    works = [_work(name, text) for name, text in order[:inside]]
    return Sources(tuple(works), tuple(Outside(Kind.GENRE, text) for _, text in order[inside:]))


def _work(name: str, text: str) -> Work:
    return Work(name, Path(name).stem, text, tuple(cuts(text, PAGE_CHARS)) or (TextRange(0, len(text)),))


def _texts(folder: Path) -> Iterator[tuple[str, str]]:
    if not folder.is_dir():
        raise UnreadableFile(folder, "laboratory.no-folder")
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".txt":
            yield path.relative_to(folder).as_posix(), _content(path)
        elif path.suffix == ".jsonl":
            yield from _lines(path, path.relative_to(folder).as_posix())


def _lines(path: Path, name: str) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(_content(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise MalformedLine(path, number, "laboratory.no-json", error=error) from error
        if not isinstance(record, dict) or not isinstance(record.get("text"), str):
            raise MalformedLine(path, number, "laboratory.lacks-text")
        yield f"{name}:{number}", record["text"]


def _content(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableFile(path, "laboratory.no-utf-8") from error
    except OSError as error:
        raise UnreadableFile(path, "file.cannot-be-read", error=error.strerror or error) from error
