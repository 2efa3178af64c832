"""The process that compares by meaning: started where something is owed, once a machine, killed, stopped."""

import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
import redis
from django_celery_beat.models import PeriodicTask

from core.redis_names import QUEUES, REWORDED_NOTE
from core.settings_loading import load
from deploy.cli.status import noted_backlog
from pipeline.app import app
from pipeline.attempts import Attempts
from pipeline.redis_lock import forget_lock
from tests.support.encoders import needs_encoder
from tests.support.installation import REWORDED, Installation, Machine, installed, wait_until
from tests.support.reworded_chain import RewordedChain, other_words, reworded_chain
from tests.support.rewritten import INNOCENT
from tests.support.web_server import WebServer
from webadmin import worker
from webadmin.accounts.models import FailedMessage
from webadmin.preparation import ensure_schedule
from webadmin.rewrites import tasks as rewrites_tasks
from webadmin.rewrites.models import RewordedCheck, RewordedLead
from webadmin.rewrites.services.search_process import LOCK, NICENESS
from webadmin.rewrites.services.searching import search as searching_module
from webadmin.rewrites.services.searching.holder_works import HolderWorks
from webadmin.sites.services import crawlers

GIVEN = other_words()
# A page as a crawl and a worker leave it; the first brings the holder, the site and the work.
_ADD_PAGE = """
from dataclasses import replace
from datetime import UTC, datetime
from core.pages import Fetched, Reading
from core.works import ChapterText, WorkFile
from pipeline import steps
from pipeline.app import SETTINGS
from tests.support.memory_cases import MemoryOutbox
from pipeline.rebuild import rebuild_index
from webadmin.wiring import live_ports
from webadmin.accounts.models import RightsHolder
from webadmin.sites.models import Site
from webadmin.sites.services import watchlist
from webadmin.works.services import catalogue
ports = replace(live_ports(SETTINGS), outbox=MemoryOutbox())
url, text, source = sys.argv[1:]
holder, is_new = RightsHolder.objects.get_or_create(name="甲", defaults={"reworded_kinds": ["story"]})
if is_new:
    watchlist.add_site(holder, "http://pirate.example/")
    catalogue.add_work(holder, WorkFile("河", "", (ChapterText(1, "", source),)), "story", ports.works, ports.outbox)
    rebuild_index(ports, catalogue.corpus_texts())
fetched = Fetched(str(Site.objects.get().pk), url, url, url, 200, (), text.encode(), datetime.now(UTC))
steps.compare_pages([ports.pages.put(fetched, Reading(title="某页", text=text)).version_id], ports)
"""
_TICK = "from webadmin.rewrites import tasks as rewrites_tasks; rewrites_tasks.search_reworded()"
_STOP = """
from webadmin.sites.services import crawlers
from pipeline.app import SETTINGS
crawlers.stop_jobs(SETTINGS.home)
crawlers.wait_until_ended(SETTINGS.home, 60)
"""


@pytest.fixture
def installation(tmp_path: Path, mongo_url: str, redis_url: str) -> Iterator[Installation]:
    with WebServer({}) as server, installed(tmp_path, tmp_path / "admin.sqlite3", mongo_url, redis_url, server) as made:
        yield made


def leads(installation: Installation) -> int:
    return len(installation.rows("SELECT * FROM rewrites_rewordedlead"))


def the_process(machine: Machine) -> psutil.Process:
    (found,) = machine.processes(REWORDED)
    return found


@needs_encoder
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("processes")
def test_one_process_finds_leads_survives_a_kill_and_ends_in_order(installation: Installation) -> None:
    machine = installation.machine()
    machine.run(_ADD_PAGE, "http://pirate.example/1", GIVEN.text, GIVEN.source)
    machine.run(_TICK)
    wait_until(lambda: leads(installation) == 1, "the first page is a lead")
    first = the_process(machine)
    assert first.nice() == min(19, os.nice(0) + NICENESS)
    machine.run(_ADD_PAGE, "http://pirate.example/2", f"{GIVEN.text}\n完。", GIVEN.source)
    machine.run(_TICK)
    wait_until(lambda: leads(installation) == 2, "the process that lingers takes the second")
    assert the_process(machine) == first, "no other was started"
    first.kill()
    wait_until(lambda: not machine.processes(REWORDED), "it has ended")
    with redis.Redis.from_url(installation.redis_url) as broker:
        forget_lock(broker, LOCK)  # which a minute does, too
    machine.run(_TICK)
    assert not machine.processes(REWORDED), "nothing is owed"
    machine.run(_ADD_PAGE, "http://pirate.example/3", f"前。\n{GIVEN.text}", GIVEN.source)
    machine.run(_TICK)
    wait_until(lambda: leads(installation) == 3, "another process goes on")
    machine.run(_STOP)
    assert not machine.processes(REWORDED), "it outlived the services"


@needs_encoder
@pytest.mark.django_db
class TestKilled:
    @pytest.fixture
    def chain(self) -> RewordedChain:
        made = reworded_chain()
        made.add_work(GIVEN.source)
        for number in range(5):
            made.add_page(f"{GIVEN.text}\n{number}", f"/{number}")
        return made

    def test_nothing_is_searched_twice(self, chain: RewordedChain, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(searching_module, "BATCH_PAGES", 2)
        search, calls = searching_module.record_searched, list[int]()

        def killed_in_the_second(watch: Any, until: Any, pages: Any, works: Any, now: Any) -> Any:
            calls.append(len(pages))
            if len(calls) == 2:
                raise KeyboardInterrupt
            return search(watch, until, pages, works, now)

        monkeypatch.setattr(searching_module, "record_searched", killed_in_the_second)
        with pytest.raises(KeyboardInterrupt):
            chain.search()
        assert RewordedCheck.objects.count() == 2
        chain.begin_anew()
        assert chain.search().pages == 3
        assert RewordedLead.objects.count() == 5

    def test_a_page_that_ends_its_process_is_given_up_and_others_are_searched(
        self, chain: RewordedChain, redis_url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        client, search = redis.Redis.from_url(redis_url), HolderWorks.search
        client.flushdb()

        def ends(works: HolderWorks, text: str) -> Any:
            if text.endswith("\n3"):
                raise KeyboardInterrupt
            return search(works, text)

        monkeypatch.setattr(HolderWorks, "search", ends)
        monkeypatch.setattr(Attempts, "end", lambda self: None)  # a process that is killed ends nothing
        for _ in range(20):
            chain.begin_anew()
            chain.searching._client = client
            try:
                chain.search()
            except KeyboardInterrupt:
                continue
            break
        client.close()
        assert FailedMessage.objects.get().error.code == "task.worker-died"
        assert RewordedLead.objects.count() == 4


@pytest.mark.django_db
class TestTask:
    @pytest.fixture
    def started(self, monkeypatch: pytest.MonkeyPatch) -> list[object]:
        """Processes that would have been started."""
        made: list[object] = []
        monkeypatch.setattr(rewrites_tasks, "start_process", lambda *given, **options: made.append((given, options)))
        return made

    @pytest.fixture
    def chain(self, monkeypatch: pytest.MonkeyPatch, redis_url: str) -> Iterator[RewordedChain]:
        made = reworded_chain()
        made.add_work(GIVEN.source)
        made.add_page(GIVEN.text)
        monkeypatch.setattr(rewrites_tasks, "live", lambda _: made.ports)
        with redis.Redis.from_url(redis_url) as client:
            monkeypatch.setattr(rewrites_tasks, "redis_client", lambda _: client)
            yield made
            client.delete(REWORDED_NOTE)

    def test_a_process_is_started_where_something_is_owed(self, chain: RewordedChain, started: list[Any]) -> None:
        rewrites_tasks.search_reworded()
        ((_, options),) = started
        assert options["number"] == 1
        assert options["environment"]["OPENBLAS_NUM_THREADS"] == "1"
        chain.watch()
        rewrites_tasks.search_reworded()
        assert len(started) == 1, "nobody watches"

    def test_without_the_extra_nothing_is_started_and_the_log_says_what_to_install(
        self,
        chain: RewordedChain,
        started: list[Any],
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        monkeypatch.setattr(rewrites_tasks, "is_installed", lambda: False)
        rewrites_tasks._say_what_is_missing.cache_clear()
        rewrites_tasks.search_reworded()
        rewrites_tasks.search_reworded()
        assert started == []
        (record,) = caplog.records
        assert "pip install 'zhuiwen[reworded]'" in record.getMessage()
        assert "甲" in record.getMessage()

    @needs_encoder
    def test_the_status_says_how_much_is_left_and_what_is_missing(
        self, chain: RewordedChain, started: list[Any], monkeypatch: pytest.MonkeyPatch, redis_url: str
    ) -> None:
        settings = load({"ZHUIWEN_REDIS_URL": redis_url})

        def told() -> list[str]:
            rewrites_tasks.search_reworded()
            return [line.in_language("en") for line in noted_backlog(settings)]

        (line,) = told()
        assert line.startswith("comparison by meaning: 0 pages waiting, 1 texts of works not searched for yet (20")
        chain.search()
        chain.add_page(INNOCENT, "/2")
        chain.add_page(INNOCENT, "/3")
        assert told()[0].startswith("comparison by meaning: 2 pages waiting, 0 texts")
        monkeypatch.setattr(rewrites_tasks, "is_installed", lambda: False)
        _, missing = told()
        assert "(甲)" in missing
        assert "pip install 'zhuiwen[reworded]'" in missing
        chain.watch()
        assert told() == []

    def test_it_has_a_queue_of_its_own_behind_all_others_and_comes_each_minute(self) -> None:
        assert app.conf.task_routes["rewrites.search_reworded"] == {"queue": "reworded"}
        assert QUEUES[-1] == "reworded"
        ensure_schedule(load({}))
        row = PeriodicTask.objects.get(task="rewrites.search_reworded")
        assert (row.interval.every, row.expire_seconds) == (60, 60)


@pytest.mark.parametrize(
    ("queues", "is_asked"), [(("crawl",), True), (("reworded",), True), (("works", "pages", "evidence"), False)]
)
def test_a_worker_ends_the_processes_that_its_queues_start(
    monkeypatch: pytest.MonkeyPatch, queues: tuple[str, ...], is_asked: bool
) -> None:
    stopped: list[Path] = []
    monkeypatch.setattr(crawlers, "stop_jobs", stopped.append)
    queues_of_worker = SimpleNamespace(consume_from=dict.fromkeys(queues))
    monkeypatch.setattr(worker, "app", SimpleNamespace(amqp=SimpleNamespace(queues=queues_of_worker)))
    worker._stop_crawlers()
    assert bool(stopped) is is_asked
