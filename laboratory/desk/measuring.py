"""Measures the response times of the desk: fills a database and sends each request several times through Django."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from time import perf_counter, process_time

from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.errors import BadInput, BrokenInvariant
from core.program import code_version
from laboratory import draws
from laboratory.desk.maker import Estate, Maker
from laboratory.desk.questions import questions
from laboratory.desk.shown_case import shown_case
from laboratory.measures.quality import Listener
from laboratory.report import Section, TextTable
from laboratory.speed.machine import load, machine
from webadmin.accounts.models import User
from webadmin.database import refresh_statistics

LIST_MEDIAN_MS, LIST_P95_MS, CASE_VIEW_MS = 300.0, 1_000.0, 500.0


@dataclass(frozen=True, slots=True)
class Plan:
    """The numbers of rows to create and of requests to measure."""

    cases: int
    pages: int
    rounds: int
    seed: int


@dataclass(frozen=True, slots=True)
class Times:
    """Response times in milliseconds. first_ms: the first request, which is not counted in the others.

    processor_ms: median of the processor time of this process, SQLite included; unaffected by other load.
    """

    first_ms: float
    median_ms: float
    p95_ms: float
    processor_ms: float

    @classmethod
    def of(cls, first: float, others: Sequence[float], computed: Sequence[float]) -> "Times":
        """Return the times from seconds; the 95th percentile is the smallest that 95 % do not exceed."""
        ordered = [1_000 * each for each in sorted(others)]
        p95 = ordered[math.ceil(0.95 * len(ordered)) - 1]
        figures = (1_000 * first, statistics.median(ordered), p95, 1_000 * statistics.median(computed))
        return cls(*(round(each, 1) for each in figures))

    @property
    def is_met(self) -> bool:
        """True if a list is as fast as required."""
        return self.median_ms < LIST_MEDIAN_MS and self.p95_ms < LIST_P95_MS


def measure(plan: Plan, listener: Listener) -> Section:
    """Fill the database of Django, which has empty tables, and time the requests. Raises BadInput."""
    if plan.cases > plan.pages:
        raise BadInput("laboratory.cases-beyond-pages", cases=plan.cases, pages=plan.pages)
    load_before, began = load(), perf_counter()
    maker = Maker(draws.generator(plan.seed, "desk"), timezone.now())
    maker.fill(plan.cases, plan.pages, listener.progress("pages"))
    refresh_statistics()
    if connection.vendor == "postgresql":  # autovacuum would do it later
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    fill_s, estate = round(perf_counter() - began, 1), maker.estates[0]
    administrator = User.objects.create(username="administrator", is_staff=True, is_superuser=True)
    lists: dict[str, Times] = {}
    with shown_case(estate, draws.generator(plan.seed, "shown case")) as case:
        for who, person in (("manager", estate.people[0]), ("administrator", administrator)):
            lists |= _lists(who, signed_in(person), estate, plan, listener)
        address = reverse("admin:cases_case_change", args=[case.pk])
        case_view = _times(signed_in(estate.people[0]), address, plan.rounds)
    ordered = dict(sorted(lists.items(), key=lambda item: -item[1].median_ms))
    record = {
        **asdict(plan),
        "database": _database(),
        "code_version": code_version(),
        "machine": asdict(machine(load_before, redis_version="")),
        "fill_s": fill_s,
        "targets": {"list_median_ms": LIST_MEDIAN_MS, "list_p95_ms": LIST_P95_MS, "case_view_ms": CASE_VIEW_MS},
        "slow": [name for name, times in ordered.items() if not times.is_met],
        "lists": {name: asdict(times) for name, times in lists.items()},
        "case_view_ms": case_view.median_ms,
        "case_view": asdict(case_view),
    }
    title = f"Lists, {plan.cases:,} cases, {plan.pages:,} pages, {_database()}; filled in {fill_s:,.0f} s"
    return Section((_list_table(title, ordered), _target_table(ordered, case_view)), record)


def _list_table(title: str, lists: dict[str, Times]) -> TextTable:
    right = ("first ms", "median ms", "p95 ms", "processor ms")
    rows = []
    for name, times in lists.items():
        figures = (times.first_ms, times.median_ms, times.p95_ms, times.processor_ms)
        rows.append((name, *(f"{each:,.0f}" for each in figures), "met" if times.is_met else "not met"))
    return TextTable(title, ("list", *right, "target"), tuple(rows), right)


def _target_table(lists: dict[str, Times], case_view: Times) -> TextTable:
    """Return one line for each target, with the slowest figure."""
    right = ("wanted", "slowest")
    figures = (
        ("list, median ms", LIST_MEDIAN_MS, [each.median_ms for each in lists.values()]),
        ("list, p95 ms", LIST_P95_MS, [each.p95_ms for each in lists.values()]),
        ("case view, median ms", CASE_VIEW_MS, [case_view.median_ms]),
    )
    rows = []
    for name, wanted, measured in figures:
        missed = sum(each >= wanted for each in measured)
        verdict = f"{missed} miss it" if missed else "met"
        rows.append((name, f"below {wanted:,.0f}", f"{max(measured):,.0f}", verdict))
    return TextTable("Targets", ("of", *right, "verdict"), tuple(rows), right)


def _database() -> str:
    """Return the name and version of the database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT sqlite_version()" if connection.vendor == "sqlite" else "SHOW server_version")
        return f"{connection.display_name} {cursor.fetchone()[0]}"


def signed_in(person: User) -> Client:
    """Return a client signed in as a person. Its host is one that every installation allows."""
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    return client


def _lists(who: str, client: Client, estate: Estate, plan: Plan, listener: Listener) -> dict[str, Times]:
    asked = list(questions(client, estate))
    progress, found = listener.progress(who), {}
    for number, question in enumerate(asked, 1):
        found[f"{who}: {question.name}"] = _times(client, question.address, plan.rounds)
        progress(number, len(asked))
    return found


def _times(client: Client, address: str, rounds: int) -> Times:
    """Time a request repeatedly. Raises BrokenInvariant if the desk does not answer with a page."""
    passed, computed = [], []
    for _ in range(rounds + 1):
        began, began_computing = perf_counter(), process_time()
        status = client.get(address).status_code
        passed.append(perf_counter() - began)
        computed.append(process_time() - began_computing)
        if status != 200:
            raise BrokenInvariant("laboratory.desk-answered", address=address, status=status)
    return Times.of(passed[0], passed[1:], computed[1:])
