"""Messages of several pages: one page at fault, or one that ends its worker, costs the others nothing."""

import sqlite3
from collections.abc import Iterator, Sequence

import pytest
import redis
from django.db import OperationalError

from core.errors import BrokenInvariant, NotFound, ServiceUnavailable
from core.ids import digest
from core.messages import MAX_IDS, pages_stored
from pipeline.attempts import MAX_ATTEMPTS, Attempts
from webadmin import base_tasks
from webadmin.accounts.models import FailedMessage
from webadmin.cases import tasks as cases_tasks

pytestmark = pytest.mark.django_db
PAGES = ["a" * 40, "b" * 40, "c" * 40]


class Worker:
    """Records what the task was asked to do, and what it sent again."""

    def __init__(self) -> None:
        self.faults: dict[str, Exception] = {}
        self.compared: list[list[str]] = []
        self.sent_again: list[list[str]] = []

    def compare(self, version_ids: Sequence[str], _: object) -> list[str]:
        for version in version_ids:
            if version in self.faults:
                raise self.faults[version]
        self.compared.append(list(version_ids))
        return []

    def run(self, version_ids: list[str]) -> None:
        """As a worker does, with what the message sends again."""
        cases_tasks.compare_pages(version_ids=version_ids)
        while self.sent_again:
            again = self.sent_again.pop()
            try:
                cases_tasks.compare_pages(version_ids=again)
            except Exception as error:  # what Celery hands on when no retry is left
                cases_tasks.compare_pages.on_failure(error, "", (), {"version_ids": again}, None)


@pytest.fixture
def client(redis_url: str) -> Iterator["redis.Redis"]:
    with redis.Redis.from_url(redis_url) as connected:
        connected.flushdb()
        yield connected


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch, client: "redis.Redis") -> Worker:
    made = Worker()
    monkeypatch.setattr(base_tasks, "redis_client", lambda _: client)
    monkeypatch.setattr(cases_tasks, "live", lambda _: None)
    monkeypatch.setattr(cases_tasks.steps, "compare_pages", made.compare)
    monkeypatch.setattr(
        cases_tasks.compare_pages, "apply_async", lambda kwargs, **_: made.sent_again.append(kwargs["version_ids"])
    )
    return made


def test_one_page_at_fault_costs_the_others_nothing_and_waits_for_a_person(worker: Worker) -> None:
    worker.faults[PAGES[1]] = BrokenInvariant("store.text-gone", version="b")
    worker.run(PAGES)
    assert sorted(worker.compared) == [[PAGES[0]], [PAGES[2]]]
    failed = FailedMessage.objects.get()
    assert (failed.subject, "is missing from the page store" in str(failed.error)) == (PAGES[1], True)


def test_a_wrong_question_to_the_database_is_no_outage_and_waits_for_a_person(worker: Worker) -> None:
    with pytest.raises(sqlite3.OperationalError) as wrong:
        sqlite3.connect(":memory:").execute("SELECT 1 FROM nothing")
    worker.faults[PAGES[1]] = OperationalError(str(wrong.value))
    worker.faults[PAGES[1]].__cause__ = wrong.value
    worker.run(PAGES)
    assert sorted(each for each in worker.compared if len(each) == 1) == [[PAGES[0]], [PAGES[2]]]
    assert FailedMessage.objects.get().subject == PAGES[1]


def test_a_page_that_there_is_no_more_is_passed_over(worker: Worker) -> None:
    worker.faults[PAGES[0]] = NotFound("page-version", PAGES[0])
    worker.run(PAGES)
    assert sorted(worker.compared) == [[PAGES[1]], [PAGES[2]]]
    assert not FailedMessage.objects.exists()


def test_a_message_whose_worker_died_is_taken_apart(worker: Worker, client: "redis.Redis") -> None:
    Attempts(
        client, cases_tasks.compare_pages.name, digest("".join(PAGES).encode())
    ).begin()  # and never came to its end
    worker.run(PAGES)
    assert sorted(worker.compared) == [[page] for page in PAGES]


def test_a_page_that_ends_its_worker_again_and_again_is_given_up(worker: Worker, client: "redis.Redis") -> None:
    attempts = Attempts(client, cases_tasks.compare_pages.name, digest(PAGES[0].encode()))
    for _ in range(MAX_ATTEMPTS):
        attempts.begin()
    worker.run([PAGES[0]])
    assert worker.compared == []
    assert FailedMessage.objects.get().subject == PAGES[0]


def test_a_store_that_is_away_is_waited_for_and_takes_no_message_apart(worker: Worker, client: "redis.Redis") -> None:
    worker.faults[PAGES[0]] = ServiceUnavailable("the page store", "mongodb://127.0.0.1:1")
    for _ in range(2 * MAX_ATTEMPTS):
        with pytest.raises(ServiceUnavailable):  # called as here, outside a worker, a task raises where it would retry
            cases_tasks.compare_pages(version_ids=PAGES)
    assert worker.sent_again == []
    worker.faults.clear()
    worker.run(PAGES)
    assert worker.compared == [PAGES]


def test_no_message_carries_more_than_a_worker_holds() -> None:
    messages = list(pages_stored([str(number) for number in range(2 * MAX_IDS + 1)]))
    assert [len(message.version_ids) for message in messages] == [MAX_IDS, MAX_IDS, 1]
