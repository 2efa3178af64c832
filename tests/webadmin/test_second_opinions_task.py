"""When the engines are asked: behind everything else, by one worker at a time, and not for ever about what kills it."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import redis

from core.clock import ManualClock
from pipeline import tasks
from pipeline.attempts import MAX_ATTEMPTS, Attempts
from pipeline.pending import KEY_PREFIX
from pipeline.sweep import Swept
from pipeline.turns import turn
from tests.support import admin_data, case_texts
from tests.support.desk import CollectingOutbox
from webadmin.models import SecondOpinion
from webadmin.second_opinions import waiting

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(redis_url: str) -> Iterator["redis.Redis"]:
    connected = redis.Redis.from_url(redis_url)
    connected.flushall()
    yield connected
    connected.close()


@pytest.fixture
def sent(client: "redis.Redis", monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """Cases with stored texts, and the messages by which the task asks for itself again."""
    world, texts = admin_data.fill_world(cases=2), case_texts.use(monkeypatch)
    for estate in (world.ours, world.theirs):
        case_texts.keep_estate(texts, estate)
    clock = ManualClock(admin_data.NOW)
    ports = SimpleNamespace(pages=texts.pages, works=texts.works, clock=clock, outbox=CollectingOutbox())
    messages: list[dict[str, object]] = []
    monkeypatch.setattr(tasks, "live", lambda _: ports)
    monkeypatch.setattr(tasks, "redis_client", lambda _: client)
    monkeypatch.setattr(tasks.ask_engines, "apply_async", lambda **options: messages.append(options))
    return messages


def test_all_that_waits_is_asked_about_when_nothing_else_is_to_do(sent: list[dict[str, object]]) -> None:
    assert len(waiting(limit=9)) == 4
    tasks.ask_engines()
    assert waiting(limit=9) == []
    assert not SecondOpinion.objects.exclude(left_out="").exists()
    assert sent == []


@pytest.mark.parametrize("queue", ["pages", "works"])
def test_pages_and_works_come_first(sent: list[dict[str, object]], client: "redis.Redis", queue: str) -> None:
    client.rpush(KEY_PREFIX + queue, "a message")
    tasks.ask_engines()
    assert not SecondOpinion.objects.exists()
    assert sent == []


def test_what_takes_long_lets_other_messages_by_and_goes_on(
    sent: list[dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "ASKING_S", 0.0)
    tasks.ask_engines()
    assert len(sent) == 1


def test_two_workers_never_ask_at_once(sent: list[dict[str, object]], client: "redis.Redis") -> None:
    with turn(client, tasks.OPINIONS) as is_ours:
        assert is_ours
        tasks.ask_engines()
    assert not SecondOpinion.objects.exists()
    assert sent == []


def test_texts_that_ended_the_worker_again_and_again_are_given_up(
    sent: list[dict[str, object]], client: "redis.Redis"
) -> None:
    subject = waiting(limit=1)[0]
    for _ in range(MAX_ATTEMPTS):
        Attempts(client, "pipeline.ask_engines", str(subject)).begin()
    tasks.ask_engines()
    given_up = SecondOpinion.objects.get(left_out=SecondOpinion.LeftOut.GAVE_UP)
    assert given_up.case_id == subject.case_id
    assert waiting(limit=9) == []


def test_the_sweep_asks_for_it_only_while_something_is_left(
    sent: list[dict[str, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "sweep_all", lambda _: Swept(0, 0, 0, index_rebuilt=False))
    tasks.sweep()
    assert len(sent) == 1
    tasks.ask_engines()
    tasks.sweep()
    assert len(sent) == 1
