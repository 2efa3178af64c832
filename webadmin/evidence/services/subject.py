"""The subject of an evidence page: one case, or all cases of a matter."""

from dataclasses import dataclass
from typing import Any, TypeVar

from django.db.models import Q, QuerySet

from webadmin.cases.models import Case, Matter
from webadmin.evidence.models import EvidenceBundle, ThirdPartyProof, ThirdPartyTask
from webadmin.evidence.models.third_party import OfCaseOrMatter

R = TypeVar("R", bound=OfCaseOrMatter)


@dataclass(frozen=True, slots=True)
class Subject:
    """A case or a matter. Exactly one of the two is set."""

    case: Case | None = None
    matter: Matter | None = None

    @property
    def record(self) -> Case | Matter:
        found = self.case or self.matter
        assert found is not None
        return found

    @property
    def fields(self) -> dict[str, Any]:
        """The field values that make a row refer to the subject."""
        return {"case": self.case, "matter": self.matter, "rights_holder_id": self.record.rights_holder_id}

    def cases(self) -> "QuerySet[Case]":
        return (
            Case.objects.filter(pk=self.case.pk) if self.case is not None else Case.objects.filter(matter=self.matter)
        )

    def bundles(self) -> "QuerySet[EvidenceBundle]":
        """Return the subject's bundles, the first fetched first, except those removed by retention."""
        rows = EvidenceBundle.objects.exclude(state=EvidenceBundle.State.REMOVED)
        rows = rows.filter(case=self.case) if self.case is not None else rows.filter(case__matter=self.matter)
        return rows.order_by("fetched_at", "pk")

    def proofs(self) -> "QuerySet[ThirdPartyProof]":
        """Return the proofs of a case and its matter, or of a matter and its cases, including withdrawn ones."""
        return self._filter_rows(ThirdPartyProof.objects.all()).select_related("entered_by", "withdrawn_by", "case")

    def tasks(self) -> "QuerySet[ThirdPartyTask]":
        """Return the requested captures of a case and its matter, or of a matter and its cases."""
        return self._filter_rows(ThirdPartyTask.objects.all()).select_related(
            "entered_by", "ended_by", "done_by", "case"
        )

    def _filter_rows(self, rows: "QuerySet[R]") -> "QuerySet[R]":
        if self.case is None:
            return rows.filter(Q(matter=self.matter) | Q(case__matter=self.matter))
        of_matter = Q(matter=self.case.matter_id) if self.case.matter_id is not None else Q(pk__in=[])
        return rows.filter(Q(case=self.case) | of_matter)
