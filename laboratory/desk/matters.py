"""The matters of the cases of a made desk: one for each site and work, with figures added up while cases are drawn."""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.db import connection

from core.harm import harm_of, reach_of
from core.states import CaseState
from laboratory.desk.rows import Rows
from records.models import Matter

_COLUMNS = (
    "open_cases", "confirmed_cases", "closed_cases", "taken_chars", "work_share", "harm", "obfuscations",
    "first_seen_at", "newest_at",
)  # fmt: skip
BATCH = 10_000


@dataclass(slots=True)
class MadeMatter:
    """One of them. states: how many cases stand where; the characters of pages are added up to the work's length."""

    key: int
    site: int
    work_chars: int
    states: Counter[str] = field(default_factory=Counter)
    taken_chars: int = 0
    first: Any = None
    newest: Any = None
    kinds: set[str] = field(default_factory=set)

    def add(self, state: str, taken: int, at: Any, obfuscations: str) -> None:
        """A case more, opened at a moment; cases come in the order of time. obfuscations: JSON."""
        self.states[state] += 1
        self.first, self.newest = self.first or at, at
        if CaseState(state).is_copy:
            self.taken_chars = min(self.work_chars, self.taken_chars + taken)
            self.kinds.update(each["kind"] for each in json.loads(obfuscations))


class Matters:
    """All of them. rows: of the table, without figures, which come last."""

    def __init__(self) -> None:
        self.rows = Rows(Matter)
        self._made: dict[tuple[int, int], MadeMatter] = {}

    def of(self, page: dict[str, Any], work: Any, work_chars: int) -> MadeMatter:
        """That of a page's site and a work."""
        key = page["site_id"], work.pk
        if key not in self._made:
            row = self.rows.add(rights_holder_id=page["rights_holder_id"], site_id=key[0], work_id=key[1])
            self._made[key] = MadeMatter(row, key[0], work_chars)
        return self._made[key]

    def write_figures(self) -> None:
        """What the cases of each add up to."""
        found = Counter(each.site for each in self._made.values() if each.taken_chars)
        assigned = ", ".join(f"{name} = %s" for name in _COLUMNS)
        statement = f"UPDATE {Matter._meta.db_table} SET {assigned} WHERE id = %s"  # noqa: S608 - names of our own
        rows = [_figures(each, found[each.site]) for each in self._made.values()]
        with connection.cursor() as cursor:
            for start in range(0, len(rows), BATCH):
                cursor.executemany(statement, rows[start : start + BATCH])


def _figures(made: MadeMatter, works_found: int) -> tuple[Any, ...]:
    share = made.taken_chars / made.work_chars
    closed = made.states[CaseState.DISMISSED] + made.states[CaseState.SET_ASIDE]
    harm = harm_of(share, None, reach_of(None, works_found), len(made.kinds)).total
    states = (made.states[CaseState.OPEN], made.states[CaseState.CONFIRMED], closed)
    return (*states, made.taken_chars, share, harm, json.dumps(sorted(made.kinds)), made.first, made.newest, made.key)
