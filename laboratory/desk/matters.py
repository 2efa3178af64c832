"""The matters of the cases of a made desk: one for each site and work, with figures added up while cases are drawn."""

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from random import Random
from typing import Any

from django.db import connection

from core.harm import harm_of, reach_of
from core.states import CaseState
from core.taken import NO_PLACES, Places
from laboratory import draws
from laboratory.desk.rows import Rows, write_together
from laboratory.desk.stock import Stock
from records.models import CopiedText, Matter, MatterText
from records.models.obfuscation_kinds import spaced

_COLUMNS = (
    "open_cases", "confirmed_cases", "closed_cases", "taken_chars", "work_share", "harm", "obfuscation_kinds",
    "first_seen_at", "newest_at", "changed_cases", "returned_cases", "lead_s", "early_chapters",
    "awaited", "assignee_id",
)  # fmt: skip
BATCH = 10_000
DAY_S = 86_400


@dataclass(slots=True)
class MadeMatter:
    """One of them. states: how many cases stand where; the characters of pages are added up to the work's length.

    texts: of the work, which characters of each stand on pages, and since when.
    """

    key: int
    site: int
    work: int
    work_chars: int
    states: Counter[str] = field(default_factory=Counter)
    taken_chars: int = 0
    first: Any = None
    newest: Any = None
    kinds: set[str] = field(default_factory=set)
    texts: dict[str, tuple[Places, Any]] = field(default_factory=dict)
    assignee: int | None = None
    changed: int = 0
    returned: int = 0

    def add(self, state: str, text_id: str, taken: Places, at: Any, obfuscations: str) -> None:
        """A case more, opened at a moment; cases come in the order of time. obfuscations: JSON."""
        self.states[state] += 1
        self.first, self.newest = self.first or at, at
        if CaseState(state).is_copy:
            self.taken_chars = min(self.work_chars, self.taken_chars + len(taken))
            self.kinds.update(each["kind"] for each in json.loads(obfuscations))
            before, since = self.texts.get(text_id, (NO_PLACES, at))
            self.texts[text_id] = before | taken, since


class Matters:
    """All of them. rows: of the table, without figures, which come last."""

    def __init__(self, stock: Stock, rng: Random) -> None:
        self.rows, self._rng = Rows(Matter), rng
        # Of ten matters one is the manager's and two are others'.
        self._people = {
            estate.holder.pk: [estate.manager.pk, *(each.pk for each in estate.reviewers[:2]), *[None] * 7]
            for estate in stock.estates
        }
        self._made: dict[tuple[int, int], MadeMatter] = {}

    def of(self, page: dict[str, Any], work: Any, work_chars: int) -> MadeMatter:
        """That of a page's site and a work."""
        key = page["site_id"], work.pk
        if key not in self._made:
            row = self.rows.add(rights_holder_id=page["rights_holder_id"], site_id=key[0], work_id=key[1])
            assignee = draws.one_of(self._rng, self._people[page["rights_holder_id"]])
            self._made[key] = MadeMatter(row, *key, work_chars, assignee=assignee)
        return self._made[key]

    def write_figures(self) -> None:
        """What the cases of each add up to."""
        found = Counter(each.site for each in self._made.values() if each.taken_chars)
        assigned = ", ".join(f"{name} = %s" for name in _COLUMNS)
        statement = f"UPDATE {Matter._meta.db_table} SET {assigned} WHERE id = %s"  # noqa: S608 - names of our own
        rows = [_figures(each, found[each.site], self._rng) for each in self._made.values()]
        with connection.cursor() as cursor:
            for start in range(0, len(rows), BATCH):
                cursor.executemany(statement, rows[start : start + BATCH])
        self._write_texts()

    def _write_texts(self) -> None:
        texts, copied = Rows(MatterText), Rows(CopiedText)
        together: dict[tuple[int, str], Places] = defaultdict(lambda: NO_PLACES)
        for each in self._made.values():
            for text_id, (places, since) in each.texts.items():
                counted = {"taken_chars": len(places), "places": places.packed()}
                texts.add(matter_id=each.key, text_id=text_id, first_seen_at=since, **counted)
                together[each.work, text_id] |= places
        for (work, text_id), places in together.items():
            copied.add(work_id=work, text_id=text_id, taken_chars=len(places))
        write_together(texts, copied)


def _figures(made: MadeMatter, works_found: int, rng: Random) -> tuple[Any, ...]:
    share = made.taken_chars / made.work_chars
    closed = made.states[CaseState.DISMISSED] + made.states[CaseState.SET_ASIDE]
    lead_s = draws.between(rng, -30 * DAY_S, 2 * DAY_S) if made.key % 2 else None
    early = 3 if lead_s is not None and lead_s > 0 else 0
    harm = harm_of(share, lead_s, reach_of(None, works_found), len(made.kinds)).total
    states = (made.states[CaseState.OPEN], made.states[CaseState.CONFIRMED], closed)
    seen = (spaced(sorted(made.kinds)), made.first, made.newest, made.changed, made.returned)
    awaited = "授权合同" if made.key % 50 == 0 else ""
    return (*states, made.taken_chars, share, harm, *seen, lead_s, early, awaited, made.assignee, made.key)
