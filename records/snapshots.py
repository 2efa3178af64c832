"""Records of core as the JSON that a case keeps: plain lists and numbers that any later version can still read."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from core.marks import RawPlaces
from core.matches import Span
from core.obfuscations import Obfuscation, ObfuscationFound
from core.shares import cut_share
from core.text import TextRange

# PostgreSQL stores no NUL, and no database a half of a surrogate pair. One character for one: offsets stay true.
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
REPLACEMENT = "\ufffd"


def with_length_kept(text: str) -> str:
    r"""`text` as every database takes it, of the same length.

    >>> with_length_kept("a\x00b")
    'a\ufffdb'
    """
    return UNSTORABLE.sub(REPLACEMENT, text)


def frozen_span(span: Span, page_text: str, work_text: str, raw: RawPlaces) -> dict[str, Any]:
    """One passage with both excerpts as they stood; offsets in code points of the texts as given.

    raw: where the page's text stands in the text as it came; `raw_changes` has the places of the changes there.
    """
    return {
        "page": [span.page.start, span.page.end],
        "raw": _ends(raw.of(span.page.start, span.page.end)),
        "work": [span.work.start, span.work.end],
        "zone": str(span.zone),
        "similarity": cut_share(span.similarity),
        "page_excerpt": with_length_kept(page_text[span.page.start : span.page.end]),
        "work_excerpt": with_length_kept(work_text[span.work.start : span.work.end]),
        "changes": [
            [str(change.kind), change.page.start, change.page.end, change.work.start, change.work.end]
            for change in span.changes
        ],
        "raw_changes": [_ends(raw.of(change.page.start, change.page.end)) for change in span.changes],
    }


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
    """One entry a kind, counts added, the first example kept, in the given order."""
    merged: dict[Obfuscation, ObfuscationFound] = {}
    for item in obfuscations:
        before = merged.get(item.kind)
        if before is None:
            merged[item.kind] = item
        else:
            merged[item.kind] = ObfuscationFound(item.kind, before.count + item.count, before.example or item.example)
    return [merged[kind] for kind in order if kind in merged]
