"""What was changed inside the copied passages, counted: the legend of a comparison that is also its result."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from core.matches import ChangeKind
from webadmin.case_page.comparison import Link

MAX_EXAMPLES = 4  # that fit on one line beside the name


@dataclass(frozen=True, slots=True)
class Example:
    """One pair of texts that stand for each other, and how often."""

    work: str
    page: str
    count: int


@dataclass(frozen=True, slots=True)
class KindCount:
    """All changes of one kind. What was moved has no examples: the same words stand on both sides."""

    kind: ChangeKind
    count: int
    examples: tuple[Example, ...]
    more: int  # different pairs that are not shown


def change_counts(links: Iterable[Link]) -> list[KindCount]:
    """Count the changes by kind, the most frequent kind first, with its most frequent pairs."""
    pairs: dict[ChangeKind, Counter[tuple[str, str]]] = {}
    for link in links:
        pairs.setdefault(link.kind, Counter())[link.work, link.page] += 1
    counted = [_counted(kind, of_kind) for kind, of_kind in pairs.items()]
    return sorted(counted, key=lambda item: (-item.count, item.kind))


def _counted(kind: ChangeKind, pairs: Counter[tuple[str, str]]) -> KindCount:
    if kind is ChangeKind.MOVED:
        return KindCount(kind, pairs.total(), (), 0)
    examples = tuple(Example(work, page, count) for (work, page), count in pairs.most_common(MAX_EXAMPLES))
    return KindCount(kind, pairs.total(), examples, max(0, len(pairs) - MAX_EXAMPLES))
