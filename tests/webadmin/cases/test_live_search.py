"""The same on the admin database, the embedded page store and a real Redis; and the tasks that beat starts."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count

import pytest
import redis
from django_celery_beat.models import PeriodicTask

from core.clock import SystemClock
from core.ids import work_text_id
from core.messages import SearchRequested
from core.pages import Reading, Stored
from core.redis_names import QUEUE_PREFIX
from core.settings_loading import load
from core.states import Rejection
from core.works import ChapterText, StoredFingerprint, WorkFile
from fingerprint.algorithms import ALGORITHMS, DEFAULT, Algorithm
from fingerprint.readings import syllable_ids
from matcher.corpus import CorpusCache
from matcher.index.redis.keys import Keys
from matcher.index.redis.redis_index import RedisIndex
from matcher.matching import Matcher
from pagestore.connection import MongoDatabase
from pagestore.mongo import MongoFingerprintStore, MongoPageStore, MongoWorkStore, connect
from pipeline import job_stats
from pipeline.corpus import StoredCorpus
from pipeline.redis_lock import SEARCH, redis_lock
from pipeline.search import search_pages
from pipeline.steps import Ports
from tests.support.corpus_texts import with_folded_sounds
from tests.support.memory_cases import MemoryOutbox
from tests.support.memory_chain import carry
from tests.support.records import response
from webadmin import base_tasks, preparation
from webadmin.accounts.models import RightsHolder
from webadmin.backups import tasks as backups_tasks
from webadmin.cases import tasks as cases_tasks
from webadmin.cases.models import Case, Exclusion, PageCheck
from webadmin.cases.services.case_repository import DjangoCaseRepository
from webadmin.cases.services.maintenance import sweep_all
from webadmin.evidence import tasks as evidence_tasks
from webadmin.sites.models import PageRecord, Site
from webadmin.works.models import Chapter, Work
from webadmin.works.services import catalogue

pytestmark = pytest.mark.django_db
CHARACTERS = [chr(code) for code in range(0x4E00, 0x4E00 + 6000) if syllable_ids(chr(code))[0]]


def story(seed: int) -> str:
    rng = random.Random(seed)
    return "".join("".join(rng.choices(CHARACTERS, k=rng.randint(8, 30))) + "。" for _ in range(60))


@dataclass
class Live:
    """Live ports but for the broker: its messages are carried here, in their order."""

    ports: Ports
    outbox: MemoryOutbox
    client: "redis.Redis"
    site: Site
    on_commit: Callable[..., object]

    def add_work(self, title: str, *texts: str) -> Work:
        chapters = tuple(ChapterText(number, "", text) for number, text in enumerate(texts, start=1))
        with self.on_commit(execute=True):  # type: ignore[attr-defined]
            added = catalogue.add_work(
                self.site.rights_holder, WorkFile(title, "", chapters), "", self.ports.works, self.outbox
            )
        return added.work

    def store_page(self, url: str, text: str) -> Stored:
        body = text.encode("utf-8", "surrogatepass")
        return self.ports.pages.put(
            response(self.site.pk, url, body, datetime.now(UTC)), Reading(title="某页", text=text)
        )

    def index_work(self, title: str, text: str) -> None:
        """Add a work and carry its messages, so that the stored pages have yet to be searched for it."""
        self.add_work(title, text)
        for message in self.outbox.drain():
            carry(message, self.ports)

    def run(self) -> int:
        """Carry messages and sweep until nothing is owed; how many messages there were."""
        for carried in count():
            messages = self.outbox.drain()
            if not messages and sweep_all(self.ports).found_nothing:
                return carried
            for message in messages:
                carry(message, self.ports)
        raise AssertionError("unreachable")


def live_ports(client: "redis.Redis", database: MongoDatabase, outbox: MemoryOutbox, algorithm: Algorithm) -> Ports:
    """Return what a process of an installation with this algorithm has."""
    works, fingerprints = MongoWorkStore(database), MongoFingerprintStore(database)
    index = RedisIndex(client, algorithm.id)
    return Ports(
        pages=MongoPageStore(database),
        works=works,
        fingerprints=fingerprints,
        index=index,
        matcher=Matcher(index, CorpusCache(StoredCorpus(works, fingerprints, algorithm))),
        cases=DjangoCaseRepository(works),
        outbox=outbox,
        clock=SystemClock(),
        algorithm=algorithm,
    )


@pytest.fixture
def live(
    mongo_url: str,
    redis_url: str,
    django_capture_on_commit_callbacks: Callable[..., object],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Live]:
    client, outbox = redis.Redis.from_url(redis_url), MemoryOutbox()
    client.flushdb()
    ports = live_ports(client, connect(mongo_url), outbox, DEFAULT)
    ports.index.clear()
    holder = RightsHolder.objects.create(name="甲")
    site = Site.objects.create(rights_holder=holder, name="某站", start_urls="http://pirate.example/")
    for tasks in (cases_tasks, evidence_tasks):
        monkeypatch.setattr(tasks, "live", lambda _: ports)
    for tasks in (base_tasks, backups_tasks, cases_tasks, evidence_tasks):
        monkeypatch.setattr(tasks, "redis_client", lambda _: client)
    yield Live(ports, outbox, client, site, django_capture_on_commit_callbacks)
    client.close()


@pytest.fixture
def settled(live: Live) -> Live:
    """Three pages compared with one work, of which the first is a copy."""
    live.add_work("旧作", story(1))
    for number in (1, 2, 3):
        live.store_page(f"http://pirate.example/{number}", story(number))
    live.run()
    assert Case.objects.count() == 1
    return live


def checked(live: Live) -> dict[str, datetime]:
    return dict(PageRecord.objects.values_list("url", "checked_at"))


def test_a_new_work_opens_a_case_on_an_old_page_and_dates_the_others(settled: Live) -> None:
    before = checked(settled)
    settled.add_work("新作", story(2))
    began = datetime.now(UTC)
    settled.run()
    assert {case.work.title: case.page_url for case in Case.objects.select_related("work")} == {
        "旧作": "http://pirate.example/1",
        "新作": "http://pirate.example/2",
    }
    after = checked(settled)
    assert all(began < after[url] for url in before)
    dated = PageCheck.objects.get(page__url="http://pirate.example/3")
    assert dated.checked_at == after["http://pirate.example/3"]
    assert dated.corpus_revision == settled.ports.index.state().corpus_revision
    assert dated.rejection == Rejection.NO_MATCH


def test_a_replaced_chapter_is_gone_and_the_page_of_its_case_is_compared_again(settled: Live) -> None:
    old, new = work_text_id(story(1)), work_text_id(story(3))
    settled.add_work("旧作", story(3))
    before = checked(settled)
    settled.run()
    assert settled.ports.index.text_ids() == {new}
    case = Case.objects.get(page__url="http://pirate.example/3")
    assert [match.text_id for match in case.matches.all()] == [new]
    record = PageRecord.objects.get(url="http://pirate.example/1")
    assert record.checked_at > before["http://pirate.example/1"]
    assert record.rejection == Rejection.NO_MATCH
    evidence = Case.objects.get(page=record).matches.get()
    assert (evidence.text_id, evidence.algorithm_id) == (old, DEFAULT.id), "what was frozen stays"


def test_a_removed_work_is_gone_from_every_answer_at_once(settled: Live) -> None:
    work = settled.add_work("新作", story(20))
    settled.run()
    with settled.on_commit(execute=True):  # type: ignore[attr-defined]
        catalogue.remove_work(work, settled.outbox)
    stored = settled.store_page("http://pirate.example/20", story(20))
    settled.run()
    assert PageRecord.objects.get(version_id=stored.version_id).rejection == Rejection.NO_MATCH
    assert settled.ports.index.text_ids() == {work_text_id(story(1))}


def test_a_page_that_arrived_while_redis_was_lost_is_compared(settled: Live) -> None:
    settled.client.flushdb()
    settled.store_page("http://pirate.example/copy", story(1)[:-1])
    settled.run()
    assert Case.objects.filter(page_url="http://pirate.example/copy").exists()


BAD_PAGES = {
    "empty": ("", Rejection.TOO_FEW_HAN_CHARS),
    "spaces": (" \n\u3000" * 1000, Rejection.TOO_FEW_HAN_CHARS),
    "punctuation": ("……！？，。" * 1000, Rejection.TOO_FEW_HAN_CHARS),
    "no Chinese": ("Ωμέγα 🙂 עברית " * 1000, Rejection.TOO_FEW_HAN_CHARS),
    "lone surrogates": ("\ud800\udfff" * 1000, Rejection.TOO_FEW_HAN_CHARS),
    "one character": ("山", Rejection.TOO_FEW_HAN_CHARS),
    "shorter than any window": ("山雨欲来风满楼，溪云初起日沉阁。", Rejection.TOO_FEW_HAN_CHARS),
    "one character a million times": ("啊" * 1_000_000, Rejection.NO_MATCH),
    "Chinese between lone surrogates": ("\ud800".join(story(77)), Rejection.NO_MATCH),
    "private use": (chr(0xE000) * 5_000, Rejection.NO_MATCH),
}
BAD_WORKS = ("", "……！？，。" * 100, "No Chinese.", "\ud800\udfff", "山", "山雨欲来风满楼", "呀" * 1_000_000)


def test_texts_without_anything_to_compare_have_a_reason_and_harm_nobody(settled: Live) -> None:
    settled.add_work("空作", *BAD_WORKS)
    pages = {
        settled.store_page(f"http://pirate.example/{name}", text).page_id: reason
        for name, (text, reason) in BAD_PAGES.items()
    }
    settled.run()
    settled.add_work("新作", story(2))
    settled.run()
    assert dict(PageRecord.objects.filter(pk__in=pages).values_list("page_id", "rejection")) == pages
    assert set(Case.objects.values_list("work__title", flat=True)) == {"旧作", "新作"}
    assert not Exclusion.objects.exists()
    assert not Chapter.objects.filter(indexed_at__isnull=True).exists()


def test_one_search_runs_when_all_works_are_in_and_tells_what_it_did(
    settled: Live, caplog: pytest.LogCaptureFixture
) -> None:
    assert search_pages(settled.ports).found_nothing
    cases_tasks.search_pages()
    assert job_stats.last_job_stats(settled.client) == {}, "a search of nothing costs no round"
    settled.index_work("新作", story(2))
    with redis_lock(settled.client, SEARCH) as is_ours:
        assert is_ours
        cases_tasks.search_pages()
    assert settled.ports.cases.lags(DEFAULT.id), "two searches never run at once"
    settled.client.rpush(QUEUE_PREFIX + "works", "another work")
    cases_tasks.search_pages()
    assert settled.ports.cases.lags(DEFAULT.id), "it waits while works still come in"
    settled.client.delete(QUEUE_PREFIX + "works")
    settled.client.rpush(QUEUE_PREFIX + "pages", "a page")
    cases_tasks.sweep()
    assert settled.outbox.drain() == [SearchRequested()], "the sweeper asks for it though pages still wait"
    with caplog.at_level("INFO", "zhuiwen.pipeline"):
        cases_tasks.search_pages()
    said = "1 texts, 3 pages, 1 sharing, 1 hits"
    assert f"search of stored pages: {said}" in caplog.text
    assert str(job_stats.last_job_stats(settled.client)[job_stats.SEARCH]) == said
    assert not settled.ports.cases.lags(DEFAULT.id)


def test_the_daily_comparison_finds_all_that_was_left_behind(settled: Live) -> None:
    other = replace(DEFAULT, id=2)
    page = PageRecord.objects.get(url="http://pirate.example/3")
    work = Chapter.objects.get()
    for subject in (page.version_id, work.text_id):  # as of an algorithm that is in use no more
        settled.ports.fingerprints.remove(subject)
        settled.ports.fingerprints.put_many([StoredFingerprint(subject, other.id, b"\x02")])
    settled.add_work("新作", story(2))
    settled.store_page("http://pirate.example/4", story(1)[:-1])
    settled.outbox.drain()  # a part was down
    cases_tasks.compare_daily()
    counts = job_stats.last_job_stats(settled.client)[job_stats.DAILY].counts
    assert (counts["works_added"], counts["pages"]) == (2, 2)
    settled.run()
    known = settled.ports.fingerprints.find_existing([page.version_id, work.text_id], DEFAULT.id)
    assert known == {page.version_id, work.text_id}
    assert set(Case.objects.values_list("page_url", flat=True)) == {
        f"http://pirate.example/{number}" for number in (1, 2, 4)
    }
    cases_tasks.compare_daily()
    assert settled.outbox.drain() == []


def test_beat_compares_every_day_at_an_hour_that_an_operator_may_move() -> None:
    settings = load({"ZHUIWEN_TIME_ZONE": "Asia/Shanghai"})
    preparation.ensure_schedule(settings)
    daily = PeriodicTask.objects.get(task="cases.compare_daily")
    assert (daily.enabled, daily.crontab.hour, str(daily.crontab.timezone)) == (True, "5", "Asia/Shanghai")
    daily.crontab.hour, daily.enabled = "22", False
    daily.crontab.save()
    daily.save()
    preparation.ensure_schedule(settings)
    moved = PeriodicTask.objects.get(task="cases.compare_daily")
    assert (moved.enabled, moved.crontab.hour) == (False, "22")


def test_sweeps_move_to_another_algorithm_and_cases_stay(live: Live, mongo_url: str) -> None:
    current = live.ports
    live.client.flushdb()
    live.ports = live_ports(live.client, connect(mongo_url), live.outbox, ALGORITHMS[1])
    live.ports.index.clear()
    live.add_work("旧作", story(1))
    urls = [f"http://pirate.example/{number}" for number in (1, 2, 3)]
    for url, text in zip(urls, (story(1), with_folded_sounds(story(1), 0.9), story(3)), strict=True):
        live.store_page(url, text)
    live.run()
    (kept,) = Case.objects.all()
    evidence = list(kept.matches.values())
    old_keys = {name: live.client.dump(name) for name in live.client.scan_iter(match=f"{Keys(1).algorithm}*")}
    assert (kept.page_url, [row["algorithm_id"] for row in evidence]) == (urls[0], [1])

    live.ports = current
    assert live.ports.index.state().generation == 0
    live.run()

    subjects = [*Chapter.objects.values_list("text_id", flat=True)]
    subjects += PageRecord.objects.values_list("version_id", flat=True)
    for algorithm_id in (1, DEFAULT.id):
        assert live.ports.fingerprints.find_existing(subjects, algorithm_id) == set(subjects)
    assert live.ports.index.text_ids() == {work_text_id(story(1))}
    assert set(PageCheck.objects.values_list("algorithm_id", flat=True)) == {DEFAULT.id}
    assert list(Case.objects.order_by("pk").values_list("page_url", flat=True)) == urls[:2]
    assert Case.objects.get(page_url=urls[0]).pk == kept.pk
    assert Case.objects.get(page_url=urls[1]).matches.get().algorithm_id == DEFAULT.id
    assert list(kept.matches.values()) == evidence, "what was frozen stays"
    now = {name: live.client.dump(name) for name in live.client.scan_iter(match=f"{Keys(1).algorithm}*")}
    assert now == old_keys, "whoever goes back finds the index that there was"
