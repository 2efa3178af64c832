"""Reads and writes the evidence tables: bundles, day trees, timestamps, checks and removals.

No other module writes these tables. `webadmin.evidence.services.making` stores and reads the bundles themselves.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet

from bundles.merkle import day_root
from bundles.records import Bundle, Part, TimeStamp
from bundles.stamps import StampFacts
from core.ids import Digest, VersionId, digest
from core.states import CaseState
from core.wording import Message
from webadmin.cases.models import CaseMatch
from webadmin.evidence.models import DayTree, EvidenceBundle, EvidenceCheck, RetentionLog, Stamp, StampAttempt
from webadmin.evidence.models.bundle import LONGEST_PAUSE
from webadmin.evidence.services.kept_files import KeptFileEntry

FIRST_PAUSE = timedelta(minutes=5)  # The pause after an authority first fails. It doubles with each failure.
State = EvidenceBundle.State


@dataclass(frozen=True, slots=True)
class EvidenceStatus:
    """The status of the evidence in an installation, for the admin and the doctor."""

    bundles: int
    changed: int
    missing: int
    unbundled_versions: int  # page versions with an unbundled match
    undrawn: int
    unstamped_days: int  # past days without a timestamp
    waiting_stamps: int  # requests sent at least once without success
    last_error: Message | None
    last_check: EvidenceCheck | None
    oldest: datetime | None  # the time at which the first bundle was made

    @property
    def damaged_bundles(self) -> int:
        return self.changed + self.missing

    @property
    def damaged_files(self) -> list[str]:
        """The names of the stored files that the last check found changed or missing."""
        faults = self.last_check.faults if self.last_check else []
        return list(dict.fromkeys(fault["file"] for fault in faults if "file" in fault))


def unbundled_versions(limit: int) -> list[VersionId]:
    """Return at most `limit` page versions with an unbundled match, the newest cases first."""
    rows = _matches_without_bundle().order_by("-case_id", "-version_id").values_list("version_id", flat=True)
    return [VersionId(each) for each in dict.fromkeys(rows[: limit * 4])][:limit]


def unbundled_matches(version: VersionId) -> list[CaseMatch]:
    """Return the unbundled matches of a version. The largest is first, because it gets the screenshots."""
    rows = _matches_without_bundle().filter(version_id=version).select_related("case__work")
    return list(rows.order_by("-matched_chars", "pk"))


def undrawn_records(limit: int) -> list[EvidenceBundle]:
    """Return at most `limit` records whose page was not rendered yet, one per page version, the newest cases first."""
    rows = EvidenceBundle.objects.filter(
        kind=EvidenceBundle.Kind.RECORD, drawing=EvidenceBundle.Drawing.WAITING, state=State.HELD
    ).select_related("match__case__work")
    found = {(row.case_id, row.version_id): row for row in reversed(rows.order_by("-case_id", "pk")[: limit * 4])}
    return list(reversed(found.values()))[:limit]


def bundle_columns(match: CaseMatch, bundle: Bundle, now: datetime) -> dict[str, Any]:
    """Return the column values that a new row needs for any kind of bundle."""
    return {
        "case_id": match.case_id,
        "digest": bundle.digest,
        "sha256": digest(bundle.content),
        "size_bytes": len(bundle.content),
        "fetched_at": bundle.fetched_at,
        "day": bundle.day,
        "made_at": now,
    }


def note_bundle(match: CaseMatch, bundle: Bundle, now: datetime, drawn: Sequence[Part] = ()) -> EvidenceBundle:
    """Record a stored bundle of a match, and return its row. An existing row is not changed.

    drawn: the pages of the text for a bundle with screenshots, or empty for a record of response and finding.
    """
    kinds, outcomes = EvidenceBundle.Kind, EvidenceBundle.Drawing
    row, _ = EvidenceBundle.objects.get_or_create(
        match=match,
        kind=kinds.DRAWN if drawn else kinds.RECORD,
        defaults={
            **bundle_columns(match, bundle, now),
            "version_id": match.version_id,
            "drawing": outcomes.DRAWN if drawn else outcomes.WAITING,
            "drawn_pages": [_drawn_page_json(part) for part in drawn],
        },
    )
    return row


def _drawn_page_json(part: Part) -> dict[str, Any]:
    """Return one page of a text in the format of `EvidenceBundle.drawn_pages`."""
    said = {"page": part.number, "screenshot": part.drawing.screenshot is not None, "pdf": part.drawing.pdf is not None}
    undrawn = part.drawing.undrawn
    return {**said, "why": undrawn.value, "limit": part.drawing.limit} if undrawn else said


def note_drawing(record: EvidenceBundle, drawing: str) -> None:
    """Store the outcome of rendering in all records of the same case and page version."""
    same = EvidenceBundle.objects.filter(case_id=record.case_id, version_id=record.version_id)
    same.filter(kind=EvidenceBundle.Kind.RECORD).update(drawing=drawing)


def close_days(today: date, now: datetime) -> list[DayTree]:
    """Create and return trees for all days before `today` with bundles that are in no tree yet.

    Removed and damaged bundles remain leaves, because a timestamped tree does not change.
    """
    counts = EvidenceBundle.objects.filter(day__lt=today).values_list("day").annotate(count=Count("pk")).order_by("day")
    treed: dict[date, int] = {}
    for day, leaves in DayTree.objects.order_by("pk").values_list("day", "leaves"):
        treed[day] = max(treed.get(day, 0), len(leaves))
    return [_create_tree(day, now) for day, count in counts if treed.get(day, 0) < count]


def due_stamp_requests(authorities: Sequence[str], now: datetime) -> list[tuple[DayTree, str]]:
    """Return the pairs of tree and authority for which a timestamp request is due, the oldest trees first.

    If a day has several trees, only the newest is used, because it contains all leaves of the others.
    """
    newest = DayTree.objects.filter(~Exists(DayTree.objects.filter(day=OuterRef("day"), pk__gt=OuterRef("pk"))))
    have = set(Stamp.objects.values_list("tree_id", "authority"))
    resting = set(StampAttempt.objects.filter(next_at__gt=now).values_list("tree_id", "authority"))
    return [
        (tree, authority)
        for tree in newest.order_by("day")
        for authority in authorities
        if (tree.pk, authority) not in have and (tree.pk, authority) not in resting
    ]


def note_stamp(tree: DayTree, answer: TimeStamp, facts: StampFacts, now: datetime) -> Stamp:
    """Record the verified timestamp in an authority's response, and delete the pending request for it."""
    row, _ = Stamp.objects.get_or_create(
        tree=tree,
        authority=answer.authority,
        defaults={
            "query": answer.query,
            "response": answer.response,
            "ca_pem": answer.ca_pem,
            "stamped_at": facts.at,
            "signer": facts.signer[:500],
            "received_at": now,
        },
    )
    StampAttempt.objects.filter(tree=tree, authority=answer.authority).delete()
    return row


def note_refusal(tree: DayTree, authority: str, error: Message, now: datetime) -> StampAttempt:
    """Record that an authority did not timestamp a tree, and schedule the next request."""
    row, _ = StampAttempt.objects.get_or_create(tree=tree, authority=authority, defaults={"next_at": now})
    row.attempts += 1
    row.error = error
    row.next_at = now + min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** min(row.attempts - 1, 16))
    row.save()
    return row


@dataclass(frozen=True, slots=True)
class CheckTotals:
    """The totals of a check. faulty: the changed or missing files, each with its state."""

    bundles: int
    read_bytes: int
    files: int = 0
    faulty: Sequence[tuple[KeptFileEntry, str]] = ()


def note_check(seen: Iterable[tuple[int, str]], started: datetime, ended: datetime, read: CheckTotals) -> EvidenceCheck:
    """Record a check of all evidence, and update the states of the bundles.

    seen: the key and state of each changed or missing bundle. read: the totals of the check.
    """
    states = dict(seen)
    checked = EvidenceBundle.objects.exclude(state=State.REMOVED).filter(made_at__lte=started)
    checked.update(checked_at=ended)
    checked.exclude(pk__in=states).exclude(state=State.HELD).update(state=State.HELD)
    faults = []
    for state in (State.CHANGED, State.MISSING):
        rows = EvidenceBundle.objects.filter(pk__in=[key for key, seen_as in states.items() if seen_as == state])
        rows = rows.exclude(state=State.REMOVED)  # Retention removed it while it was read.
        rows.update(state=state)
        faults += [{"digest": each, "state": str(state)} for each in rows.values_list("digest", flat=True)]
    for file, became in read.faulty:
        faults.append({"digest": file.digest, "state": str(became), "file": file.name, "kind": file.model})
    return EvidenceCheck.objects.create(
        started_at=started, ended_at=ended, bundles=read.bundles, files=read.files, read_bytes=read.read_bytes,
        faults=faults,
    )  # fmt: skip


def expired_bundles(keep_years: int, now: datetime) -> list[EvidenceBundle]:
    """Return the bundles older than `keep_years` whose case is not open. Return [] if `keep_years` is 0."""
    if keep_years <= 0:
        return []
    rows = EvidenceBundle.objects.filter(made_at__lt=subtract_years(now, keep_years)).exclude(state=State.REMOVED)
    return list(rows.exclude(case__state=CaseState.OPEN).order_by("pk"))


def note_removal(bundle: EvidenceBundle, reason: str, now: datetime) -> None:
    """Record that retention removed a bundle. Its row and its leaf in the tree stay."""
    RetentionLog.objects.get_or_create(bundle=bundle, defaults={"removed_at": now, "reason": reason})
    EvidenceBundle.objects.filter(pk=bundle.pk).update(state=State.REMOVED)


def subtract_years(now: datetime, years: int) -> datetime:
    """Return the time that lies `years` before `now`. 29 February becomes 28 February."""
    try:
        return now.replace(year=now.year - years)
    except ValueError:
        return now.replace(year=now.year - years, day=28)


def evidence_status(authorities: Sequence[str]) -> EvidenceStatus:
    """Count the existing, pending and damaged bundles.

    authorities: the configured authorities, whose pending requests are counted.
    """
    waiting = Q(kind=EvidenceBundle.Kind.RECORD, drawing=EvidenceBundle.Drawing.WAITING)
    counts = EvidenceBundle.objects.exclude(state=State.REMOVED).aggregate(
        bundles=Count("pk"),
        changed=Count("pk", filter=Q(state=State.CHANGED)),
        missing=Count("pk", filter=Q(state=State.MISSING)),
        undrawn=Count("pk", filter=waiting),
    )
    attempts = StampAttempt.objects.filter(attempts__gt=0, authority__in=authorities).order_by("-next_at")
    first = attempts.first()
    stamped = DayTree.objects.filter(Exists(Stamp.objects.filter(tree=OuterRef("pk"))))
    return EvidenceStatus(
        **counts,
        unbundled_versions=_matches_without_bundle().values("version_id").distinct().count(),
        unstamped_days=DayTree.objects.exclude(day__in=stamped.values("day")).values("day").distinct().count(),
        waiting_stamps=attempts.count(),
        last_error=first.error if first else None,
        last_check=EvidenceCheck.objects.first(),
        oldest=EvidenceBundle.objects.aggregate(oldest=Min("made_at"))["oldest"],
    )


def _matches_without_bundle() -> QuerySet[CaseMatch]:
    there = EvidenceBundle.objects.filter(match=OuterRef("pk"), kind=EvidenceBundle.Kind.RECORD)
    return CaseMatch.objects.filter(~Exists(there))


def _create_tree(day: date, now: datetime) -> DayTree:
    leaves = sorted(EvidenceBundle.objects.filter(day=day).values_list("digest", flat=True))
    root = day_root(Digest(each) for each in leaves)
    StampAttempt.objects.filter(tree__day=day).exclude(tree__root=root).delete()  # A newer tree supersedes it.
    return DayTree.objects.get_or_create(day=day, root=root, defaults={"leaves": leaves, "made_at": now})[0]
