"""Scores how exactly the passages of one page are found, by the measures of PAN.

Source: Potthast, Stein, Barrón-Cedeño and Rosso, "An evaluation framework for plagiarism detection", Coling 2010. A
case s is a passage that the page took, a detection r one that was reported; each is a set of page characters and of
work characters, and r detects s when both sides meet in the same work.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log2

from core.text import TextRange
from laboratory.edits.edited import Passage

Interval = tuple[int, int]
_PAGE = ""  # the key of page characters among those of works, which have ids


@dataclass(frozen=True, slots=True)
class SpanScore:
    """The figures of one page, which can be added over pages.

    met, detected, true: numbers of characters in both detections and cases, in detections, and in cases.
    precisions: share of each detection that lies in cases; recalls: share of each case that was detected;
    pieces: number of detections of each detected case.
    """

    met: int
    detected: int
    true: int
    precisions: tuple[float, ...]
    recalls: tuple[float, ...]
    pieces: tuple[int, ...]


def span_score(cases: Sequence[Passage], detections: Iterable[Passage]) -> SpanScore:
    """Compare the detections on one page with its cases. Detections with an empty side are ignored."""
    found = [each for each in detections if len(each.page) and len(each.work)]
    overlaps = {
        (row, column): overlap
        for row, case in enumerate(cases)
        for column, detection in enumerate(found)
        if (overlap := _overlap(case, detection)) is not None
    }
    of_case = [[overlap for (at, _), overlap in overlaps.items() if at == row] for row in range(len(cases))]
    of_detection = [[overlap for (_, at), overlap in overlaps.items() if at == column] for column in range(len(found))]
    return SpanScore(
        met=_chars(overlaps.values()),
        detected=_chars(found),
        true=_chars(cases),
        precisions=tuple(_chars(own) / each.chars for own, each in zip(of_detection, found, strict=True)),
        recalls=tuple(_chars(own) / each.chars for own, each in zip(of_case, cases, strict=True)),
        pieces=tuple(len(own) for own in of_case if own),
    )


def plagdet(precision: float, recall: float, granularity: float) -> float:
    """Return the F1 of precision and recall, divided by the logarithm of 1 + granularity; 0 to 1.

    >>> plagdet(1.0, 1.0, 1.0), plagdet(1.0, 1.0, 3.0), plagdet(0.0, 0.0, 1.0)
    (1.0, 0.5, 0.0)
    """
    return harmonic(precision, recall) / log2(1 + granularity)


def harmonic(first: float, second: float) -> float:
    """Return the harmonic mean, or 0 if both are 0.

    >>> harmonic(0.5, 1.0) == 2 / 3
    True
    """
    return 2 * first * second / (first + second) if first + second else 0.0


def union(intervals: Iterable[Interval]) -> list[Interval]:
    """Return the union of intervals as increasing intervals that do not touch.

    >>> union([(4, 6), (0, 2), (1, 4), (9, 9)])
    [(0, 6)]
    """
    merged: list[Interval] = []
    for start, end in sorted(intervals):
        if end <= start:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _overlap(case: Passage, detection: Passage) -> Passage | None:
    page = _common(case.page, detection.page)
    work = _common(case.work, detection.work)
    is_met = case.work_id == detection.work_id and page is not None and work is not None
    return Passage(case.work_id, page, work) if is_met and page and work else None


def _common(first: TextRange, second: TextRange) -> TextRange | None:
    start, end = max(first.start, second.start), min(first.end, second.end)
    return TextRange(start, end) if end > start else None


def _chars(passages: Iterable[Passage]) -> int:
    """Return the characters of the page and of each work that are in any of the passages."""
    sides: defaultdict[str, list[Interval]] = defaultdict(list)
    for each in passages:
        sides[_PAGE].append((each.page.start, each.page.end))
        sides[each.work_id].append((each.work.start, each.work.end))
    return sum(end - start for intervals in sides.values() for start, end in union(intervals))
