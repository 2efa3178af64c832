"""How long the desk takes: a database is filled, and everything is asked several times through the whole of Django."""

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter, process_time
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.errors import BadInput, BrokenInvariant
from laboratory import draws
from laboratory.desk.findings import Findings
from laboratory.desk.questions import questions
from laboratory.desk.rows import Calendar, quick_writes
from laboratory.desk.shown_case import shown_case
from laboratory.desk.stock import Stock, fill_stock
from laboratory.measures.quality import Listener
from laboratory.speed.machine import Machine, load, machine
from records.code_version import code_version
from records.models import Case
from records.statistics import refresh_statistics

LIST_MEDIAN_MS, LIST_P95_MS, CASE_VIEW_MS = 300.0, 1_000.0, 500.0
MANAGER, ADMINISTRATOR = "manager", "administrator"


@dataclass(frozen=True, slots=True)
class Plan:
    """How much to fill in, and how often to ask."""

    cases: int
    pages: int
    rounds: int
    seed: int


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds. first_ms: of the first time, which counts in none of the others.

    processor_ms: the median of what this process computed, SQLite included; what a busy machine does to the rest.
    """

    first_ms: float
    median_ms: float
    p95_ms: float
    processor_ms: float

    @classmethod
    def of(cls, first: float, others: Sequence[float], computed: Sequence[float]) -> "Times":
        """Of seconds; the 95th percentile is the least that 95 % do not exceed."""
        ordered = [1_000 * each for each in sorted(others)]
        p95 = ordered[math.ceil(0.95 * len(ordered)) - 1]
        figures = (1_000 * first, statistics.median(ordered), p95, 1_000 * statistics.median(computed))
        return cls(*(round(each, 1) for each in figures))

    @property
    def is_met(self) -> bool:
        """Whether a list is as fast as is asked."""
        return self.median_ms < LIST_MEDIAN_MS and self.p95_ms < LIST_P95_MS


@dataclass(frozen=True, slots=True)
class DeskSpeed:
    """What was measured. lists: by who asked and what."""

    plan: Plan
    database: str
    code_version: str
    machine: Machine
    fill_s: float
    lists: dict[str, Times]
    case_view: Times

    @property
    def slow(self) -> list[str]:
        """The lists that miss a target, slowest first."""
        missed = [name for name, times in self.lists.items() if not times.is_met]
        return sorted(missed, key=lambda name: -self.lists[name].median_ms)


def measure(plan: Plan, listener: Listener) -> DeskSpeed:
    """Fill the database that Django is set up with, which has tables and no rows, and ask. Raises BadInput."""
    load_before, began = load(), perf_counter()
    stock = filled(plan, listener)
    fill_s = round(perf_counter() - began, 1)
    lists: dict[str, Times] = {}
    with shown_case(stock.big, draws.generator(plan.seed, "shown case")) as case:
        for who, person in ((MANAGER, stock.big.manager), (ADMINISTRATOR, stock.administrator)):
            lists |= _lists(who, person, stock, plan, listener)
        case_view = _case_view(case, stock, plan.rounds)
    return DeskSpeed(plan, database(), code_version(), machine(load_before, redis_version=""), fill_s, lists, case_view)


def filled(plan: Plan, listener: Listener) -> Stock:
    """Write everything. Raises BadInput for more cases than pages."""
    if plan.cases > plan.pages:
        raise BadInput("laboratory.cases-beyond-pages", cases=plan.cases, pages=plan.pages)
    rng, calendar = draws.generator(plan.seed, "desk"), Calendar(timezone.now())
    with quick_writes():
        stock = fill_stock(plan.cases, plan.pages, calendar, rng)
        Findings(stock, calendar, rng).fill(plan.cases, plan.pages, listener.progress("pages"))
    refresh_statistics()
    if connection.vendor == "postgresql":  # whose own service does it in time
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    return stock


def as_dict(results: DeskSpeed) -> dict[str, Any]:
    """All figures, for programs."""
    return {
        "cases": results.plan.cases,
        "pages": results.plan.pages,
        "rounds": results.plan.rounds,
        "seed": results.plan.seed,
        "database": results.database,
        "code_version": results.code_version,
        "machine": asdict(results.machine),
        "fill_s": results.fill_s,
        "targets": {"list_median_ms": LIST_MEDIAN_MS, "list_p95_ms": LIST_P95_MS, "case_view_ms": CASE_VIEW_MS},
        "slow": results.slow,
        "lists": {name: asdict(times) for name, times in results.lists.items()},
        "case_view_ms": results.case_view.median_ms,
        "case_view": asdict(results.case_view),
    }


def database() -> str:
    """Name and version of the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT sqlite_version()" if connection.vendor == "sqlite" else "SHOW server_version")
        return f"{connection.display_name} {cursor.fetchone()[0]}"


def signed_in(person: User) -> Client:
    """A browser of a person's. Its host is one that every installation allows."""
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    return client


def _lists(who: str, person: User, stock: Stock, plan: Plan, listener: Listener) -> dict[str, Times]:
    client = signed_in(person)
    asked = list(questions(client, stock.big))
    progress, found = listener.progress(who), {}
    for number, question in enumerate(asked, 1):
        found[f"{who}: {question.name}"] = _times(client, question.address, plan.rounds)
        progress(number, len(asked))
    return found


def _case_view(case: Case, stock: Stock, rounds: int) -> Times:
    address = reverse("admin:records_case_change", args=[case.pk])
    return _times(signed_in(stock.big.manager), address, rounds)


def _times(client: Client, address: str, rounds: int) -> Times:
    (first, _), *others = _seconds(client, address, rounds + 1)
    return Times.of(first, [passed for passed, _ in others], [computed for _, computed in others])


def _seconds(client: Client, address: str, often: int) -> Iterator[tuple[float, float]]:
    """Of each request how long it took, and how long this process computed.

    Raises BrokenInvariant where the desk does not answer with a page.
    """
    for _ in range(often):
        began, computed = perf_counter(), process_time()
        status = client.get(address).status_code
        yield perf_counter() - began, process_time() - computed
        if status != 200:
            raise BrokenInvariant("laboratory.desk-answered", address=address, status=status)
