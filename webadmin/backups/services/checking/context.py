"""The stores and settings that a check reads, and its permission to write."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial

from core.settings import Settings
from core.wording import Message
from pagestore.checking import FaultKind
from pagestore.connection import MongoDatabase
from pagestore.raw_bodies import RawBodies
from pipeline.steps import Ports
from webadmin.backups.services.checking.damage import CheckPart, CheckReport, Damage, Remedy, Store, Tell
from webadmin.cases.models import CaseMatch
from webadmin.evidence.services.making import EvidencePorts

MAX_CASES = 1_000  # cases listed for one damage


@dataclass(slots=True)
class CheckContext:
    """A running check. may_mend: repair damages if possible. unwritable: stores that must not be written to."""

    settings: Settings
    ports: Ports
    evidence: EvidencePorts
    database: MongoDatabase
    bodies: RawBodies | None  # the store of response bodies, or None if it is the database
    report: CheckReport
    part: CheckPart
    tell: Tell
    may_mend: bool
    unwritable: set[Store] = field(default_factory=set)

    def may_write(self, store: Store) -> bool:
        return self.may_mend and store not in self.unwritable

    def step(self, code: str) -> Callable[[int, int], None]:
        """Return a function that reports the progress of a step. code: of the step's message."""
        return partial(self.tell, Message(code))


def of_store(place: str, key: str, kind: FaultKind, remedy: Remedy, pages: Iterable[str] = ()) -> Damage:
    """Return a damage in the page store, with the cases of the affected pages."""
    named = tuple(sorted(pages))
    return Damage(Store.PAGES, place, key, kind, remedy, cases_of_pages(named), named)


def cases_of_pages(pages: Iterable[str]) -> tuple[int, ...]:
    """Return the numbers of the cases about these pages."""
    return find_case_ids(case__page_id__in=list(pages)[:MAX_CASES])


def find_case_ids(**condition: object) -> tuple[int, ...]:
    """Return the numbers of the cases with matches that meet a condition, at most MAX_CASES."""
    found = CaseMatch.objects.filter(**condition).values_list("case_id", flat=True)
    return tuple(sorted(set(found))[:MAX_CASES])
