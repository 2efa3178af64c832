"""A matter -> one file that stands alone: its cases one after the other, then what belongs to all of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.errors import UnreadableFile
from core.ids import Digest
from core.wording import Message
from evidence import container, layout, statements
from evidence.canonical import canonical
from evidence.export import bundle_files
from evidence.matter_explanation import Told, matter_explanation
from evidence.opened import opened
from evidence.ports import Stamper
from evidence.records import CaseMaterial, DayProof, Paper
from evidence.spool import Spool
from evidence.verification import Report, check_file, check_proof


@dataclass(frozen=True, slots=True)
class MatterFacts:
    """What is said of a matter as a whole. facts: JSON values."""

    site: str
    work: str
    facts: Mapping[str, Any]
    left_out: Sequence[Message] = ()


@dataclass
class MatterExport:
    """The export of a matter while it is made: one case at a time is in memory. Raises OSError as its spool."""

    spool: Spool
    matter: int
    code_version: str
    _cases: list[int] = field(default_factory=list)
    _documents: list[str] = field(default_factory=list)
    _papers: list[dict[str, Any]] = field(default_factory=list)
    _bundles: int = 0
    _unstamped: list[Digest] = field(default_factory=list)
    _example: tuple[Digest, DayProof | None] | None = None

    def add_case(self, material: CaseMaterial) -> None:
        """Take a case in with its bundles. Raises DoesNotHold for a bundle or a stamp that was changed."""
        taken = []
        for each in material.bundles:
            bundle = opened(each.content, "bundle")
            if each.proof is not None:
                check_proof(bundle, each.proof, layout.proof_file(bundle.digest))
            for name, content in bundle_files(each.content, bundle, each.proof, layout.PICTURES).items():
                self.spool.add(name, content)
            self._note(bundle.digest, each.proof)
            taken.append(bundle)
        self._cases.append(material.case)
        self.spool.add(layout.case_file(material.case), statements.case(material, taken))

    def add_document(self, name: str, content: bytes) -> tuple[str, Digest]:
        """Take in what the program wrote; its name in the export, and its digest."""
        path = layout.document_file(name)
        self._documents.append(path)
        return path, self.spool.add(path, content)

    def add_paper(self, paper: Paper) -> str:
        """Take in what people made or sent, as it is; its name in the export."""
        name = layout.paper_file(paper.digest, paper.ending)
        self._papers.append(statements.of_paper(paper))
        if name not in self.spool:
            self.spool.add(name, paper.content)
        return name

    def write(self, path: Path, about: MatterFacts, *, created: datetime, seals: Sequence[Stamper] = ()) -> Report:
        """Write the file, which is there whole in the end or not at all, once it was verified.

        Raises DoesNotHold where it would be too large, UnreadableFile where `path` cannot be written; may be called
        again with other seals.
        """
        self._conclude(about, created.astimezone(UTC), seals)
        partial = path.with_name(f".{path.name}.part")
        try:
            with partial.open("wb") as out:
                container.write_to(out, self.spool)
            report = check_file(partial)
            partial.replace(path)
        except OSError as error:
            raise UnreadableFile(path, "file.cannot-be-written", error=error.strerror or error) from error
        finally:
            partial.unlink(missing_ok=True)
        return report

    def _note(self, digest: Digest, proof: DayProof | None) -> None:
        self._bundles += 1
        is_stamped = proof is not None and bool(proof.stamps)
        if not is_stamped:
            self._unstamped.append(digest)
        if self._example is None or (is_stamped and not _is_stamped(self._example)):
            self._example = digest, proof

    def _conclude(self, about: MatterFacts, created: datetime, seals: Sequence[Stamper]) -> None:
        """What is said of all of it: statement, explanation, lists, seals."""
        for name in [name for name in self.spool if name.startswith(f"{layout.SEAL}/")]:
            self.spool.drop(name)
        for name in (layout.MANIFEST, layout.SUMS):
            if name in self.spool:
                self.spool.drop(name)
        assert self._example is not None, "a matter without a case"
        told = Told(
            self.matter, about.site, about.work, len(self._cases), self._bundles, self._unstamped, self._example,
            about.left_out, bool(seals),
        )  # fmt: skip
        said = {
            "matter": self.matter,
            "facts": dict(about.facts),
            "cases": self._cases,
            "documents": sorted(self._documents),
            "papers": self._papers,
            "left_out": [str(each) for each in about.left_out],
        }
        self.spool.add(layout.MATTER, canonical(said))
        for name, content in matter_explanation(told, created, self.code_version).items():
            self.spool.add(name, content)
        numbered = {"matter": self.matter}
        manifest = statements.manifest(self.spool.listed, numbered, created, self.code_version)
        sealed = self.spool.add(layout.MANIFEST, manifest)
        for number, authority in enumerate(seals, 1):
            for name, content in statements.stamp_files(layout.seal_folder(number), authority.stamp(sealed)).items():
                self.spool.add(name, content)
        self.spool.add(layout.SUMS, statements.sums(self.spool.listed))


def _is_stamped(example: tuple[Digest, DayProof | None]) -> bool:
    return example[1] is not None and bool(example[1].stamps)
