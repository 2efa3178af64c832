"""A set of cases: works, pages and what each page truly took, and the files that hold them."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.errors import MalformedLine, UnreadableFile
from core.text import TextRange
from laboratory.cases.sources import Work
from laboratory.edits.edited import Passage
from laboratory.scores.detection_quality import Case

WORKS, PAGES, TRUTH, MANIFEST = "works.jsonl", "pages.jsonl", "truth.jsonl", "manifest.json"


@dataclass(frozen=True, slots=True)
class CaseSet:
    """Works and the pages to be compared with them. material: origin of the confusion sets, "" if unknown."""

    works: tuple[Work, ...]
    cases: tuple[Case, ...]
    material: str = ""

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of each file as `write` writes it."""
        return {name: _digest(lines) for name, lines in self._files().items()}

    def _files(self) -> dict[str, Iterator[str]]:
        works = ({"work_id": work.work_id, "title": work.title, "text": work.text} for work in self.works)
        pages = ({"page_id": case.page_id, "text": case.text} for case in self.cases)
        return {WORKS: _lines(works), PAGES: _lines(pages), TRUTH: _lines(map(_truth, self.cases))}

    def write(self, folder: Path, settings: Mapping[str, Any]) -> None:
        """Write the three files and a manifest of their digests. Raises UnreadableFile if they cannot be written."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, lines in self._files().items():
                with (folder / name).open("w", encoding="utf-8", newline="\n", errors="surrogatepass") as file:
                    file.writelines(lines)
            manifest = {**settings, **self.summary(), "sha256": self.digests()}
            text = json.dumps(manifest, ensure_ascii=False, indent=1)
            (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
        except OSError as error:
            raise UnreadableFile(folder, "laboratory.cannot-be-written", error=error.strerror or error) from error

    def summary(self) -> dict[str, Any]:
        """Return the numbers of works, pages and characters, and the material."""
        classes: dict[str, int] = {}
        for case in self.cases:
            classes[case.case_class] = classes.get(case.case_class, 0) + 1
        return {
            "works": len(self.works),
            "works_chars": sum(len(work.text) for work in self.works),
            "pages": len(self.cases),
            "pages_chars": sum(len(case.text) for case in self.cases),
            "classes": classes,
            "material": self.material,
        }


def numbered(cases: Iterable[Case]) -> tuple[Case, ...]:
    """Return the cases with ids made of their class and their number within it."""
    counts: dict[str, int] = {}
    result = []
    for case in cases:
        count = counts[case.case_class] = counts.get(case.case_class, 0) + 1
        result.append(replace(case, page_id=f"{case.case_class}-{count:05d}"))
    return tuple(result)


def read_case_set(folder: Path) -> CaseSet:
    """Return the case set that `write` wrote. Raises UnreadableFile and MalformedLine."""
    works = tuple(
        Work(record["work_id"], record.get("title", ""), record["text"], (TextRange(0, len(record["text"])),))
        for record in _records(folder / WORKS, ("work_id", "text"))
    )
    texts = {record["page_id"]: record["text"] for record in _records(folder / PAGES, ("page_id", "text"))}
    truth = _records(folder / TRUTH, ("page_id", "cls", "attack", "strength", "spans"))
    return CaseSet(works, tuple(_case(record, texts[record["page_id"]]) for record in truth), _material(folder))


def _material(folder: Path) -> str:
    """Return the material in the manifest, or "" without one, because cases may come from elsewhere."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    except (OSError, ValueError):
        return ""
    return str(manifest.get("material", "")) if isinstance(manifest, dict) else ""


def _case(record: Mapping[str, Any], text: str) -> Case:
    passages = tuple(
        Passage(
            span["work_id"],
            TextRange(span["page_start"], span["page_end"]),
            TextRange(span["work_start"], span["work_end"]),
        )
        for span in record["spans"]
    )
    also = tuple(record.get("also", ()))
    is_span_scored = bool(record.get("span_scored", True))
    head = (str(record["cls"]), str(record["attack"]), record["strength"], text)
    return Case(*head, passages, also, is_span_scored, str(record["page_id"]))


def _truth(case: Case) -> dict[str, Any]:
    return {
        "page_id": case.page_id,
        "cls": case.case_class,
        "attack": case.attack,
        "strength": case.strength,
        "span_scored": case.is_span_scored,
        "spans": [{"work_id": each.work_id, **span_record(each)} for each in case.passages],
        "also": list(case.also),
    }


def span_record(passage: Passage) -> dict[str, Any]:
    """Return the record of a passage's place in page and work, in the format of `zhuiwen batch`."""
    page, work = passage.page, passage.work
    return {"page_start": page.start, "page_end": page.end, "work_start": work.start, "work_end": work.end}


def _lines(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    return (json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _digest(lines: Iterable[str]) -> str:
    hasher = hashlib.sha256()
    for line in lines:
        hasher.update(line.encode("utf-8", "surrogatepass"))
    return hasher.hexdigest()


def _records(path: Path, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8", errors="surrogatepass") as lines:
            for number, line in enumerate(lines, 1):
                record = json.loads(line)
                if not isinstance(record, dict) or any(name not in record for name in names):
                    raise MalformedLine(path, number, "laboratory.lacks-one-of", names=names)
                yield record
    except OSError as error:
        raise UnreadableFile(path, "file.cannot-be-read", error=error.strerror or error) from error
    except ValueError as error:
        raise UnreadableFile(path, "laboratory.no-json-lines", error=error) from error
