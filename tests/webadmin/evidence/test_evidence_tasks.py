"""When evidence is made: behind a match, by the sweep for what is owed, and drawn behind everything else."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import redis
from django_celery_beat.models import PeriodicTask

from core.clock import ManualClock
from core.errors import BrokenInvariant, ServiceUnavailable
from core.messages import MatchesFound, StepMessage
from core.redis_names import QUEUE_PREFIX
from core.settings_loading import load
from pipeline.sweep import SweepCounts
from tests.support import admin_data, case_texts
from tests.support.memory_evidence import MemoryEvidenceStore
from webadmin import base_tasks
from webadmin.accounts.models import FailedMessage
from webadmin.accounts.services import failures
from webadmin.cases import tasks as cases_tasks
from webadmin.evidence import tasks as evidence_tasks
from webadmin.evidence.models import EvidenceBundle, EvidenceCheck
from webadmin.evidence.services.making import EvidencePorts
from webadmin.preparation import ensure_schedule

pytestmark = pytest.mark.django_db


@dataclass
class Desk:
    """Records what the tasks of a worker see and send."""

    client: "redis.Redis"
    ports: EvidencePorts
    world: admin_data.World
    sent: list[StepMessage] = field(default_factory=list)
    draws: list[dict[str, Any]] = field(default_factory=list)
    is_broker_away: bool = False

    def send(self, message: StepMessage) -> None:
        if self.is_broker_away:
            raise ServiceUnavailable("the message broker (Redis)", "nowhere")
        self.sent.append(message)


@pytest.fixture
def desk(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    client = redis.Redis.from_url(redis_url)
    client.flushdb()
    world, texts = admin_data.fill_world(cases=2), case_texts.use(monkeypatch)
    for estate in (world.ours, world.theirs):
        case_texts.keep_estate(texts, estate)
    clock = ManualClock(admin_data.NOW + timedelta(days=2))
    made = Desk(client, EvidencePorts(texts.pages, texts.works, MemoryEvidenceStore(), clock), world)
    for tasks in (cases_tasks, evidence_tasks):
        monkeypatch.setattr(tasks, "live", lambda _: SimpleNamespace(outbox=made, pages=texts.pages))
    for tasks in (base_tasks, cases_tasks, evidence_tasks):
        monkeypatch.setattr(tasks, "redis_client", lambda _: client)
    monkeypatch.setattr(evidence_tasks, "live_evidence", lambda _: made.ports)
    monkeypatch.setattr(cases_tasks, "sweep_all", lambda _: SweepCounts(0, 0, 0, False))
    monkeypatch.setattr(evidence_tasks.draw_evidence, "apply_async", lambda **options: made.draws.append(options))
    yield made
    client.close()


def test_a_match_sends_for_its_bundle_and_is_not_undone_by_an_absent_broker(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    for found, is_away in (([], False), (["v" * 40], True), (["v" * 40], False)):
        monkeypatch.setattr(cases_tasks.steps, "compare_pages", lambda *_, found=found: found)
        desk.is_broker_away = is_away
        cases_tasks.compare_pages(version_ids=["v" * 40])
        assert desk.sent == ([MatchesFound(("v" * 40,))] if found and not is_away else [])


def test_the_sweep_sends_for_bundles_that_are_owed_and_then_for_pictures(desk: Desk) -> None:
    cases_tasks.sweep()
    (message,) = desk.sent
    assert isinstance(message, MatchesFound)
    assert len(message.version_ids) == 4
    assert desk.draws == []
    evidence_tasks.bundle_evidence(version_ids=message.version_ids)
    assert EvidenceBundle.objects.count() == 4
    desk.sent.clear()
    cases_tasks.sweep()
    assert desk.sent == []
    assert len(desk.draws) == 1


def test_a_version_that_cannot_be_bundled_waits_for_a_person(desk: Desk) -> None:
    version = desk.world.ours.cases[0].version_id
    desk.world.ours.cases[0].matches.update(page_text_digest="0" * 64)
    with pytest.raises(BrokenInvariant) as fault:
        evidence_tasks.bundle_evidence(version_ids=[version])
    failures.note_failure(evidence_tasks.bundle_evidence.name, version, fault.value)
    cases_tasks.sweep()
    (message,) = desk.sent
    assert isinstance(message, MatchesFound)
    assert version not in message.version_ids
    assert len(message.version_ids) == 3


def test_nothing_is_drawn_while_a_page_waits(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(evidence_tasks.evidence, "draw_pending", lambda *given: asked.append(given[3]()) or 0)
    evidence_tasks.draw_evidence()
    desk.client.rpush(f"{QUEUE_PREFIX}pages", b"{}")
    evidence_tasks.draw_evidence()
    assert asked == [True, False]


def test_the_nightly_check_reads_bundles_and_files(desk: Desk) -> None:
    for estate in (desk.world.ours, desk.world.theirs):
        evidence_tasks.bundle_evidence(version_ids=[estate.cases[0].version_id])
    evidence_tasks.check_evidence()
    check = EvidenceCheck.objects.get()
    # The bytes of the files of the test's estates are in no store.
    assert (check.bundles, check.files, len(check.faults)) == (2, 4, 4)


def test_beat_knows_when_and_no_tick_takes_back_what_an_operator_moved() -> None:
    settings = load({})
    ensure_schedule(settings)
    for name in ("evidence.stamp_evidence", "evidence.check_evidence"):
        task = PeriodicTask.objects.get(task=name)
        assert task.enabled
        PeriodicTask.objects.filter(pk=task.pk).update(enabled=False)
    ensure_schedule(settings)
    assert not PeriodicTask.objects.filter(task__contains="evidence", enabled=True).exists()
    nightly = PeriodicTask.objects.get(task="evidence.check_evidence")
    assert (nightly.crontab.hour, str(nightly.crontab.timezone)) == ("2", "Asia/Shanghai")


@pytest.mark.parametrize(
    ("fault", "left"),
    [(ServiceUnavailable("the page store", "nowhere"), 0), (BrokenInvariant("store.page-stuck", page="a bug"), 1)],
)
def test_an_absent_service_needs_nobody(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, fault: Exception, left: int
) -> None:
    def fail(_: object) -> EvidencePorts:
        raise fault

    monkeypatch.setattr(evidence_tasks, "live_evidence", fail)
    evidence_tasks.draw_evidence.apply()
    assert FailedMessage.objects.count() == left
