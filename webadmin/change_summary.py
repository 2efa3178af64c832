"""What was changed inside the copied passages, counted: the legend of a comparison that is also its result."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from core.matches import ChangeKind
from webadmin.comparison import Link

MAX_EXAMPLES = 4  # that fit on one line beside the name


@dataclass(frozen=True, slots=True)
class Example:
    """One pair of texts that stand for each other, and how often."""

    work: str
    page: str
    count: int


@dataclass(frozen=True, slots=True)
class KindCount:
    """All changes of one kind."""

    kind: ChangeKind
    count: int
    examples: tuple[Example, ...]
    more: int  # different pairs that are not shown


def change_counts(links: Iterable[Link]) -> list[KindCount]:
    """Count the changes by kind, the most frequent kind first, with its most frequent pairs."""
    pairs: dict[ChangeKind, Counter[tuple[str, str]]] = {}
    for link in links:
        pairs.setdefault(link.kind, Counter())[link.work, link.page] += 1
    counted = [
        KindCount(
            kind,
            sum(of_kind.values()),
            tuple(Example(work, page, count) for (work, page), count in of_kind.most_common(MAX_EXAMPLES)),
            max(0, len(of_kind) - MAX_EXAMPLES),
        )
        for kind, of_kind in pairs.items()
    ]
    return sorted(counted, key=lambda item: (-item.count, item.kind))
