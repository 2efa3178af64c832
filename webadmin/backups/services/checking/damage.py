"""What a check says: each thing that is not what was stored, who needs it, and how it comes back."""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from core.wording import Message
from pagestore.checking import FaultKind
from webadmin.backups.services.store_checks import PARTS


class Store(StrEnum):
    """Where it stands."""

    PAGES = "page store"
    ADMIN = "admin database"
    EVIDENCE = "evidence"
    INDEX = "index"
    FILES = "files"


class Remedy(StrEnum):
    """How it comes back. MADE_ANEW: it is back; CAN_BE_MADE: it would be, were anything written.

    SEARCHED_AGAIN: its page owes a search, which writes it anew.
    """

    MADE_ANEW = "made anew"
    CAN_BE_MADE = "can be made anew"
    SEARCHED_AGAIN = "searched again"
    RESTORE = "restore"


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing that is not what was stored. place: collection, table, file; key: which of them, "" for the whole.

    cases: those that rest on it; pages: page ids that need it; detail: what the store itself says of it.
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
        """Whether it is not back."""
        return self.remedy is not Remedy.MADE_ANEW

    def as_values(self) -> dict[str, Any]:
        """For programs, and for the row of the check."""
        return {
            "store": self.store.value,
            "place": self.place,
            "key": self.key,
            "kind": self.kind.value,
            "remedy": self.remedy.value,
            "cases": list(self.cases),
            "pages": list(self.pages),
            "detail": self.detail,
        }

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> "Damage":
        """What `as_values` gave."""
        return cls(
            Store(values["store"]),
            values["place"],
            values["key"],
            FaultKind(values["kind"]),
            Remedy(values["remedy"]),
            tuple(values["cases"]),
            tuple(values["pages"]),
            values["detail"],
        )


Tell = Callable[[Message, int, int], None]


@dataclass(slots=True)
class CheckReport:
    """What one check read and found. unread: what could not be asked, with the reason: of it nothing is said."""

    items: int = 0
    unread: list[Message] = field(default_factory=list)
    _damages: dict[tuple[Store, str, str], Damage] = field(default_factory=dict)

    def add(self, *damages: Damage) -> None:
        """Note damages. Of one that was noted before, what it touches is united; who can make it anew is believed."""
        for each in damages:
            key = (each.store, each.place, each.key)
            known = self._damages.get(key)
            self._damages[key] = each if known is None else _merge(known, each)

    @property
    def damages(self) -> list[Damage]:
        """Each item once, in the order in which they were found."""
        return list(self._damages.values())

    @property
    def unrepaired_damages(self) -> list[Damage]:
        """What is not back."""
        return [each for each in self.damages if each.is_lost]


def _merge(known: Damage, other: Damage) -> Damage:
    """Two sayings of one damage."""
    first = other if known.remedy is Remedy.RESTORE else known
    return replace(
        first,
        cases=tuple(sorted({*known.cases, *other.cases})),
        pages=tuple(sorted({*known.pages, *other.pages})),
        detail=known.detail or other.detail,
    )


@dataclass(frozen=True, slots=True)
class CheckPart:
    """Which of PARTS is read; None: all."""

    number: int | None = None

    def has(self, key: str) -> bool:
        """Whether what has this key belongs to the part."""
        return self.number is None or zlib.crc32(key.encode("utf-8", "surrogatepass")) % PARTS == self.number

    def covers(self, number: int) -> bool:
        """Whether what is read as one is read with this part."""
        return self.number is None or self.number == number % PARTS
