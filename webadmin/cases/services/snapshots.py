"""Converts records of core to the JSON of cases: plain lists and numbers that any later version can read."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from core.marks import RawPlaces
from core.matches import Change, ChangeKind, Span
from core.obfuscations import Obfuscation, ObfuscationFound
from core.shares import cut_share
from core.text import TextRange
from core.zones import Zone
from webadmin.ui.models.fields import with_length_kept


def frozen_span(span: Span, page_text: str, work_text: str, raw: RawPlaces) -> dict[str, Any]:
    """Return one passage with both excerpts; offsets in code points of the texts as given.

    raw: maps the page's text to the raw text; `raw_changes` has the places of the changes there.
    """
    return placed_span(span) | {
        "raw": _ends(raw.find_range(span.page.start, span.page.end)),
        "page_excerpt": with_length_kept(page_text[span.page.start : span.page.end]),
        "work_excerpt": with_length_kept(work_text[span.work.start : span.work.end]),
        "raw_changes": [_ends(raw.find_range(change.page.start, change.page.end)) for change in span.changes],
    }


def placed_span(span: Span) -> dict[str, Any]:
    """Return the places and changes of one passage, without any text."""
    return {
        "page": [span.page.start, span.page.end],
        "work": [span.work.start, span.work.end],
        "zone": str(span.zone),
        "similarity": cut_share(span.similarity),
        "changes": [
            [str(change.kind), change.page.start, change.page.end, change.work.start, change.work.end]
            for change in span.changes
        ],
    }


def read_span(placed: Mapping[str, Any]) -> Span:
    """Return the passage from the output of `placed_span` or `frozen_span`."""
    return Span(
        page=TextRange(*placed["page"]),
        work=TextRange(*placed["work"]),
        similarity=float(placed.get("similarity", 0.0)),
        changes=tuple(
            Change(ChangeKind(kind), TextRange(page_start, page_end), TextRange(work_start, work_end))
            for kind, page_start, page_end, work_start, work_end in placed.get("changes", ())
        ),
        zone=Zone(placed.get("zone", Zone.MAIN)),
    )


def _ends(place: TextRange) -> list[int]:
    return [place.start, place.end]


def frozen_obfuscations(obfuscations: Iterable[ObfuscationFound]) -> list[dict[str, Any]]:
    return [
        {"kind": str(item.kind), "count": item.count, "example": with_length_kept(item.example)}
        for item in obfuscations
    ]


def merged_obfuscations(
    obfuscations: Iterable[ObfuscationFound], order: Sequence[Obfuscation]
) -> list[ObfuscationFound]:
    """Return one entry per kind, in the given order, with the sum of counts and the first example."""
    merged: dict[Obfuscation, ObfuscationFound] = {}
    for item in obfuscations:
        before = merged.get(item.kind)
        if before is None:
            merged[item.kind] = item
        else:
            merged[item.kind] = ObfuscationFound(item.kind, before.count + item.count, before.example or item.example)
    return [merged[kind] for kind in order if kind in merged]
