"""The task behind a request: it asks once, closes the request, and is not tried for ever on what kills its worker."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
import redis

from core.clock import ManualClock
from core.errors import BrokenInvariant, ServiceUnavailable
from core.messages import OpinionsRequested, as_dict
from pipeline.attempts import MAX_ATTEMPTS, Attempts
from tests.support import admin_data, case_texts
from tests.support.case_texts import Texts
from tests.support.desk import CollectingOutbox
from webadmin import stores
from webadmin.accounts.models import FailedMessage
from webadmin.cases import tasks as cases_tasks
from webadmin.cases.models import OpinionRequest, SecondOpinion
from webadmin.cases.services.opinions import asking as second_opinions
from webadmin.cases.services.opinions.requests import OpinionSubject, request_opinions

pytestmark = pytest.mark.django_db

NOW = admin_data.NOW


@dataclass
class Desk:
    """A case with stored texts about which the engines were requested, and the message that says so."""

    client: "redis.Redis"
    subject: OpinionSubject
    outbox: CollectingOutbox
    texts: Texts

    def ask(self) -> None:
        """As a worker does with the message."""
        cases_tasks.ask_engines(**self.message())

    def fail(self, error: Exception) -> None:
        """Call what Celery calls when no retry is left."""
        cases_tasks.ask_engines.on_failure(error, "", (), self.message(), None)

    def message(self) -> Mapping[str, object]:
        return as_dict(OpinionsRequested(self.subject.case_id, self.subject.version_id))


@pytest.fixture
def client(redis_url: str) -> Iterator["redis.Redis"]:
    connected = redis.Redis.from_url(redis_url)
    connected.flushdb()
    yield connected
    connected.close()


@pytest.fixture
def desk(client: "redis.Redis", monkeypatch: pytest.MonkeyPatch) -> Desk:
    ours, outbox = admin_data.fill_estate("长河文学", "changhe", cases=2), CollectingOutbox()
    texts, case = case_texts.of_estates(monkeypatch, ours), ours.cases[0]
    ports = SimpleNamespace(pages=texts.pages, works=texts.works, clock=ManualClock(NOW), outbox=outbox)
    monkeypatch.setattr(cases_tasks, "live", lambda _: ports)
    monkeypatch.setattr(cases_tasks, "redis_client", lambda _: client)
    monkeypatch.setattr(stores, "outbox", lambda: outbox)
    made = Desk(client, OpinionSubject(case.pk, case.version_id), outbox, texts)
    request_opinions(made.subject, NOW)
    return made


def test_the_requested_page_is_asked_about_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.ask()
    opinion = SecondOpinion.objects.get()
    assert (opinion.case_id, opinion.version_id) == (desk.subject.case_id, desk.subject.version_id)
    assert opinion.left_out == ""
    assert not OpinionRequest.objects.exists()
    kept = SecondOpinion.objects.values().get()
    monkeypatch.setattr(second_opinions, "ask_all_engines", lambda _: pytest.fail("the engines were asked again"))
    OpinionRequest.objects.create(case_id=desk.subject.case_id, version_id=desk.subject.version_id, requested_at=NOW)
    desk.ask()
    assert SecondOpinion.objects.values().get() == kept
    assert not OpinionRequest.objects.exists()


def test_texts_that_ended_the_worker_again_and_again_are_given_up(desk: Desk) -> None:
    for _ in range(MAX_ATTEMPTS):
        Attempts(desk.client, cases_tasks.ask_engines.name, str(desk.subject)).begin()
    desk.ask()
    assert SecondOpinion.objects.get().left_out == SecondOpinion.LeftOut.GAVE_UP
    assert not OpinionRequest.objects.exists()


def test_an_absent_store_uses_up_no_attempt(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise ServiceUnavailable("the page store", "nowhere")

    assert ServiceUnavailable in {
        each for kind in cases_tasks.ask_engines.autoretry_for for each in kind.__subclasses__()
    }
    with monkeypatch.context() as patched:
        patched.setattr(desk.texts.pages, "version", away)
        for _ in range(MAX_ATTEMPTS + 1):
            with pytest.raises(ServiceUnavailable):
                second_opinions_of(desk)
    assert OpinionRequest.objects.exists()
    desk.ask()
    assert SecondOpinion.objects.get().left_out == ""


def second_opinions_of(desk: Desk) -> None:
    """The task without Celery's retries around it."""
    cases_tasks.ask_engines.__wrapped__(**desk.message())


def test_what_failed_for_good_waits_for_a_person_and_may_be_asked_for_again(desk: Desk) -> None:
    desk.fail(BrokenInvariant("store.operation", error="an engine broke"))
    failed = FailedMessage.objects.get()
    assert (failed.task, failed.subject) == (cases_tasks.ask_engines.name, str(desk.subject))
    assert "an engine broke" in str(failed.error)
    request_opinions(desk.subject, NOW)
    assert len(desk.outbox.sent) == 2
