"""Gathers and writes the court file of a matter: first each confirmed case, then the parts about all cases."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from bundles.ports import Stamper
from bundles.records import CaseMaterial, ProvenBundle
from bundles.verification import VerificationReport
from core.errors import BadInput, BrokenInvariant, UnreadableFile
from core.ids import Digest
from core.ports import EvidenceStore
from core.program import code_version
from core.states import CaseState
from core.wording import Message
from documents.blocks import Document
from documents.pdf_writing import pdf_file
from documents.word_writing import word_file
from webadmin import stores
from webadmin.cases.models import Case, Matter, VerdictRecord
from webadmin.cases.services.matters.damages import compute_damages
from webadmin.evidence.models import EvidenceBundle
from webadmin.evidence.services.authorities import write_with_seals
from webadmin.evidence.services.case_export import (
    StoredMaterials,
    bundle_content,
    case_facts,
    day_proof,
    kept_bundles,
    removal_bundles,
    stored_materials,
)
from webadmin.evidence.services.factor_facts import gather_facts as factor_facts_of
from webadmin.evidence.services.factors import factor_sheet
from webadmin.evidence.services.kept_files import Row, proof_row, read_enclosure, valid_proofs
from webadmin.evidence.services.staff import Naming, by_name, by_role
from webadmin.evidence.services.subject import Subject
from webadmin.notices.models import HolderPaper, Notice, NoticeEvent
from webadmin.notices.services.compared_cases import MAX_PICTURES, compared_cases
from webadmin.notices.services.comparison_table import comparison_table
from webadmin.notices.services.enclosed_files import files_of_notices, holder_paper_row
from webadmin.notices.services.kept_files import is_valid
from webadmin.notices.services.values import sort_cases
from webadmin.reports.services.court_file import evidence_list, pieces, sheets
from webadmin.reports.services.court_file.archive import MatterExport, MatterFacts
from webadmin.reports.services.court_file.evidence_list import EvidenceGroup, EvidencePiece
from webadmin.reports.services.court_file.parts import USUAL, ExportChoice, ExportPart, FileNames
from webadmin.reports.services.court_file.spool import Spool

Say = Callable[[Message], None]
LIST = f"01-{evidence_list.TITLE}"
_LISTED = [(f"{LIST}.*", Message("court-file.list-of-evidence"))]
_DECIDED = frozenset({"verdicts", "rulings", "left_out"})  # the facts on a case page that people decided


def export_matter(matter: Matter, path: Path, chosen: ExportChoice = USUAL) -> VerificationReport:
    """Write the court file of a matter, sealed by the authorities that respond.

    Raises the errors of `prepare_export` and `MatterExport.write`.
    """
    with prepare_export(matter, path.absolute().parent, chosen) as made:
        return write_with_seals(lambda seals: made.write(path, seals), f"matter {matter.pk}")


@contextmanager
def prepare_export(
    matter: Matter, folder: Path, chosen: ExportChoice = USUAL, say: Say = lambda _: None
) -> "Iterator[PreparedExport]":
    """Gather the chosen parts of a matter in a temporary folder for the block.

    folder: contains the temporary folder. say: called with progress messages. Raises BadInput if no case of the matter
    is confirmed or has evidence, RetryLater if a store is unreachable, UnreadableFile if the folder cannot be written.
    """
    cases = confirmed_cases(matter)
    if not cases.exists():
        raise BadInput("matter.nothing-confirmed", site=matter.site, work=matter.work)
    try:
        with tempfile.TemporaryDirectory(prefix=".zhuiwen-export-", dir=folder) as name:
            export = MatterExport(Spool(Path(name)), matter.pk, code_version())
            made = PreparedExport(matter, export, chosen, say, stored_materials(), stores.evidence_store())
            made.gather(sort_cases(list(cases)))
            yield made
    except OSError as error:
        raise UnreadableFile(folder, "file.cannot-be-written", error=error.strerror or error) from error


def confirmed_cases(matter: Matter) -> "QuerySet[Case]":
    """Return the confirmed cases of a matter, in the order of their numbers."""
    rows = Case.objects.filter(matter=matter, state=CaseState.CONFIRMED).order_by("pk")
    return rows.select_related("work", "page__site", "rights_holder", "decision", "matter")


@dataclass
class PreparedExport:
    """The content of a matter's court file, gathered on disk in the order in which its pieces are numbered.

    left_out: a message for each damaged file and for each case without a bundle.
    """

    matter: Matter
    export: MatterExport
    chosen: ExportChoice
    say: Say
    materials: StoredMaterials
    store: EvidenceStore
    created: datetime = field(default_factory=timezone.now)
    names: FileNames = field(default_factory=FileNames)
    pieces: list[EvidencePiece] = field(default_factory=list)
    left_out: list[Message] = field(default_factory=list)
    facts: dict[str, object] = field(default_factory=dict)

    def write(self, path: Path, seals: Sequence[Stamper]) -> VerificationReport:
        """Write the file.

        Raises the errors of `MatterExport.write`, and RetryLater if an authority does not respond.
        """
        contents = [*_LISTED, *self.names.contents]
        about = MatterFacts(str(self.matter.site), self.matter.work.title, self.facts, contents, self.left_out)
        return self.export.write(path, about, created=self.created, seals=seals)

    @property
    def subject_line(self) -> str:
        return f"权利人：{self.matter.rights_holder}；网站：{self.matter.site}；作品：《{self.matter.work}》"

    @property
    def naming(self) -> Naming:
        return by_name if self.chosen.with_names else by_role(self.matter.rights_holder_id)

    def gather(self, cases: Sequence[Case]) -> None:
        """Add the chosen parts. cases: the confirmed cases. Raises BadInput if none has a bundle."""
        self._add_papers(ExportPart.OWNERSHIP, self._ownership_proofs())
        self._add_cases(cases)
        if ExportPart.COMPARISON in self.chosen.parts:
            self._add_tables(cases)
        self._add_papers(ExportPart.OTHERS, map(proof_row, valid_proofs(Subject(matter=self.matter))))
        self._add_papers(ExportPart.NOTICES, files_of_notices(self._matter_notices()))
        self.facts = self._add_sheets()
        self._add_list()
        self.say(Message("matter.being-checked"))

    def _add_cases(self, cases: Sequence[Case]) -> None:
        """Add the cases with their bundles. Raises BadInput if none has a bundle."""
        before = len(self.pieces)
        for number, case in enumerate(cases, 1):
            self._add_case(case)
            self.say(Message("matter.cases-taken", done=number, all=len(cases)))
        if len(self.pieces) == before:
            raise BadInput("matter.no-bundle", site=self.matter.site, work=self.matter.work)

    def _add_case(self, case: Case) -> None:
        """Add a case with its intact bundles. A case without bundles is noted in `left_out`."""
        bundles, stems = [], []
        rows = list(kept_bundles(case).select_related("match"))
        if ExportPart.NOTICES in self.chosen.parts:
            rows += removal_bundles(case).select_related("match")
        for row in rows:
            try:
                bundles.append(ProvenBundle(bundle_content(row, self.store), day_proof(row)))
            except BrokenInvariant:
                self.left_out.append(Message("bundle.left-out", digest=row.digest))
                continue
            kind = "下架-" if row.kind == EvidenceBundle.Kind.REMOVAL else ""
            stems.append(
                self.names.stem(EvidenceGroup.PAGES, f"案件{case.pk}-{kind}{case.page_title or case.page_url}")
            )
            self.pieces.append(pieces.bundle_piece(case, row, stems[-1]))
        if not bundles:
            self.left_out.append(Message("bundle.none-yet", case=case.pk))
            return
        history = self.materials.page_history(case)
        self.export.add_case(CaseMaterial(case.pk, self._case_facts(case), bundles, history), stems)

    def _case_facts(self, case: Case) -> dict[str, Any]:
        """Return the facts on the case page. People's decisions are included only if that part is chosen."""
        facts = case_facts(case, self.naming, with_notes=ExportPart.DECISIONS in self.chosen.parts)
        if ExportPart.DECISIONS in self.chosen.parts:
            return facts
        return {name: value for name, value in facts.items() if name not in _DECIDED}

    def _add_tables(self, cases: Sequence[Case]) -> None:
        """Add comparison tables, each with at most MAX_PICTURES cases."""
        for number, start in enumerate(range(0, len(cases), MAX_PICTURES), 1):
            batch = cases[start : start + MAX_PICTURES]
            name = f"侵权比对表（之{number}）"
            stem = self.names.stem(EvidenceGroup.COMPARISON, name)
            path, digest = self._add_document(stem, comparison_table(compared_cases(batch), "zh"))
            self.pieces.append(pieces.table_piece(name, len(batch), path, digest))
            self.say(Message("matter.cases-compared", done=start + len(batch), all=len(cases)))

    def _ownership_proofs(self) -> Iterator[Row]:
        """Yield the rights holder's documents for the work (identity, ownership, authority) that are valid today."""
        today = self.created.astimezone(timezone.get_default_timezone()).date()
        own = HolderPaper.objects.filter(rights_holder=self.matter.rights_holder_id, withdrawn_at=None)
        for paper in own.filter(Q(work=None) | Q(work=self.matter.work_id)).order_by("kind", "pk"):
            if is_valid(paper, today):
                yield holder_paper_row(paper)

    def _matter_notices(self) -> "QuerySet[Notice]":
        """Return the notices about the confirmed cases."""
        return Notice.objects.filter(pages__case__in=confirmed_cases(self.matter).values("pk")).distinct()

    def _add_papers(self, part: ExportPart, rows: Iterable[Row]) -> None:
        for kept, facts in rows if part in self.chosen.parts else ():
            paper = read_enclosure(kept, facts, self.store)
            if paper is None:
                self.left_out.append(Message("bundle.paper-left-out", name=kept.name))
                continue
            stem = self.names.stem(pieces.file_group((kept, facts)), kept.name.rpartition(".")[0] or kept.name)
            self.export.add_paper(paper, f"{stem}.{paper.ending}")
            self.pieces.append(pieces.file_piece((kept, facts), f"{stem}.{paper.ending}"))

    def _add_sheets(self) -> dict[str, object]:
        """Add the chosen sheets, and return their facts as JSON values."""
        facts: dict[str, object] = {
            "rights_holder": self.matter.rights_holder.name,
            "site": self.matter.site.name,
            "work": {"title": self.matter.work.title, "author": self.matter.work.author},
        }
        if ExportPart.DAMAGES in self.chosen.parts:
            reckoned = compute_damages(self.matter)
            self._add_sheet(EvidenceGroup.SHEETS, sheets.damages(reckoned, self.subject_line))
            facts["damages"] = sheets.damages_as_values(reckoned)
        if ExportPart.FACTORS in self.chosen.parts:
            found = factor_sheet(factor_facts_of(Subject(matter=self.matter), self.created), sheets.format_local_moment)
            self._add_sheet(EvidenceGroup.INTERNAL, sheets.factors(found, self.subject_line))
            facts["factors"] = [each.as_dict() for each in found]
        if ExportPart.DECISIONS in self.chosen.parts:
            self._add_sheet(EvidenceGroup.INTERNAL, sheets.decisions(self._list_decisions(), self.subject_line))
        return facts

    def _list_decisions(self) -> sheets.DecisionRecords:
        verdicts = VerdictRecord.objects.filter(case__in=confirmed_cases(self.matter).values("pk"))
        events = NoticeEvent.objects.filter(notice__in=self._matter_notices())
        return sheets.DecisionRecords(
            list(verdicts.select_related("case", "decided_by").order_by("case_id", "pk")),
            list(events.select_related("notice__site", "by", "action", "undoes").order_by("notice", "at", "pk")),
            self.naming,
        )

    def _add_sheet(self, group: EvidenceGroup, document: Document) -> None:
        path, digest = self._add_document(self.names.stem(group, document.title), document)
        self.pieces.append(pieces.sheet_piece(group, document.title, path, digest))

    def _add_list(self) -> None:
        rows = evidence_list.number_pieces(self.pieces)
        self._add_document(LIST, evidence_list.document(rows, self.subject_line))
        self.export.add_document(f"{LIST}.csv", evidence_list.as_csv(rows))
        self.export.add_document(f"{LIST}.json", evidence_list.as_json(rows))

    def _add_document(self, stem: str, document: Document) -> tuple[str, Digest]:
        """Add a document as DOCX and PDF, and return the path and digest of the PDF."""
        self.export.add_document(f"{stem}.docx", word_file(document, self.created))
        return f"{stem}.pdf", self.export.add_document(f"{stem}.pdf", pdf_file(document, self.created))
