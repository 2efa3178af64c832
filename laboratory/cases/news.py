"""News items that repeat each other, and items that have only the stock phrases of news in common.

Every item is a work and a page. The share of its distinct 5-grams (of simplified Han characters) that occur in one
other item, the partner, is counted exactly.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numba
import numpy as np
from numpy.typing import NDArray

from laboratory.cases import corpora
from laboratory.cases.grams import folded, gram_hashes
from laboratory.cases.shelf import GRAM_CHARS
from laboratory.scores.detection_quality import Reported
from laboratory.scores.intervals import Interval, wilson

MIN_SHARE_TO_BE_FOUND = 0.5
MAX_SHARE_OF_INNOCENT = 0.2  # below


@dataclass(frozen=True, slots=True)
class NewsItem:
    """partners: items that contain at least half of it. is_innocent: no other item contains a fifth of it."""

    item_id: str
    text: str
    partners: frozenset[str]
    is_innocent: bool


@dataclass(frozen=True, slots=True)
class NewsScore:
    """found: of the items that repeat a partner, those reported with one, as the source or among the others.

    accused: innocent items reported as more than a quotation; matched: innocent items with any report. classes: number
    of reports of innocent items by the name of the class.
    """

    repeating: int
    found: int
    innocent: int
    matched: int
    accused: int
    missed_ids: tuple[str, ...] = field(repr=False)
    accused_ids: tuple[str, ...] = field(repr=False)
    classes: Mapping[str, int] = field(default_factory=dict)

    @property
    def recall(self) -> float:
        return self.found / self.repeating if self.repeating else 1.0

    @property
    def recall_interval(self) -> Interval:
        return wilson(self.found, self.repeating)

    @property
    def accusation_rate(self) -> float:
        return self.accused / self.innocent if self.innocent else 0.0

    @property
    def accusation_interval(self) -> Interval:
        return wilson(self.accused, self.innocent)


def items(shared: Path, limit: int | None = None) -> list[NewsItem]:
    """Return the items of the shared corpus, the first `limit` of them. Raises UnreadableFile."""
    records = corpora.read(shared, "news_xwlb_dev.jsonl.gz")[:limit]
    return labelled([(record["id"], record["text"]) for record in records])


def labelled(texts: Sequence[tuple[str, str]]) -> list[NewsItem]:
    """Return the items of (id, text) pairs, labelled. An item without any 5-gram is neither of the two."""
    grams = [np.unique(gram_hashes(folded(text)[0], GRAM_CHARS)) for _, text in texts]
    shares = shares_of(grams)
    labels = []
    for (item_id, text), own, row in zip(texts, grams, shares, strict=True):
        partners = frozenset(texts[place][0] for place in np.flatnonzero(row >= MIN_SHARE_TO_BE_FOUND).tolist())
        is_innocent = bool(own.size) and float(row.max(initial=0.0)) < MAX_SHARE_OF_INNOCENT
        labels.append(NewsItem(item_id, text, partners, is_innocent))
    return labels


def shares_of(grams: Sequence[NDArray[np.uint64]]) -> NDArray[np.float32]:
    """Return float32[items, items]: the share of the row's distinct n-grams that the column has; 0 with itself."""
    sizes = np.array([each.size for each in grams], np.int64)
    owners = np.repeat(np.arange(len(grams)), sizes)
    _, kinds = np.unique(np.concatenate([np.zeros(0, np.uint64), *grams]), return_inverse=True)
    order = np.argsort(kinds, kind="stable")
    bounds = np.concatenate([[0], np.cumsum(np.bincount(kinds))]).astype(np.int64)
    common = _common(owners[order], bounds, len(grams))
    np.fill_diagonal(common, 0)
    return (common / np.maximum(sizes, 1)[:, None]).astype(np.float32)


def scored(news: Sequence[NewsItem], reports: Mapping[str, Sequence[Reported]]) -> NewsScore:
    """Return the counts of correct and wrong reports."""
    repeating = [item for item in news if item.partners]
    innocent = [item for item in news if item.is_innocent]
    missed = [item.item_id for item in repeating if not _names_any(reports.get(item.item_id, ()), item.partners)]
    matched = [item for item in innocent if reports.get(item.item_id)]
    accused = [item.item_id for item in matched if any(each.is_accusation for each in reports[item.item_id])]
    classes = Counter(str(each.match_class) for item in matched for each in reports[item.item_id])
    found = len(repeating) - len(missed)
    counts = (len(repeating), found, len(innocent), len(matched), len(accused))
    return NewsScore(*counts, tuple(missed), tuple(accused), dict(classes))


def _names_any(reports: Sequence[Reported], partners: frozenset[str]) -> bool:
    return any(not partners.isdisjoint((report.work_id, *report.also)) for report in reports)


@numba.njit(cache=True)
def _common(owners: NDArray[np.int64], bounds: NDArray[np.int64], items: int) -> NDArray[np.int32]:
    """Return int32[items, items]: the number of n-grams that two items have in common.

    owners: int64[p], the items of each n-gram, one n-gram after the other; bounds: int64[n-grams + 1] in owners.
    """
    counts = np.zeros((items, items), np.int32)
    for gram in range(bounds.size - 1):
        for first in range(bounds[gram], bounds[gram + 1]):
            row = counts[owners[first]]
            for second in range(bounds[gram], bounds[gram + 1]):
                row[owners[second]] += 1
    return counts
