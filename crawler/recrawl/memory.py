"""Visits in memory, for a crawl without an earlier one; a second implementation of the visits port."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from core.ids import PageId, SiteId
from core.visits import MovedTo, Visit


@dataclass
class MemoryVisitRepository:
    """core.ports.VisitRepository in memory. pages_with_cases: what `pages_with_open_cases` returns, for every site."""

    pages_with_cases: frozenset[PageId] = frozenset()
    moves: list[tuple[SiteId, MovedTo]] = field(default_factory=list)
    kept: dict[SiteId, dict[str, Visit]] = field(default_factory=dict)

    def visits(self, site: SiteId) -> Iterable[Visit]:
        return list(self.kept.get(site, {}).values())

    def save(self, site: SiteId, visits: Collection[Visit]) -> None:
        self.kept.setdefault(site, {}).update((visit.id, visit) for visit in visits)

    def pages_with_open_cases(self, site: SiteId) -> frozenset[PageId]:
        return self.pages_with_cases

    def note_moves(self, site: SiteId, moves: Collection[MovedTo]) -> None:
        self.moves += [(site, move) for move in moves if (site, move) not in self.moves]
