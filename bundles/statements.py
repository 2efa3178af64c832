"""Reads and writes the JSON files of an export: the list of its files, the case, and the proof of each bundle."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from bundles import layout
from bundles.canonical import canonical, sha256
from bundles.container import required_file
from bundles.faults import DoesNotHold, Fault
from bundles.merkle import MAX_DEPTH
from bundles.opened import OpenedBundle
from bundles.records import CaseMaterial, DayProof, Enclosure, TimeStamp
from bundles.shapes import moment
from core.ids import Digest
from core.wording import Message

_HEX = re.compile(r"[0-9a-f]{64}")
MAX_STAMPS = 16

Content = bytes | memoryview


@dataclass(frozen=True, slots=True)
class ListedFile:
    """An entry in a list of files. size: in bytes."""

    sha256: Digest
    size: int


def list_files(files: Mapping[str, Content]) -> dict[str, ListedFile]:
    """Return the entry of each file by name. Each content is looked up once."""
    return {name: ListedFile(sha256(content), len(content)) for name, content in files.items()}


def manifest(files: Mapping[str, ListedFile], about: Mapping[str, int], created: datetime, code_version: str) -> bytes:
    """Return the content of manifest.json: the list of all files except itself, SHA256SUMS and the seal.

    about: the number of the exported case, matter or lead: {"case": number}, {"matter": number} or {"lead": number}.
    """
    entries = [{"path": name, "sha256": each.sha256, "bytes": each.size} for name, each in sorted(files.items())]
    return canonical(
        {
            "format": layout.FORMAT,
            "version": layout.VERSION,
            **about,
            "created": moment(created),
            "code_version": code_version,
            "files": entries,
        }
    )


def sums(files: Mapping[str, ListedFile]) -> bytes:
    """Return the content of SHA256SUMS, which `sha256sum -c` reads and which lists all files except itself."""
    names = sorted(name for name in files if layout.case_export_name(name) != layout.SUMS)
    return "".join(f"{files[name].sha256}  {name}\n" for name in names).encode()


def case(
    material: CaseMaterial, bundles: Sequence[OpenedBundle], placed: Mapping[Digest, "BundlePlace"] | None = None
) -> bytes:
    """Return the content of case.json: the facts of the case, with entries read from its bundles.

    placed: the paths of the bundles by digest, in the export of a matter.
    """
    return canonical(
        {
            "case": material.case,
            "facts": dict(material.facts),
            "history": [dict(event) for event in material.history],
            "bundles": [bundle_entry(each, placed[each.digest] if placed else None) for each in bundles],
            "papers": [paper_entry(each) for each in material.papers],
            "left_out": [str(each) for each in material.left_out],
        }
    )


@dataclass(frozen=True, slots=True)
class BundlePlace:
    """The path of a bundle in the export of a matter, and the copies of its renderings by name."""

    file: str
    shown: Mapping[str, str]

    def as_dict(self) -> dict[str, Any]:
        return {"file": self.file, "shown": dict(self.shown)}


def paper_entry(paper: Enclosure, file: str = "") -> dict[str, Any]:
    """Return the entry of an enclosed document. file: its path in the export, by default named by its digest."""
    file = file or layout.paper_file(paper.digest, paper.ending)
    return {"file": file, "sha256": paper.digest, "name": paper.name} | dict(paper.facts)


def bundle_entry(bundle: OpenedBundle, placed: BundlePlace | None = None) -> dict[str, Any]:
    """Return the entry of a bundle in case.json. placed: its path in the export of a matter."""
    finding = bundle.finding
    return (
        _common_entry(bundle)
        | (placed.as_dict() if placed else {})
        | {
            "work": finding["work"],
            "similarity": finding["similarity"],
            "passages": len(finding["passages"]),
            "algorithm_id": finding["algorithm_id"],
        }
    )


def lead(number: int, facts: Mapping[str, Any], bundle: OpenedBundle) -> bytes:
    """Return the content of lead.json: the facts of a confirmed rewrite, with an entry read from its bundle."""
    return canonical({"lead": number, "facts": dict(facts), "bundles": [lead_bundle_entry(bundle)]})


def lead_bundle_entry(bundle: OpenedBundle) -> dict[str, Any]:
    """Return the entry of a bundle in lead.json."""
    found = bundle.finding
    return _common_entry(bundle) | {
        "work": {name: value for name, value in found["work"].items() if name != "passage"},
        "score": found["score"],
        "pairs": len(found["pairs"]),
        "algorithm_version": found["algorithm_version"],
    }


def _common_entry(bundle: OpenedBundle) -> dict[str, Any]:
    """Return the fields that the entries in case.json and lead.json share."""
    page, found = bundle.page, bundle.finding
    return {
        "digest": bundle.digest,
        "file": layout.bundle_file(bundle.digest),
        "url": page["url"],
        "title": page["title"],
        "fetched_at": page["fetched_at"],
        "body_digest": page["body_digest"],
        "text_digest": page["text_digest"],
        "class": found["class"],
        "code_version": found["code_version"],
    }


def proof(bundle: Digest, found: DayProof) -> bytes:
    """Return the JSON file of a bundle's proof: its audit path, and the folders of the timestamps on the root."""
    stamps = [
        {"folder": layout.stamp_folder(found.root, number), "authority": stamp.authority}
        for number, stamp in enumerate(found.stamps, 1)
    ]
    return canonical(
        {
            "bundle": bundle,
            "day": found.day.isoformat(),
            "leaf_index": found.leaf_index,
            "tree_size": found.tree_size,
            "path": list(found.path),
            "root": found.root,
            "stamps": stamps,
        }
    )


def read_proof(said: Mapping[str, Any], files: Mapping[str, Content], part: str) -> DayProof:
    """Parse a proof and read its timestamps from `files`.

    said: the values in the JSON file of the proof. Raises DoesNotHold, naming `part`, if it is malformed, and if a file
    is missing.
    """
    try:
        path = tuple(_parse_digest(each) for each in _bounded_list(said["path"], MAX_DEPTH))
        stamps = [(str(each["folder"]), str(each["authority"])) for each in _bounded_list(said["stamps"], MAX_STAMPS)]
        root, day = _parse_digest(said["root"]), date.fromisoformat(said["day"])
        place = (int(said["tree_size"]), int(said["leaf_index"]))
    except (KeyError, TypeError, ValueError) as error:
        raise DoesNotHold(Fault.UNREADABLE, part, why=Message("flaw.fields")) from error
    return DayProof(day, *place, path, root, tuple(read_folder_stamp(files, *each) for each in stamps))


def stamp_files(folder: str, stamp: TimeStamp) -> dict[str, bytes]:
    """Return the files of a timestamp in `folder` by path: query, response and root certificates."""
    named = {layout.QUERY: stamp.query, layout.RESPONSE: stamp.response, layout.ROOTS: stamp.ca_pem}
    return {f"{folder}/{name}": content for name, content in named.items()}


def read_folder_stamp(files: Mapping[str, Content], folder: str, authority: str) -> TimeStamp:
    """Return the timestamp whose files are in `folder`. Raises DoesNotHold if a file is missing."""
    names = layout.QUERY, layout.RESPONSE, layout.ROOTS
    query, response, roots = (required_file(files, f"{folder}/{name}") for name in names)
    return TimeStamp(query, response, roots, authority)


def _bounded_list(values: Any, at_most: int) -> list[Any]:
    if not isinstance(values, list) or len(values) > at_most:
        raise ValueError("no list, or too long")
    return values


def _parse_digest(value: Any) -> Digest:
    if not isinstance(value, str) or not _HEX.fullmatch(value):
        raise ValueError("no SHA-256")
    return Digest(value)
