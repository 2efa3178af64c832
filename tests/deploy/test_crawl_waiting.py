"""How long `crawl --wait` waits: with a real Redis, and a real worker that is alive or not."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from django.db import OperationalError, connection
from django.utils import timezone

from core.errors import RetryLater, ServiceUnavailable
from core.redis_names import QUEUE_PREFIX
from core.settings import Settings
from core.settings_loading import load
from core.wording import Message
from deploy import crawl_waiting
from deploy.crawl_waiting import Patience, RunWatch, wait_for_runs
from deploy.services import health
from tests.support import admin_data
from tests.support.embedded import wait_until
from tests.support.redis_server import database_of
from webadmin.sites.models import CrawlRun

pytestmark = pytest.mark.django_db

NONE = Patience(0.0, 0.0, 0.0)
WORKER = "import os; from celery import Celery; app = Celery(broker=os.environ['BROKER'])\n"


@pytest.fixture
def broker(redis_url: str) -> str:
    url = database_of(redis_url, 9)
    redis.Redis.from_url(url).flushdb()
    return url


@pytest.fixture
def run() -> CrawlRun:
    """A run that has stood in the queue for long, behind the crawl of another site."""
    holder, now = admin_data.holder(), timezone.now()
    other = admin_data.site(holder, name="别处", host="other.example")
    CrawlRun.objects.create(site=other, state=CrawlRun.State.RUNNING, due_at=now)
    site = admin_data.site(holder, host="luoxia.changhe.example")
    return CrawlRun.objects.create(site=site, state=CrawlRun.State.QUEUED, due_at=now - timedelta(hours=3, minutes=7))


@contextmanager
def worker(broker: str, queue: str, folder: Path) -> Iterator[None]:
    """A worker of a queue in which nothing is: it only lives."""
    (folder / "idle_app.py").write_text(
        f"{WORKER}app.conf.broker_transport_options = {{'global_keyprefix': {QUEUE_PREFIX!r}}}\n"
    )
    command = [sys.executable, "-m", "celery", "--app", "idle_app", "worker", "--pool", "solo", "--queues", queue]
    environment = {"BROKER": broker, "PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin"}
    process = subprocess.Popen(
        command, env=environment, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while not health.any_worker_answers(broker, queue):
            assert process.poll() is None
        yield
    finally:
        process.terminate()
        process.wait(30)


def settings(broker: str) -> Settings:
    return load({"ZHUIWEN_REDIS_URL": broker})


def warned(watch: RunWatch) -> bool:
    """Whether the watch warns after it has seen the same once more."""
    watch.saw("queued")
    return bool(watch.warning)


def test_stalled_work_is_awaited_while_its_worker_lives_and_then_given_up(broker: str, tmp_path: Path) -> None:
    watch = RunWatch(settings(broker), "crawl", Message("tracking.no-crawler"), replace(NONE, given_up_after_s=1e9))
    watch.saw("queued")
    watch.saw("queued")
    assert watch.warning == (Message("tracking.no-crawler"),)
    with worker(broker, "crawl", tmp_path):
        wait_until(lambda: not warned(watch), "a worker that lives counts")
    watch = RunWatch(settings(broker), "crawl", Message("tracking.no-crawler"), NONE)
    watch.saw("queued")
    with pytest.raises(RetryLater, match="until one is; see zhuiwen status, and start missing services"):
        watch.saw("queued")


def test_a_worker_that_does_other_work_is_no_sign_of_life(broker: str, tmp_path: Path) -> None:
    watch = RunWatch(settings(broker), "crawl", Message("tracking.no-crawler"), replace(NONE, given_up_after_s=1e9))
    watch.saw("queued")
    with worker(broker, "pages", tmp_path):
        watch.saw("queued")
        assert watch.warning == (Message("tracking.no-crawler"),)
        watch.saw("running")
        assert not watch.warning


def test_a_queued_run_says_what_it_waits_for_and_stops_if_no_worker_runs(
    broker: str, run: CrawlRun, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(RetryLater, match="crawls stay in the queue until one is"):
        wait_for_runs([run], settings(broker), NONE)
    said = capsys.readouterr().err
    assert f"{run.site.name} queued for 180 min; other crawls running: 1" in said
    run.refresh_from_db()
    assert run.state == CrawlRun.State.QUEUED


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (CrawlRun.State.QUEUED, "stays in the queue and will be crawled later"),
        (CrawlRun.State.RUNNING, "the crawl continues in the background"),
        (CrawlRun.State.FINISHED, "its pages are being compared in the background"),
    ],
)
def test_who_stops_waiting_hears_what_becomes_of_the_crawl(run: CrawlRun, state: str, words: str) -> None:
    run.state = state
    assert words in str(crawl_waiting._describe_continuation([run]))


def test_a_database_that_is_away_is_waited_for_and_said_to_be(
    run: CrawlRun, broker: str, capsys: pytest.CaptureFixture[str]
) -> None:
    left = [2]

    def away(execute: Any, *query: Any) -> Any:
        if left[0]:
            left[0] -= 1
            raise OperationalError("the connection is closed")
        return execute(*query)

    CrawlRun.objects.filter(pk=run.pk).update(state=CrawlRun.State.RUNNING)
    with connection.execute_wrapper(away), pytest.raises(RetryLater, match="no crawler is running"):
        wait_for_runs([run], settings(broker), NONE)
    said = capsys.readouterr().err
    assert "waiting: waiting for the admin database at " in said
    assert f"{run.site.name} running" in said, "and the wait goes on"


@pytest.mark.usefixtures("loopback")
def test_a_broker_that_is_away_is_waited_for_by_its_name_up_to_a_limit(
    run: CrawlRun, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = "redis://127.0.0.1:1/0"
    with pytest.raises(ServiceUnavailable, match=r"the message broker \(Redis\) is not responding"):
        wait_for_runs([run], settings(nowhere), NONE, max_outage_s=1.5)
    assert "waiting for the message broker (Redis) at ZHUIWEN_REDIS_URL" in capsys.readouterr().err
