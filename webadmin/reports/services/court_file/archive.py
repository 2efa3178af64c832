"""Writes the self-contained export of a matter: documents for people, and a folder for programs that verify them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bundles import layout, statements
from bundles.canonical import canonical
from bundles.opened import OpenedBundle, open_bundle
from bundles.ports import Stamper
from bundles.records import CaseMaterial, DayProof, Enclosure
from bundles.statements import BundlePlace
from bundles.verification import VerificationReport, check_proof
from core.ids import Digest
from core.wording import Message
from webadmin.evidence.services.explanation import Example
from webadmin.evidence.services.export import write_verified
from webadmin.reports.services.court_file.explanation import MatterSummary, matter_explanation
from webadmin.reports.services.court_file.spool import Spool


@dataclass(frozen=True, slots=True)
class MatterFacts:
    """The facts about a matter as a whole.

    facts: JSON values. contents: the files and folders for people, with their uses. left_out: messages about files left
    out.
    """

    site: str
    work: str
    facts: Mapping[str, Any]
    contents: Sequence[tuple[str, Message]] = ()
    left_out: Sequence[Message] = ()


@dataclass
class MatterExport:
    """The export of a matter in progress, with one case at a time in memory.

    Its methods raise OSError if the disk fails.
    """

    spool: Spool
    matter: int
    code_version: str
    _cases: list[int] = field(default_factory=list)
    _documents: list[str] = field(default_factory=list)
    _papers: list[dict[str, Any]] = field(default_factory=list)
    _bundles: int = 0
    _unstamped: list[Digest] = field(default_factory=list)
    _example: Example | None = None

    def add_case(self, material: CaseMaterial, stems: Sequence[str]) -> None:
        """Add a case with its bundles. stems: the path of each bundle without extension.

        Raises DoesNotHold for a changed bundle or timestamp.
        """
        taken, placed = [], {}
        for each, stem in zip(material.bundles, stems, strict=True):
            bundle = open_bundle(each.content, "bundle")
            if each.proof is not None:
                check_proof(bundle, each.proof, layout.proof_file(bundle.digest))
            placed[bundle.digest] = self._add_bundle(each.content, bundle, stem)
            self._add_proof(bundle.digest, each.proof)
            self._note_example(Example(bundle.digest, placed[bundle.digest].file, each.proof))
            taken.append(bundle)
        self._cases.append(material.case)
        name = layout.checks_path(layout.case_file(material.case))
        self.spool.put(name, statements.case(material, taken, placed))

    def add_document(self, name: str, content: bytes) -> Digest:
        """Add a document made by the program under this name, and return its digest."""
        self._documents.append(name)
        return self.spool.put(name, content)

    def add_paper(self, paper: Enclosure, name: str) -> None:
        """Add an uploaded file under this name, unchanged."""
        self._papers.append(statements.paper_entry(paper, name))
        self.spool.put(name, paper.content)

    def write(
        self, path: Path, about: MatterFacts, *, created: datetime, seals: Sequence[Stamper] = ()
    ) -> VerificationReport:
        """Verify the export and write it to `path` atomically. It can be called again with other seals.

        created: the time in the export. Raises DoesNotHold if it is invalid or too large, UnreadableFile if `path`
        cannot be written.
        """
        self._add_closing_files(about, created.astimezone(UTC), seals)
        return write_verified(path, self.spool)

    def _add_bundle(self, content: bytes, bundle: OpenedBundle, stem: str) -> BundlePlace:
        pictures = {name: each for name, each in bundle.renderings.items() if name.partition("-")[0] in layout.PICTURES}
        placed = BundlePlace(f"{stem}.wacz", {name: layout.copy_name(stem, name) for name in pictures})
        self.spool.put(placed.file, content)
        for name, picture in pictures.items():
            self.spool.put(placed.shown[name], picture)
        return placed

    def _add_proof(self, digest: Digest, proof: DayProof | None) -> None:
        if proof is None:
            return
        self.spool.put(layout.checks_path(layout.proof_file(digest)), statements.proof(digest, proof))
        for number, stamp in enumerate(proof.stamps, 1):
            self._add_stamp(layout.stamp_folder(proof.root, number), stamp)

    def _add_stamp(self, folder: str, stamp: Any) -> None:
        for name, content in statements.stamp_files(folder, stamp).items():
            self.spool.put(layout.checks_path(name), content)

    def _note_example(self, example: Example) -> None:
        self._bundles += 1
        if not example.is_stamped:
            self._unstamped.append(example.digest)
        if self._example is None or (example.is_stamped and not self._example.is_stamped):
            self._example = example

    def _add_closing_files(self, about: MatterFacts, created: datetime, seals: Sequence[Stamper]) -> None:
        """Add the files about the whole export: statement, explanation, lists and seals."""
        manifest, sums = layout.checks_path(layout.MANIFEST), layout.checks_path(layout.SUMS)
        for name in [*self.spool]:
            if name in {manifest, sums} or name.startswith(layout.checks_path(f"{layout.SEAL}/")):
                self.spool.drop(name)
        assert self._example is not None, "a matter without a case"
        told = MatterSummary(
            self.matter, about.site, about.work, len(self._cases), self._bundles, self._unstamped, self._example,
            about.contents, about.left_out, bool(seals),
        )  # fmt: skip
        said = {
            "matter": self.matter,
            "facts": dict(about.facts),
            "cases": self._cases,
            "documents": sorted(self._documents),
            "papers": self._papers,
            "left_out": [str(each) for each in about.left_out],
        }
        self.spool.put(layout.checks_path(layout.MATTER), canonical(said))
        for name, content in matter_explanation(told, created, self.code_version).items():
            self.spool.put(name, content)
        subject = {"matter": self.matter}
        sealed = self.spool.put(manifest, statements.manifest(self.spool.listed, subject, created, self.code_version))
        for number, authority in enumerate(seals, 1):
            self._add_stamp(layout.seal_folder(number), authority.stamp(sealed))
        self.spool.put(sums, statements.sums(self.spool.listed))
