"""The steps over memory twins: what they write, and that they may run twice, out of order, or not at all."""

from dataclasses import replace

import pytest
import redis

from core.errors import IndexStale, NotFound
from core.ids import VersionId, WorkTextId, work_text_id
from core.matches import MatchClass
from core.messages import PagesStored
from core.states import Rejection
from deploy.demo.library import load_works
from matcher.index.redis.redis_index import RedisIndex
from pipeline import steps
from pipeline.rebuild import rebuild_index
from pipeline.sweep import ReferenceTexts, sweep
from tests.support.demo_sites import innocent_text
from tests.support.memory_chain import Chain, chain

WORKS = load_works()
NOVEL = WORKS["river-town"]
CHAPTER = NOVEL.chapter(1).text
INNOCENT = innocent_text()


@pytest.fixture
def running() -> Chain:
    started = chain()
    started.add_work("novel", *(chapter.text for chapter in NOVEL.chapters))
    started.run()
    return started


def corpus(running: Chain) -> ReferenceTexts:
    return ReferenceTexts(frozenset().union(*running.holder.works.values()))


def test_a_copied_page_becomes_a_case_and_an_innocent_one_does_not(running: Chain) -> None:
    copy = running.store_page("http://pirate.example/1", CHAPTER)
    innocent = running.store_page("http://pirate.example/2", INNOCENT)
    running.run()
    assert list(running.book.cases) == [(copy.page_id, "novel")]
    outcome = running.book.outcomes[copy.version_id]
    assert outcome.matches[0].match_class is MatchClass.IDENTICAL
    assert outcome.matches[0].work_containment > 0.99
    assert running.book.outcomes[innocent.version_id].matches == ()


def test_a_page_without_chinese_is_refused_by_name(running: Chain) -> None:
    stored = running.store_page("http://pirate.example/1", "Nothing to see here.")
    running.run()
    assert running.book.outcomes[stored.version_id].rejection is Rejection.TOO_FEW_HAN_CHARS


def test_every_step_may_run_twice(running: Chain) -> None:
    stored = running.store_page("http://pirate.example/1", CHAPTER)
    for _ in range(2):
        running.book._taken_back.add(stored.version_id)  # as a withdrawn text does
        assert steps.compare_pages([stored.version_id], running.ports) == [stored.version_id]
    assert list(running.book.cases) == [(stored.page_id, "novel")]


def test_a_lost_fingerprint_is_made_again_without_a_new_comparison(running: Chain) -> None:
    stored = running.store_page("http://pirate.example/1", CHAPTER)
    running.run()
    running.ports.fingerprints.remove(stored.version_id)
    assert steps.compare_pages([stored.version_id], running.ports) == []
    assert running.ports.fingerprints.get(stored.version_id, running.ports.algorithm.id) is not None


def test_pages_of_one_message_are_compared_at_once_and_each_has_its_own_outcome(running: Chain) -> None:
    copies = [running.store_page(f"http://pirate.example/{number}", CHAPTER).version_id for number in range(3)]
    innocent = running.store_page("http://pirate.example/9", INNOCENT).version_id
    assert steps.compare_pages([*copies, innocent], running.ports) == copies
    assert set(running.book.outcomes) == {*copies, innocent}


def test_of_pages_with_one_at_fault_nothing_is_written(running: Chain) -> None:
    stored = running.store_page("http://pirate.example/1", CHAPTER)
    with pytest.raises(NotFound, match="there is no page version no-such-id"):
        steps.compare_pages([stored.version_id, VersionId("no-such-id")], running.ports)
    assert running.book.outcomes == {}


def test_an_index_that_was_lost_is_never_mistaken_for_no_copies(redis_url: str) -> None:
    fresh = chain()
    client = redis.Redis.from_url(redis_url)
    client.flushdb()  # other tests' index
    lost = RedisIndex(client, fresh.ports.algorithm.id)
    ports = replace(fresh.ports, index=lost)
    stored = fresh.store_page("http://pirate.example/1", CHAPTER)
    with pytest.raises(IndexStale, match="zhuiwen index rebuild"):
        steps.compare_pages([stored.version_id], ports)
    assert fresh.book.outcomes == {}


def test_the_sweeper_sends_pages_whose_messages_were_lost(running: Chain) -> None:
    stored = running.store_page("http://pirate.example/1", CHAPTER)
    running.outbox.drain()
    assert sweep(running.ports, corpus(running)).pages == 1
    assert list(running.outbox.messages) == [PagesStored((stored.version_id,))]
    running.run()
    assert list(running.book.cases) == [(stored.page_id, "novel")]
    assert sweep(running.ports, corpus(running)).found_nothing


def test_a_text_that_cannot_be_registered_does_not_stop_the_sweep_of_pages(running: Chain) -> None:
    running.store_page("http://pirate.example/1", CHAPTER)
    running.outbox.drain()
    lost = WorkTextId("0" * 40)
    swept = sweep(running.ports, ReferenceTexts(corpus(running).texts | {lost}))
    assert (swept.works_added, swept.pages) == (1, 1)


def test_a_text_that_its_owner_does_not_know_to_be_findable_is_sent_again(running: Chain) -> None:
    unnoted = frozenset({min(corpus(running).texts)})
    assert sweep(running.ports, ReferenceTexts(corpus(running).texts, unnoted)).works_added == 1


def test_a_page_that_failed_for_good_waits_for_a_person(running: Chain) -> None:
    running.store_page("http://pirate.example/1", CHAPTER)
    running.outbox.drain()
    assert sweep(running.ports, corpus(running), given_up=lambda versions: versions).found_nothing


def test_a_text_readded_to_the_index_is_found_on_pages_compared_meanwhile(running: Chain) -> None:
    text_id = work_text_id(CHAPTER)
    running.ports.index.remove(text_id)
    running.store_page("http://pirate.example/1", CHAPTER)
    running.run()
    assert running.book.cases == {}
    sweep(running.ports, corpus(running))
    running.run()
    sweep(running.ports, corpus(running))
    running.run()
    assert len(running.book.cases) == 1


def test_the_sweeper_withdraws_what_nobody_owns(running: Chain) -> None:
    gone = running.holder.works.pop("novel")
    assert sweep(running.ports, ReferenceTexts(frozenset())).works_withdrawn == len(gone)
    running.run()
    assert running.ports.index.text_ids() == frozenset()
    assert all(running.ports.works.text(text_id) for text_id in gone), "a case may quote it"


def test_a_text_that_someone_owns_is_not_withdrawn(running: Chain) -> None:
    text_id = min(corpus(running).texts)
    steps.withdraw_work(text_id, running.ports)
    assert text_id in running.ports.index.text_ids()


def test_a_rebuilt_index_finds_what_the_old_one_found(running: Chain) -> None:
    told: list[tuple[int, int]] = []
    assert rebuild_index(running.ports, corpus(running).texts, lambda done, of: told.append((done, of))) == []
    assert told[-1] == (len(NOVEL.chapters), len(NOVEL.chapters))
    running.store_page("http://pirate.example/1", CHAPTER)
    running.run()
    assert len(running.book.cases) == 1


def test_a_rebuild_names_texts_that_the_store_lost(running: Chain) -> None:
    lost = WorkTextId("0" * 40)
    assert rebuild_index(running.ports, corpus(running).texts | {lost}) == [lost]


def test_an_unchanged_page_updates_last_seen_without_a_new_comparison(running: Chain) -> None:
    stored = running.store_page("http://pirate.example/1", CHAPTER)
    running.run()
    checked_at = running.book.outcomes[stored.version_id].checked_at
    running.clock.advance(86_400)
    assert not running.store_page("http://pirate.example/1", CHAPTER).is_new_version
    seen_at = running.clock.now()
    running.run()
    assert [case.last_seen for case in running.book.cases.values()] == [seen_at]
    assert running.book.outcomes[stored.version_id].checked_at == checked_at
