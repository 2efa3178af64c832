"""The evidence section of the case page, which lists bundles with their timestamps and last checks."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings

from core.service_urls import without_secrets
from webadmin.cases.models import Case
from webadmin.evidence.models import EvidenceBundle, Stamp, StampAttempt
from webadmin.evidence.pages.drawing_texts import BundleDrawings, describe_drawings, list_drawings
from webadmin.evidence.services.case_export import find_day_tree
from webadmin.notices.models import Removal, RemovalLook

MAX_LOOKS, MAX_REMOVALS = 6, 5


@dataclass(frozen=True, slots=True)
class BundleEntry:
    """A bundle. stamps: the timestamps on the root of its day tree.

    pending_attempt: the next pending request to an authority that has not responded, or None.
    """

    bundle: EvidenceBundle
    root: str
    stamps: Sequence[Stamp]
    pending_attempt: StampAttempt | None

    @property
    def is_damaged(self) -> bool:
        return self.bundle.state in {EvidenceBundle.State.CHANGED, EvidenceBundle.State.MISSING}

    @property
    def drawings(self) -> BundleDrawings:
        return list_drawings(self.bundle)

    @property
    def drawing_texts(self) -> Sequence[str]:
        return describe_drawings(self.bundle)

    @property
    def removal_time(self) -> datetime | None:
        removal = getattr(self.bundle, "removal", None)
        return removal.removed_at if removal else None


@dataclass(frozen=True, slots=True)
class EvidenceSection:
    """The evidence section of a case. authorities: the URLs of the configured authorities, without secrets."""

    bundles: Sequence[BundleEntry]
    authorities: Sequence[str]

    @property
    def is_damaged(self) -> bool:
        return any(each.is_damaged for each in self.bundles)

    @property
    def last_check(self) -> datetime | None:
        """The time of the newest check of any bundle, or None."""
        return max((each.bundle.checked_at for each in self.bundles if each.bundle.checked_at), default=None)

    @property
    def first_stamp(self) -> Stamp | None:
        """The earliest timestamp, at which the timestamped evidence existed, or None."""
        stamps = (stamp for each in self.bundles for stamp in each.stamps)
        return min(stamps, key=lambda stamp: stamp.stamped_at, default=None)

    @property
    def can_be_exported(self) -> bool:
        return any(each.removal_time is None for each in self.bundles)


def case_evidence(case: Case) -> EvidenceSection:
    """Return the evidence of the copying, the newest bundle first. `case_removals` returns the evidence of removals."""
    bundles = EvidenceBundle.objects.filter(case=case).exclude(kind=EvidenceBundle.Kind.REMOVAL)
    rows = bundles.select_related("match", "removal").order_by("-fetched_at", "-pk")
    names = tuple(without_secrets(url) for url in settings.ZHUIWEN.evidence.tsa_urls)
    return EvidenceSection([_bundle_entry(row) for row in rows], names)


def _bundle_entry(row: EvidenceBundle) -> BundleEntry:
    tree = find_day_tree(row)
    if tree is None:
        return BundleEntry(row, "", (), None)
    stamps = list(Stamp.objects.filter(tree=tree).order_by("stamped_at", "pk"))
    waiting = StampAttempt.objects.filter(tree=tree, attempts__gt=0).order_by("next_at").first()
    return BundleEntry(row, tree.root, stamps, waiting)


@dataclass(frozen=True, slots=True)
class RemovalEntry:
    """A removal of the page, with the checks that prove it. is_proved: whether its proof can be downloaded."""

    removal: Removal
    looks: Sequence[RemovalLook]

    @property
    def is_proved(self) -> bool:
        return bool(self.looks) and all(look.bundle_id is not None for look in self.looks)


@dataclass(frozen=True, slots=True)
class RemovalsSection:
    """The removals section of a case. newest: the newest checks that prove nothing yet or could not see the page."""

    removals: Sequence[RemovalEntry]
    newest: Sequence[RemovalLook]

    @property
    def active_removal(self) -> Removal | None:
        return next((each.removal for each in self.removals if each.removal.ended_at is None), None)

    def __bool__(self) -> bool:
        return bool(self.removals or self.newest)


def case_removals(case: Case) -> RemovalsSection:
    """Return the removals of a case, the newest first, and the newest checks that prove nothing yet."""
    rows = case.removals.prefetch_related("looks").order_by("-since", "-pk")[:MAX_REMOVALS]
    newest = case.looks.filter(removal=None).order_by("-at", "-pk")[:MAX_LOOKS]
    return RemovalsSection([RemovalEntry(row, list(row.looks.all())) for row in rows], list(newest))
