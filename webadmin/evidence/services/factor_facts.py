"""Gathers the facts about the evidence of a case or matter for the factor sheet."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import date, datetime
from typing import Any

from django.db.models import Count, Exists, Max, Min, OuterRef, Q
from django.utils import timezone

from bundles import bundle, container
from bundles.canonical import parse_canonical
from core.errors import BadInput, BrokenInvariant
from core.ids import Digest
from core.ports import EvidenceStore
from webadmin import stores
from webadmin.cases.models import CaseMatch
from webadmin.evidence.models import DayTree, EvidenceBundle, ProofCoverage, Stamp, ThirdPartyProof
from webadmin.evidence.services.factors import Facts
from webadmin.evidence.services.subject import Subject

# Only the newest bundles are opened. Each takes 0.3 ms, without the time of the store (2026-11). The sheet states how
# many.
MAX_OPENED = 50
CIRCUMSTANCES = "evidence/circumstances.json"  # Absent in bundles without recorded circumstances.
State = EvidenceBundle.State
Kind = EvidenceBundle.Kind


def gather_facts(subject: Subject, now: datetime) -> Facts:
    """Return the facts about a subject's evidence. Raises RetryLater if the evidence store is unreachable."""
    records = subject.bundles().filter(kind=Kind.RECORD)
    removed = EvidenceBundle.objects.filter(case__in=subject.cases(), kind=Kind.RECORD, state=State.REMOVED)
    matches = CaseMatch.objects.filter(case__in=subject.cases())
    there = EvidenceBundle.objects.filter(match=OuterRef("pk"), kind=Kind.RECORD)
    counted = records.aggregate(
        bundles=Count("pk"),
        damaged=Count("pk", filter=Q(state__in=(State.CHANGED, State.MISSING))),
        checked=Count("checked_at"),
        last_check=Max("checked_at"),
        first_fetched=Min("fetched_at"),
        last_fetched=Max("fetched_at"),
    )
    versions = matches.order_by("code_version").values_list("code_version", flat=True).distinct()
    return Facts(
        holder=subject.record.rights_holder.name,
        cases=subject.cases().count(),
        unbundled_matches=matches.filter(~Exists(there)).count(),
        removed=removed.count(),
        drawn=subject.bundles().filter(kind=Kind.DRAWN).count(),
        programs=tuple(each for each in versions if each),
        **counted,
        **_stamp_figures(list(records.values_list("digest", "day", "fetched_at"))),
        **_open_newest(subject, stores.evidence_store()),
        **_third_party_figures(subject, now),
    )


def _open_newest(subject: Subject, store: EvidenceStore) -> dict[str, Any]:
    seen, sources = Counter[str](), Counter[str]()
    newest = subject.bundles().filter(kind=Kind.RECORD).order_by("-fetched_at", "-pk")
    for name in newest.values_list("digest", flat=True)[:MAX_OPENED]:
        try:
            content = store.get(Digest(name))
            files = container.read(memoryview(content), "") if content is not None else None
            seen["looked_into"] += 1
            if files is None:
                seen["unreadable"] += 1
                continue
            _count_bundle(seen, sources, files)
        except (BadInput, BrokenInvariant, KeyError, TypeError, AttributeError):
            seen["unreadable"] += 1  # The nightly check reports the damage.
    names = ("looked_into", "unreadable", "circumstances", "certificates", "through_proxy")
    return {**{name: seen[name] for name in names}, "sources": dict(sources)}


def _count_bundle(seen: Counter[str], sources: Counter[str], files: Mapping[str, memoryview]) -> None:
    page = parse_canonical(bytes(files[bundle.PAGE]), bundle.PAGE)
    exchanges = parse_canonical(bytes(files[bundle.CONNECTION]), bundle.CONNECTION)["exchanges"]
    sources[page.get("source", "unknown")] += 1
    seen["circumstances"] += CIRCUMSTANCES in files
    seen["certificates"] += any((each.get("tls") or {}).get("file") for each in exchanges)
    seen["through_proxy"] += any(each.get("is_through_proxy") for each in exchanges)


def _stamp_figures(rows: Collection[tuple[str, date, datetime]]) -> dict[str, Any]:
    """Return the numbers of bundles in a tree and of timestamped bundles, the authorities, and the longest delay.

    rows: the digest, day and fetch time of each bundle.
    """
    trees, first = dict[str, datetime | None](), dict[int, datetime]()
    days = {day for _, day, _ in rows}
    names = set[str]()
    wanted = {digest for digest, _, _ in rows}
    for stamp in (
        Stamp.objects.filter(tree__day__in=days)
        .order_by("stamped_at")
        .values_list("tree_id", "stamped_at", "authority")
    ):
        first.setdefault(stamp[0], stamp[1])
    used = set[int]()
    for tree in DayTree.objects.filter(day__in=days).order_by("pk"):
        for digest in wanted & set(tree.leaves):
            trees[digest] = min(filter(None, (trees.get(digest), first.get(tree.pk))), default=None)
            if tree.pk in first:
                used.add(tree.pk)
    names.update(Stamp.objects.filter(tree__in=used).values_list("authority", flat=True))
    late = [at - fetched for digest, _, fetched in rows if (at := trees.get(digest)) is not None]
    return {
        "treed": len(trees),
        "stamped": len(late),
        "authorities": tuple(sorted(names)),
        "latest_stamp_after": max(late, default=None) if late else None,
    }


def _third_party_figures(subject: Subject, now: datetime) -> dict[str, Any]:
    standing = subject.proofs().filter(withdrawn_at=None)
    kinds = Counter(standing.values_list("kind", flat=True))
    names = {
        "deeds": ThirdPartyProof.Kind.NOTARIAL,
        "time_stamps": ThirdPartyProof.Kind.TIME_STAMP,
        "chains": ThirdPartyProof.Kind.CHAIN,
    }
    platforms = standing.filter(kind=ThirdPartyProof.Kind.CHAIN).values_list("platform", flat=True)
    open_tasks = subject.tasks().filter(ended_at=None)
    return {
        **{name: kinds[kind] for name, kind in names.items()},
        "platforms": tuple(sorted(set(platforms))),
        "stamped_by_others": len(set(_covered_bundles(subject, ProofCoverage.How.STAMPED))),
        "named_by_others": len(set(_covered_bundles(subject, ProofCoverage.How.NAMED))),
        "tasks": open_tasks.count(),
        "overdue": open_tasks.filter(until__lt=timezone.localdate(now)).count(),
    }


def _covered_bundles(subject: Subject, how: str) -> Iterator[int]:
    rows = ProofCoverage.objects.filter(proof__withdrawn_at=None, how=how, bundle__in=subject.bundles())
    yield from rows.filter(bundle__kind=Kind.RECORD).values_list("bundle_id", flat=True)
