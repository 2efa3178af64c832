"""Updates the figures of matters: the cases by state, the characters copied together, and the first times.

Every writer of cases calls `refresh_matters` once in its own transaction, after writing all cases
(`webadmin.database.lock_rows`). It passes the affected texts if it knows them, because a page with one chapter of a
book changes only one of the matter's 3,000 texts.

`CopiedText` contains the number of characters of each text that are on any site. A character in several matters counts
once, and a list of works sums one row per chapter, however often the chapter was copied.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Count, F, Max, Min, Q, QuerySet, Sum
from django.utils import timezone

from core.harm import MOST_WORKS, Harm, compute_harm, compute_reach
from core.states import COPIES, CaseState
from core.taken import NO_PLACES, Places, share_of_work
from webadmin.cases.models import Case, CaseMatch, CopiedText, Matter, MatterText, PageCheck, TakenText
from webadmin.database import batches
from webadmin.sites.models import Site
from webadmin.ui.models.fields import join_kinds
from webadmin.works.models import Chapter, Work

_MOST_TEXTS = 10_000  # ids of texts in a query; SQLite allows 32,766 variables in a statement
_READ_OBFUSCATIONS = 200  # newest cases of a matter whose obfuscations are read, because the kinds repeat
_FIGURES = (
    "open_cases", "confirmed_cases", "closed_cases", "changed_cases", "returned_cases", "taken_chars", "work_share",
    "lead_s", "early_chapters", "obfuscation_kinds", "harm", "first_seen_at", "newest_at",
)  # fmt: skip


def assign_matters(cases: Iterable[Case]) -> None:
    """Set the matters of unsaved cases. Missing matters are created."""
    wanted: dict[tuple[int, int], list[Case]] = defaultdict(list)
    for case in cases:
        wanted[case.page.site_id, case.work_id].append(case)
    if not wanted:
        return
    known = _read_matters(wanted)
    missing = [
        Matter(rights_holder_id=of[0].rights_holder_id, site_id=site, work_id=work)
        for (site, work), of in sorted(wanted.items())
        if (site, work) not in known
    ]
    if missing:
        Matter.objects.bulk_create(missing, ignore_conflicts=True)
        known = _read_matters(wanted)
    for key, of in wanted.items():
        for case in of:
            case.matter = known[key]


@transaction.atomic
def refresh_matters(matters: Collection[int | None], texts: Collection[str] | None = None) -> None:
    """Update the figures of the matters with these keys. texts: the ids of the changed texts, or None for all texts."""
    if texts is not None and len(texts) > _MOST_TEXTS:
        texts = None
    changed: dict[int, set[str]] = defaultdict(set)
    sites = set[int]()
    for batch in batches(sorted({key for key in matters if key is not None})):
        locked = Matter.objects.select_for_update(of=("self",), no_key=True).order_by("pk")
        rows = locked.select_related("site", "work").in_bulk(list(batch))
        if not rows:
            continue
        for work, text in _write_texts(rows, texts):
            changed[work].add(text)
        counts = _count_cases(rows)
        taken = _sum_by_matter(rows)
        for key, matter in rows.items():
            had_copies = matter.open_cases + matter.confirmed_cases > 0
            for name, value in {**_NONE, **counts.get(key, {})}.items():
                setattr(matter, name, value)
            matter.taken_chars, matter.lead_s, matter.early_chapters = taken.get(key, (0, None, 0))
            matter.work_share = share_of_work(matter.taken_chars, matter.work.counted_chars) or 0.0
            matter.obfuscation_kinds = join_kinds(_frequent_obfuscations(key))
            if had_copies != (matter.open_cases + matter.confirmed_cases > 0):
                sites.add(matter.site_id)
            matter.harm = harm_parts(matter).total
        Matter.objects.bulk_update(rows.values(), _FIGURES, batch_size=50)
    write_taken(changed)
    for site in sorted(sites):
        transaction.on_commit(partial(rank_site, site))


def refresh_works(works: Collection[int], texts: Collection[str] | None = None) -> None:
    """Update the matters of works whose length, official times or texts changed. texts: as in `refresh_matters`."""
    refresh_matters(Matter.objects.filter(work__in=works).values_list("pk", flat=True), texts)


def rank_site(site: int) -> None:
    """Update the harm of the matters of a site whose reach changed.

    The reach depends on at most MOST_WORKS copied works. Of a site with more than twice as many matters, the others are
    updated when they are refreshed.
    """
    with transaction.atomic():
        locked = Matter.objects.select_for_update(of=("self",), no_key=True).filter(site=site).select_related("site")
        rows = list(locked.order_by("pk")[: 2 * MOST_WORKS])
        if not rows:
            return
        reach = _site_reach(rows[0].site)
        for row in rows:
            row.harm = compute_harm(row.work_share, row.lead_s, reach, len(row.obfuscation_kinds.split())).total
        Matter.objects.bulk_update(rows, ["harm"], batch_size=50)


def harm_parts(matter: Matter) -> Harm:
    """Return the components of a matter's harm. Select `site` with the matter to avoid a query."""
    return compute_harm(
        matter.work_share, matter.lead_s, _site_reach(matter.site), len(matter.obfuscation_kinds.split())
    )


def refresh_cases(cases: Collection[int]) -> None:
    """Update the matters of cases whose state or figures changed."""
    refresh_matters(*matters_and_texts(cases))


def matters_and_texts(cases: Collection[int]) -> tuple[set[int | None], set[str]]:
    """Return the keys of the matters of cases, and the ids of the texts that the cases copied."""
    matters, texts = set[int | None](), set[str]()
    for batch in batches(list(cases)):
        matters.update(Case.objects.filter(pk__in=batch).order_by().values_list("matter_id", flat=True).distinct())
        taken = TakenText.objects.filter(case__in=batch).order_by()
        texts.update(taken.values_list("text_id", flat=True).distinct())
    return matters, texts


def refresh_recorded(
    pages: Collection[str], at: datetime, matters: set[int | None], texts: set[str], moved: Collection[int]
) -> None:
    """Update the matters after these pages were compared at `at`.

    matters, texts: the keys of the matters and the ids of the texts of the recorded cases. moved: the keys of cases
    whose ruling changed.
    """
    affected = matters | _note_changed(pages, at)
    if moved:
        of_moved, their_texts = matters_and_texts(moved)
        affected, texts = affected | of_moved, texts | their_texts
    refresh_matters(affected, texts)


def _note_changed(pages: Collection[str], at: datetime) -> set[int | None]:
    """Mark the decided cases of pages whose version changed after the decision, and unmark those that changed back.

    A dismissed case is only marked if the new version also copies from the work, because a page without a copy needs no
    new decision. Returns the keys of the matters of these cases, which the caller must refresh.
    """
    shown = F("page__version_id")
    again = Case.objects.filter(page__in=pages, changed_since__isnull=False, decision__page_version_id=shown)
    decided = Case.objects.filter(page__in=pages, decision__isnull=False, changed_since__isnull=True)
    other = decided.exclude(decision__page_version_id=shown)
    matters = _mark_cases(again, changed_since=None)
    return matters | _mark_cases(other.filter(Q(state=CaseState.CONFIRMED) | Q(version_id=shown)), changed_since=at)


def note_returned(pages: Collection[str]) -> set[int | None]:
    """Mark the confirmed cases of pages that were gone and are back.

    Returns the keys of their matters, which the caller must refresh.
    """
    confirmed = Case.objects.filter(page__in=pages, state=CaseState.CONFIRMED, returned_at__isnull=True)
    return _mark_cases(confirmed, returned_at=timezone.now())


_NONE: Mapping[str, Any] = {
    "open_cases": 0, "confirmed_cases": 0, "closed_cases": 0, "changed_cases": 0, "returned_cases": 0,
    "first_seen_at": None, "newest_at": None,
}  # fmt: skip


def note_gone(pages: Collection[str]) -> set[int | None]:
    """Unmark the returned cases of pages that are gone again.

    Returns the keys of their matters, which the caller must refresh.
    """
    return _mark_cases(Case.objects.filter(page__in=pages, returned_at__isnull=False), returned_at=None)


def _mark_cases(cases: "QuerySet[Case]", **marks: datetime | None) -> set[int | None]:
    found = list(cases.order_by().values_list("pk", "matter_id"))
    if found:
        Case.objects.filter(pk__in=[key for key, _ in found]).update(**marks)
    return {matter for _, matter in found}


def _read_matters(wanted: Iterable[tuple[int, int]]) -> dict[tuple[int, int], Matter]:
    keys = set(wanted)
    rows = Matter.objects.filter(site__in={site for site, _ in keys}, work__in={work for _, work in keys})
    return {(row.site_id, row.work_id): row for row in rows if (row.site_id, row.work_id) in keys}


def _count_cases(matters: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Return the numbers of cases by state, the first sighting and the time of the newest case of each matter."""
    rows = Case.objects.filter(matter__in=list(matters)).order_by().values("matter_id")
    is_closed = Q(state__in=[CaseState.DISMISSED, CaseState.SET_ASIDE])
    counted = rows.annotate(
        open_cases=Count("pk", filter=Q(state=CaseState.OPEN)),
        confirmed_cases=Count("pk", filter=Q(state=CaseState.CONFIRMED)),
        closed_cases=Count("pk", filter=is_closed),
        changed_cases=Count("changed_since"),
        returned_cases=Count("returned_at"),
        first_seen_at=Min("first_seen_at"),
        newest_at=Max("opened_at"),
    )
    return {key: dict(zip(_NONE, of, strict=True)) for key, *of in counted.values_list("matter_id", *_NONE)}


def _write_texts(matters: Mapping[int, Matter], texts: Collection[str] | None) -> set[tuple[int, str]]:
    """Update the characters of each text that the copies of a matter contain together.

    texts: the ids of the texts to update, or None for all. Returns the keys of works and the ids of texts whose
    characters changed in a matter.
    """
    taken = TakenText.objects.filter(case__matter__in=list(matters), case__state__in=COPIES).order_by()
    stored = MatterText.objects.filter(matter__in=list(matters))
    if texts is not None:
        if not texts:
            return set()
        taken, stored = taken.filter(text_id__in=list(texts)), stored.filter(text_id__in=list(texts))
    works = {matter.work_id for matter in matters.values()}
    owned = Chapter.objects.filter(work__in=works).order_by().values_list("work_id", "text_id")
    of_works = set(owned if texts is None else owned.filter(text_id__in=list(texts)))
    copies = Case.objects.filter(matter__in=list(matters), state__in=COPIES)
    times = first_seen(copies, texts)
    found: dict[tuple[int, str], tuple[Places, datetime]] = {}
    rows = taken.values_list("case__matter_id", "case_id", "text_id", "places", "case__first_seen_at")
    for matter, case, text, packed, case_seen in rows.iterator():
        if (matters[matter].work_id, text) in of_works:
            seen = times.get((case, text), case_seen)
            places, first = found.get((matter, text), (NO_PLACES, seen))
            found[matter, text] = places | Places.unpack(bytes(packed)), min(first, seen)
    packed_now = {key: places.pack() for key, (places, _) in found.items()}
    gone, changed = [], set(found)
    for pk, matter, text, packed in stored.values_list("pk", "matter_id", "text_id", "places").iterator():
        if (matter, text) not in found:
            gone.append(pk)
            changed.add((matter, text))
        elif bytes(packed) == packed_now[matter, text]:
            changed.discard((matter, text))
    for batch in batches(gone):
        MatterText.objects.filter(pk__in=batch).delete()
    MatterText.objects.bulk_create(
        [
            MatterText(
                matter_id=matter,
                text_id=text,
                taken_chars=len(places),
                places=packed_now[matter, text],
                first_seen_at=first,
            )
            for (matter, text), (places, first) in found.items()
        ],
        batch_size=200,
        update_conflicts=True,
        unique_fields=["matter", "text_id"],
        update_fields=["taken_chars", "places", "first_seen_at"],
    )
    return {(matters[matter].work_id, text) for matter, text in changed}


def _sum_by_matter(matters: Mapping[int, Matter]) -> dict[int, tuple[int, int | None, int]]:
    """Return the copied characters, the longest lead in seconds and the number of early chapters of each matter.

    The lead is None if no copied chapter has an official time. Matters without copied texts are left out.
    """
    texts = MatterText.objects.filter(matter__in=list(matters)).order_by()
    sums = dict(texts.values("matter_id").annotate(chars=Sum("taken_chars")).values_list("matter_id", "chars"))
    leads = _lead_figures(matters)
    return {matter: (chars, *leads.get(matter, (None, 0))) for matter, chars in sums.items()}


def _lead_figures(matters: Mapping[int, Matter]) -> dict[int, tuple[int, int]]:
    """Return the longest lead in seconds and the number of early chapters of each matter with official times."""
    works = {matter.work_id for matter in matters.values()}
    timed = Chapter.objects.filter(work__in=works, published_at__isnull=False).order_by()
    official: dict[tuple[int, str], datetime] = {}
    for work, text, at in timed.values_list("work_id", "text_id", "published_at"):
        assert at is not None
        official[work, text] = min(at, official.get((work, text), at))
    if not official:
        return {}
    leads: dict[int, list[int]] = defaultdict(list)
    rows = MatterText.objects.filter(matter__in=list(matters)).order_by()
    for matter, text, seen in rows.values_list("matter_id", "text_id", "first_seen_at"):
        at = official.get((matters[matter].work_id, text))
        if at is not None:
            leads[matter].append(int((at - seen).total_seconds()))
    return {matter: (max(of), sum(lead > 0 for lead in of)) for matter, of in leads.items()}


def _frequent_obfuscations(matter: int) -> list[str]:
    """Return the kinds of obfuscation in the newest cases of a matter, the most frequent first."""
    counts: dict[str, int] = defaultdict(int)
    cases = Case.objects.filter(matter=matter, state__in=COPIES).order_by("-pk")
    for found in cases.values_list("obfuscations", flat=True)[:_READ_OBFUSCATIONS]:
        for item in found:
            counts[item["kind"]] += 1
    return sorted(counts, key=lambda kind: (-counts[kind], kind))


def _site_reach(site: Site) -> float:
    known = site.monthly_visits
    return compute_reach(known, 0 if known is not None else _works_found(site.pk))


def _works_found(site: int) -> int:
    """Return the number of works that were copied on a site, at most MOST_WORKS."""
    copies = Matter.objects.filter(site=site).exclude(open_cases=0, confirmed_cases=0)
    return copies.order_by()[:MOST_WORKS].count()


def sum_taken_chars(works: "QuerySet[Work]") -> dict[int, int]:
    """Return the number of copied characters, by the key of the work, for those of `works` that were copied."""
    rows = CopiedText.objects.filter(work__in=works.order_by().values("pk"), taken_chars__gt=0).order_by()
    return dict(rows.values_list("work_id").annotate(chars=Sum("taken_chars")))


def write_taken(texts: Mapping[int, Collection[str]]) -> None:
    """Update the number of copied characters of texts that changed in a matter. texts: text ids by the key of the work.

    Must be called after the matters are written, in the same transaction. Rows are inserted in the order of work and
    text and then locked by key, so that concurrent writers do not deadlock and read each other's changes.
    """
    rows = [(work, text) for work, of_work in sorted(texts.items()) for text in sorted(of_work)]
    made = [CopiedText(work_id=work, text_id=text) for work, text in rows]
    CopiedText.objects.bulk_create(made, ignore_conflicts=True, batch_size=200)
    for work, of_work in sorted(texts.items()):
        for batch in batches(sorted(of_work)):
            locked = CopiedText.objects.select_for_update(no_key=True).filter(work=work, text_id__in=batch)
            stored = list(locked.order_by("pk"))
            taken = _unite_places(work, batch)
            for row in stored:
                row.taken_chars = len(taken[row.text_id])
            CopiedText.objects.bulk_update(stored, ["taken_chars"])


def _unite_places(work: int, texts: Collection[str]) -> dict[str, Places]:
    rows = MatterText.objects.filter(matter__work=work, text_id__in=texts).order_by()
    found: dict[str, Places] = defaultdict(lambda: NO_PLACES)
    for text, packed in rows.values_list("text_id", "places").iterator():
        found[text] |= Places.unpack(bytes(packed))
    return found


def first_seen(copies: "QuerySet[Case]", texts: Collection[str] | None = None) -> dict[tuple[int, str], datetime]:
    """Return the time when each text was first seen on the page of each case, by the key of the case and the text id.

    A page version counts if it contains at least half as much of the text as the fullest version, because a teaser of
    some lines is not yet the chapter. Times are by text and not by chapter, because findings of a former text say
    nothing about the current one. texts: the ids of the texts to return, or None for all.
    """
    rows = CaseMatch.objects.filter(case__in=copies.order_by().values("pk")).order_by()
    if texts is not None:
        rows = rows.filter(text_id__in=list(texts))
    read = list(rows.values_list("case_id", "text_id", "version_id", "fetched_at", "work_containment"))
    appeared: dict[str, datetime] = {}
    for batch in batches(sorted({version for _, _, version, _, _ in read})):
        appeared |= PageCheck.objects.filter(version_id__in=batch).values_list("version_id", "appeared_at")
    found: dict[tuple[int, str], list[tuple[datetime, float]]] = defaultdict(list)
    for case, text_id, version, fetched_at, share in read:
        found[case, text_id].append((min(fetched_at, appeared.get(version, fetched_at)), share))
    return {key: _first_appearance(versions) for key, versions in found.items()}


def _first_appearance(versions: Sequence[tuple[datetime, float]]) -> datetime:
    enough = max(share for _, share in versions) / 2
    return min(at for at, share in versions if share >= enough)
