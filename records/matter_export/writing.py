"""Writes the file of a matter: its confirmed cases one after the other, then what belongs to all of them."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.errors import BadInput, BrokenInvariant, UnreadableFile
from core.ids import Digest
from core.ports import EvidenceStore
from core.states import CaseState
from core.wording import Message
from evidence.matter_export import MatterExport, MatterFacts
from evidence.ports import Stamper
from evidence.records import CaseMaterial, ProvenBundle
from evidence.spool import Spool
from evidence.verification import Report
from papers.blocks import Document
from papers.comparison_table import comparison_table
from papers.pdf_writing import pdf_file
from papers.word_writing import word_file
from records import stores
from records.code_version import code_version
from records.evidence.authorities import answering_authorities, sealed_by_those_that_answer
from records.evidence.case_export import StoredMaterials, facts_of, kept_bundles, materials, proof_for, removal_bundles
from records.evidence.factor_facts import facts_of as factor_facts_of
from records.evidence.factors import sheet
from records.evidence.papers import Row, enclosed_one, files_of_notices, of_holder, of_others, standing_proofs
from records.evidence.subject import Subject
from records.matter_export import evidence_list, pieces, sheets
from records.matter_export.evidence_list import Piece
from records.matters.damages import damages_of
from records.models import Case, HolderPaper, Matter, Notice, NoticeEvent, VerdictRecord
from records.notices.compared import MAX_PICTURES, compared_cases
from records.notices.kept_files import is_valid

Say = Callable[[Message], None]


def export_matter(matter: Matter, path: Path) -> Report:
    """As the desk writes it: sealed by the authorities that answer, by none if need be. Raises as `prepared`."""
    named = f"matter {matter.pk}"
    authorities = answering_authorities(named)
    with prepared(matter, path.absolute().parent) as made:
        return sealed_by_those_that_answer(lambda seals: made.write(path, seals), authorities, named)


@dataclass
class Prepared:
    """All that a matter's file is written from, on the disk. left_out: what is not whole any more, a sentence each."""

    export: MatterExport
    about: MatterFacts
    created: datetime

    @property
    def left_out(self) -> Sequence[Message]:
        return self.about.left_out

    def write(self, path: Path, seals: Sequence[Stamper]) -> Report:
        """Raises as `MatterExport.write`, RetryLater where an authority does not answer."""
        return self.export.write(path, self.about, created=self.created, seals=seals)


@contextmanager
def prepared(matter: Matter, folder: Path, say: Say = lambda _: None) -> Iterator[Prepared]:
    """Gather a matter's file in a folder that goes in the end; say: told how far it is.

    Raises BadInput where nothing of the matter is confirmed or has evidence yet, RetryLater where a store is away,
    UnreadableFile where the folder takes no files.
    """
    cases = confirmed(matter)
    if not cases.exists():
        raise BadInput("matter.nothing-confirmed", site=matter.site, work=matter.work)
    try:
        with tempfile.TemporaryDirectory(prefix=".zhuiwen-export-", dir=folder) as name:
            export = MatterExport(Spool(Path(name)), matter.pk, code_version())
            yield _Making(matter, export, say, materials(), stores.evidence_store()).prepared(list(cases))
    except OSError as error:
        raise UnreadableFile(folder, "file.cannot-be-written", error=error.strerror or error) from error


def confirmed(matter: Matter) -> "QuerySet[Case]":
    """The cases that go in, in the order of their numbers."""
    rows = Case.objects.filter(matter=matter, state=CaseState.CONFIRMED).order_by("pk")
    return rows.select_related("work", "page__site", "rights_holder", "decision", "matter")


@dataclass
class _Making:
    """One export while it is gathered."""

    matter: Matter
    export: MatterExport
    say: Say
    materials: StoredMaterials
    store: EvidenceStore
    created: datetime = field(default_factory=timezone.now)
    pieces: list[Piece] = field(default_factory=list)
    left_out: list[Message] = field(default_factory=list)

    @property
    def about(self) -> str:
        return f"权利人：{self.matter.rights_holder}；网站：{self.matter.site}；作品：《{self.matter.work}》"

    def prepared(self, cases: Sequence[Case]) -> Prepared:
        for number, case in enumerate(cases, 1):
            self._add_case(case)
            self.say(Message("matter.cases-taken", done=number, all=len(cases)))
        if not self.pieces:
            raise BadInput("matter.no-bundle", site=self.matter.site, work=self.matter.work)
        self._add_tables(cases)
        for row in self._papers():
            self._add_paper(row)
        facts = self._add_sheets()
        self._add_list()
        self.say(Message("matter.being-checked"))
        about = MatterFacts(str(self.matter.site), self.matter.work.title, facts, self.left_out)
        return Prepared(self.export, about, self.created)

    def _add_case(self, case: Case) -> None:
        """A case with those of its bundles that are whole; one without any is named."""
        bundles = []
        for row in (*kept_bundles(case).select_related("match"), *removal_bundles(case).select_related("match")):
            try:
                bundles.append(ProvenBundle(self.materials.content_of(row), proof_for(row)))
            except BrokenInvariant:
                self.left_out.append(Message("bundle.left-out", digest=row.digest))
            else:
                self.pieces.append(pieces.of_bundle(case, row))
        if not bundles:
            self.left_out.append(Message("bundle.none-yet", case=case.pk))
            return
        history = self.materials.history_of(case)
        self.export.add_case(CaseMaterial(case.pk, facts_of(case), bundles, history))

    def _add_tables(self, cases: Sequence[Case]) -> None:
        """Comparison tables of as many cases as one has pictures for."""
        for number, start in enumerate(range(0, len(cases), MAX_PICTURES), 1):
            batch = cases[start : start + MAX_PICTURES]
            path, digest = self._add_document(f"comparison-{number}", comparison_table(compared_cases(batch), "zh"))
            self.pieces.append(pieces.of_table(number, len(batch), path, digest))
            self.say(Message("matter.cases-compared", done=start + len(batch), all=len(cases)))

    def _papers(self) -> Iterator[Row]:
        """Proofs of ownership that are valid today, files of notices, what others made."""
        today = self.created.astimezone(ZoneInfo(settings.TIME_ZONE)).date()
        own = HolderPaper.objects.filter(rights_holder=self.matter.rights_holder_id, withdrawn_at=None)
        for paper in own.filter(Q(work=None) | Q(work=self.matter.work_id)).order_by("kind", "pk"):
            if is_valid(paper, today):
                yield of_holder(paper)
        yield from files_of_notices(self._notices())
        yield from map(of_others, standing_proofs(Subject(matter=self.matter)))

    def _notices(self) -> "QuerySet[Notice]":
        """Those that name any of the cases that go in."""
        return Notice.objects.filter(pages__case__in=confirmed(self.matter).values("pk")).distinct()

    def _add_paper(self, row: Row) -> None:
        kept, facts = row
        paper = enclosed_one(kept, facts, self.store)
        if paper is None:
            self.left_out.append(Message("bundle.paper-left-out", name=kept.name))
        else:
            self.pieces.append(pieces.of_paper(row, self.export.add_paper(paper)))

    def _add_sheets(self) -> dict[str, object]:
        """Factors, damages, decisions; the same as JSON values."""
        found = sheet(factor_facts_of(Subject(matter=self.matter), self.created), sheets.here)
        reckoned = damages_of(self.matter)
        verdicts, events = self._decisions()
        self._add_sheet("damages", sheets.damages(reckoned, self.about))
        self._add_sheet("factors", sheets.factors(found, self.about))
        self._add_sheet("decisions", sheets.decisions(verdicts, events, self.about))
        return {
            "rights_holder": self.matter.rights_holder.name,
            "site": self.matter.site.name,
            "work": {"title": self.matter.work.title, "author": self.matter.work.author},
            "damages": reckoned.as_dict(),
            "factors": [each.as_dict() for each in found],
            "decisions": sheets.decisions_as_values(verdicts, events),
        }

    def _decisions(self) -> tuple[list[VerdictRecord], list[NoticeEvent]]:
        verdicts = VerdictRecord.objects.filter(case__in=confirmed(self.matter).values("pk"))
        events = NoticeEvent.objects.filter(notice__in=self._notices())
        return (
            list(verdicts.select_related("case", "decided_by").order_by("case", "pk")),
            list(events.select_related("notice__site", "by", "action", "undoes").order_by("notice", "at", "pk")),
        )

    def _add_sheet(self, name: str, document: Document) -> None:
        path, digest = self._add_document(name, document)
        self.pieces.append(pieces.of_sheet(document.title, path, digest))

    def _add_list(self) -> None:
        rows = evidence_list.numbered(self.pieces)
        self._add_document("evidence-list", evidence_list.document(rows, self.about))
        self.export.add_document("evidence-list.csv", evidence_list.as_csv(rows))
        self.export.add_document("evidence-list.json", evidence_list.as_json(rows))

    def _add_document(self, name: str, document: Document) -> tuple[str, Digest]:
        """In both formats; name in the export and digest of the PDF."""
        self.export.add_document(f"{name}.docx", word_file(document, self.created))
        return self.export.add_document(f"{name}.pdf", pdf_file(document, self.created))
