"""The findings of a check: each damaged record, the cases and pages that need it, and its remedy."""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from core.wording import Message
from pagestore.checking import FaultKind
from webadmin.backups.services.store_checks import PARTS

MAX_CASES_SHOWN = 10
LEADS = "rewrites_rewordedlead"  # the table whose rows have their own name in messages


class Store(StrEnum):
    """The stores that may have a damaged record."""

    PAGES = "page store"
    ADMIN = "admin database"
    EVIDENCE = "evidence"
    INDEX = "index"
    FILES = "files"


class Remedy(StrEnum):
    """The remedy for a damage. MADE_ANEW: repaired. CAN_BE_MADE: the check could repair it if it were allowed to write.

    SEARCHED_AGAIN: the page is due for a search, which writes the record again. RESTORE: restore the record from the
    backup.
    """

    MADE_ANEW = "made anew"
    CAN_BE_MADE = "can be made anew"
    SEARCHED_AGAIN = "searched again"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True)
class Damage:
    """A damaged record. place: its collection, table or file. key: its key, or "" for the whole place.

    cases: the cases that depend on it. pages: the ids of the pages that need it. detail: the store's message.
    """

    store: Store
    place: str
    key: str
    kind: FaultKind
    remedy: Remedy
    cases: tuple[int, ...] = ()
    pages: tuple[str, ...] = ()
    detail: str = ""

    @property
    def is_lost(self) -> bool:
        """True if the damage is not repaired."""
        return self.remedy is not Remedy.MADE_ANEW

    def as_values(self) -> dict[str, Any]:
        """Return the damage as JSON values, for programs and for the row of the check."""
        return asdict(self)

    @property
    def sentence(self) -> Message:
        """The damage as a one-line message."""
        is_row = self.store is Store.ADMIN and self.remedy is Remedy.RESTORE  # a backup restores all rows or none
        place = " ".join(filter(None, (self.place, self.key)))
        remedy = Message("checking.restore-row") if is_row else _term_text(self.remedy)
        told = Message(
            "checking.damage", store=_term_text(self.store), place=place, kind=_term_text(self.kind), remedy=remedy
        )
        if self.place == LEADS and self.key:
            told = Message("checking.damage-of-lead", told=told, lead=self.key)
        if self.cases:
            more = ["…"] if len(self.cases) > MAX_CASES_SHOWN else []
            cases = [*(f"#{case}" for case in self.cases[:MAX_CASES_SHOWN]), *more]
            told = Message("checking.damage-of-cases", told=told, cases=cases)
        return Message("checking.damage-detail", told=told, detail=self.detail) if self.detail else told

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> "Damage":
        """Return the damage from the result of `as_values`."""
        store, kind, remedy = Store(values["store"]), FaultKind(values["kind"]), Remedy(values["remedy"])
        lists = {name: tuple(values[name]) for name in ("cases", "pages")}
        return cls(**{**values, **lists, "store": store, "kind": kind, "remedy": remedy})


def _term_text(value: Store | Remedy | FaultKind) -> Message:
    return Message(f"checking.{value.replace(' ', '-')}")


Tell = Callable[[Message, int, int], None]


@dataclass(slots=True)
class CheckReport:
    """The result of a check. items: the number of items read. unread: the reasons why stores could not be checked."""

    items: int = 0
    unread: list[Message] = field(default_factory=list)
    _damages: dict[tuple[Store, str, str], Damage] = field(default_factory=dict)

    def add_damages(self, *damages: Damage) -> None:
        """Add damages. A known damage is merged, and of its remedies the one that needs no backup is used."""
        for each in damages:
            key = (each.store, each.place, each.key)
            known = self._damages.get(key)
            self._damages[key] = each if known is None else _merge_damages(known, each)

    @property
    def damages(self) -> list[Damage]:
        """The damages, each once, in the order in which they were found."""
        return list(self._damages.values())

    @property
    def unrepaired_damages(self) -> list[Damage]:
        """The damages that are not repaired."""
        return [each for each in self.damages if each.is_lost]


def _merge_damages(known: Damage, other: Damage) -> Damage:
    """Merge two reports of the same damage."""
    first = other if known.remedy is Remedy.RESTORE else known
    return replace(
        first,
        cases=tuple(sorted({*known.cases, *other.cases})),
        pages=tuple(sorted({*known.pages, *other.pages})),
        detail=known.detail or other.detail,
    )


@dataclass(frozen=True, slots=True)
class CheckPart:
    """The part (of PARTS) that a check reads. number: from 0, or None for everything."""

    number: int | None = None

    def has(self, key: str) -> bool:
        """Return True if the record with this key belongs to the part."""
        return self.number is None or zlib.crc32(key.encode("utf-8", "surrogatepass")) % PARTS == self.number

    def covers(self, number: int) -> bool:
        """Return True if this part reads a store that can only be read as a whole. number: of the part that does."""
        return self.number is None or self.number == number % PARTS
