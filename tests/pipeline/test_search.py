"""New texts meet stored pages: who is compared again, who is not, and what an interruption leaves behind."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from core.errors import IndexStale, ServiceUnavailable
from core.ids import SiteId, VersionId, WorkTextId
from core.messages import PagesStored
from core.pages import Stored
from core.works import StoredFingerprint
from fingerprint.algorithms import ALGORITHMS
from fingerprint.fingerprinting import fingerprint_text
from matcher.index.memory import MemoryIndex
from pipeline import search as search_module
from pipeline import steps
from pipeline.search import search_pages
from pipeline.sweep import ReferenceTexts, SweepCounts, sweep
from tests.support.corpus_texts import unrelated_story as story
from tests.support.corpus_texts import with_homophones
from tests.support.memory_cases import MemoryHolder
from tests.support.memory_chain import Chain, chain
from tests.support.memory_pages import MemoryFingerprintStore

OLD, NEW, OTHER = story(1), story(2), story(3)


@pytest.fixture
def running() -> Chain:
    """One work, and four pages compared with it: a copy of it, two of works to come, and a story of its own."""
    started = chain()
    started.add_work("old", OLD)
    started.run()
    for number, text in enumerate((OLD, with_homophones(NEW, 0.2), OTHER, story(4))):
        started.store_page(f"http://pirate.example/{number}", text)
    started.run()
    return started


def page(running: Chain, number: int) -> Stored:
    """The page of that number; storing it again changes nothing, and nobody is told of it."""
    texts = (OLD, with_homophones(NEW, 0.2), OTHER, story(4))
    stored = running.store_page(f"http://pirate.example/{number}", texts[number])
    running.outbox.messages.pop()
    return stored


def swept(running: Chain) -> SweepCounts:
    return sweep(running.ports, ReferenceTexts(running.holder.texts))


def register(running: Chain, name: str, *texts: str) -> list[WorkTextId]:
    ids = running.add_work(name, *texts)
    running.run()
    running.clock.advance(1)
    return ids


def test_a_new_work_is_found_on_the_page_that_was_there_before_it(running: Chain) -> None:
    register(running, "new", NEW)
    assert (page(running, 1).page_id, "new") not in running.book.cases
    assert swept(running).search
    running.run()
    assert list(running.book.cases) == [(page(running, 0).page_id, "old"), (page(running, 1).page_id, "new")]


def test_a_clock_that_was_set_back_hides_no_new_work_from_the_pages_before_it(running: Chain) -> None:
    running.clock.advance(-3 * 3600)
    register(running, "new", NEW)
    assert swept(running).search
    running.run()
    assert (page(running, 1).page_id, "new") in running.book.cases
    running.clock.advance(1)
    assert not swept(running).search, "and it is looked for once"


def test_only_the_page_that_took_from_the_new_work_is_compared_again(running: Chain) -> None:
    register(running, "new", NEW)
    before = running.book.outcomes[page(running, 0).version_id]
    began = running.clock.now()
    done = search_pages(running.ports)
    assert (done.texts, done.pages, done.hits, done.handed_over) == (1, 4, 1, 0)
    assert list(running.outbox.messages) == [PagesStored((page(running, 1).version_id,))]
    # The others are noted as compared, and keep their outcome.
    after = running.book.outcomes[page(running, 0).version_id]
    assert after.checked_at == began
    assert after.corpus_revision == running.ports.index.state().corpus_revision
    assert replace(after, checked_at=before.checked_at, corpus_revision=before.corpus_revision) == before
    running.run()
    assert swept(running).found_nothing


def test_works_that_came_together_are_searched_for_in_one_pass(running: Chain) -> None:
    register(running, "new", NEW)
    register(running, "other", OTHER)
    assert swept(running).search
    done = search_pages(running.ports)
    assert (done.texts, done.pages, done.hits) == (2, 4, 2)
    running.run()
    assert {work for _, work in running.book.cases} == {"old", "new", "other"}
    assert search_pages(running.ports).found_nothing


def test_a_text_shorter_than_a_chapter_is_found_in_the_middle_of_a_page(running: Chain) -> None:
    passage = story(4)[200:300]
    register(running, "short", passage)
    assert search_pages(running.ports).hits == 1
    running.run()
    assert (page(running, 3).page_id, "short") in running.book.cases


@pytest.mark.parametrize("algorithm_id", [3, 4])
def test_a_page_out_of_phase_with_the_windows_of_a_new_work_is_found(algorithm_id: int) -> None:
    running = chain(ALGORITHMS[algorithm_id])
    stored = running.store_page("http://pirate.example/phase", story(4)[:17] + NEW[600:750])
    running.run()
    register(running, "new", NEW)
    assert search_pages(running.ports).hits == 1
    running.run()
    assert list(running.book.cases) == [(stored.page_id, "new")]


@pytest.mark.parametrize(("phrase", "page_number"), [(OTHER[300:314], None), (OLD[300:314], 0)], ids=["none", "some"])
def test_a_single_shared_anchor_is_compared_where_the_page_has_findings_only(
    running: Chain, phrase: str, page_number: int | None
) -> None:
    register(running, "chance", story(9) + phrase + story(10))
    done = search_pages(running.ports)
    pages = [] if page_number is None else [page(running, page_number)]
    assert (done.sharing, done.hits) == (1, len(pages))
    assert list(running.outbox.messages) == [PagesStored((each.version_id,)) for each in pages]


def test_a_search_gives_the_same_outcomes_as_comparing_every_page_anew(running: Chain) -> None:
    for number in range(5, 25):
        running.store_page(f"http://pirate.example/{number}", story(number)[:900] + NEW[number * 40 : number * 45])
    running.run()
    register(running, "new", NEW)
    register(running, "mixed", story(7)[:1200], story(8), story(11)[:60])
    search_pages(running.ports)
    running.run()
    fresh = {
        version: running.ports.matcher.match(
            outcome.version.reading.text,
            fingerprint_text(outcome.version.reading.text, running.ports.algorithm),
            lambda texts: running.book.sources(SiteId("1"), texts),
        )
        for version, outcome in running.book.outcomes.items()
    }
    assert {version: outcome.matches for version, outcome in running.book.outcomes.items()} == fresh
    assert sum(bool(matches) for matches in fresh.values()) > 10


def test_only_the_texts_of_the_watcher_are_searched_for(running: Chain) -> None:
    stranger = MemoryHolder(works={"theirs": frozenset()}, sites=frozenset({SiteId("2")}))
    running.book._holders.append(stranger)
    stranger.works["theirs"] = frozenset({running.ports.works.put_text(OTHER)})
    steps.register_work(next(iter(stranger.texts)), running.ports)
    assert not swept(running).search
    assert search_pages(running.ports).found_nothing


class Failing(MemoryFingerprintStore):
    """A fingerprint store that goes away after some requests."""

    def __init__(self, store: MemoryFingerprintStore, answers: int) -> None:
        self._fingerprints = store._fingerprints
        self.answers = answers

    def get_many(self, subjects: Sequence[str], algorithm_id: int) -> dict[str, StoredFingerprint]:
        if not self.answers:
            raise ServiceUnavailable("the page store", "127.0.0.1:1")
        self.answers -= 1
        return super().get_many(subjects, algorithm_id)


@pytest.mark.parametrize("answers", [0, 1, 2, 3])
def test_a_search_that_dies_is_resumed_where_it_died(
    running: Chain, answers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_module, "BATCH_FINGERPRINTS", 1)
    register(running, "new", NEW)
    store = running.ports.fingerprints
    assert isinstance(store, MemoryFingerprintStore)
    with pytest.raises(ServiceUnavailable):
        search_pages(replace(running.ports, fingerprints=Failing(store, answers)))
    running.outbox.drain()  # and its messages are lost
    resumed = search_pages(running.ports)
    assert resumed.pages == 4 - answers
    swept(running)
    running.run()
    assert (page(running, 1).page_id, "new") in running.book.cases
    assert swept(running).found_nothing


def test_a_search_that_dies_before_its_message_is_sent_loses_no_page(running: Chain) -> None:
    register(running, "new", NEW)
    search_pages(running.ports)
    running.outbox.drain()
    assert swept(running).pages == 1
    running.run()
    assert (page(running, 1).page_id, "new") in running.book.cases


def test_a_text_that_comes_while_a_search_is_on_is_searched_for_by_the_next(
    running: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_module, "BATCH_FINGERPRINTS", 2)
    register(running, "new", NEW)
    came: list[WorkTextId] = []

    find_unsearched = running.book.find_unsearched

    def register_meanwhile(*given: Any) -> Any:
        running.clock.advance(1)
        if not came:
            came.extend(register(running, "other", OTHER))
        return find_unsearched(*given)

    monkeypatch.setattr(running.book, "find_unsearched", register_meanwhile)
    search_pages(running.ports)
    running.run()
    assert swept(running).search
    running.run()
    assert {work for _, work in running.book.cases} == {"old", "new", "other"}
    assert swept(running).found_nothing


def test_a_text_not_noted_as_findable_is_searched_for_all_the_same(running: Chain) -> None:
    register(running, "new", NEW)
    registering = running.ports.works.put_text(OTHER)  # its step is between the index and the case repository
    running.holder.works["other"] = frozenset({registering})
    running.ports.index.add(registering, steps.work_fingerprint(registering, running.ports))
    noted_at = running.clock.now()
    running.clock.advance(1)
    assert search_pages(running.ports).hits == 2
    running.book.note_indexed({registering: 9}, noted_at)  # the clock of the step was read before the search began
    running.run()
    assert (page(running, 2).page_id, "other") in running.book.cases


def test_a_page_whose_fingerprint_is_gone_or_damaged_is_left_to_the_index(running: Chain) -> None:
    gone, damaged = page(running, 1).version_id, page(running, 2).version_id
    running.ports.fingerprints.remove(gone)
    running.ports.fingerprints.put_many([StoredFingerprint(damaged, running.ports.algorithm.id, b"\x01nonsense")])
    register(running, "new", NEW)
    done = search_pages(running.ports)
    assert (done.pages, done.handed_over) == (2, 2)
    running.run()
    assert (page(running, 1).page_id, "new") in running.book.cases
    assert running.ports.fingerprints.find_existing([gone, damaged], running.ports.algorithm.id) == {gone, damaged}
    assert (
        steps.decode_stored_fingerprint(running.ports.fingerprints.get(damaged, running.ports.algorithm.id)) is not None
    )


def test_more_new_texts_than_a_search_can_hold_are_left_to_the_index(
    running: Chain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_module, "MAX_SEEDS", 100)
    register(running, "new", NEW)
    done = search_pages(running.ports)
    assert (done.pages, done.handed_over) == (0, 4)
    running.run()
    assert (page(running, 1).page_id, "new") in running.book.cases
    assert swept(running).found_nothing


def test_a_text_that_the_store_lost_does_not_stop_the_search_for_others(running: Chain) -> None:
    register(running, "new", NEW)
    (lost,) = register(running, "lost", story(30))
    running.ports.works.remove_text(lost)
    running.ports.fingerprints.remove(lost)
    assert search_pages(running.ports).hits == 1


def test_a_search_without_an_index_refuses_rather_than_note_anything(running: Chain) -> None:
    register(running, "new", NEW)
    lost = MemoryIndex(running.ports.algorithm.id, is_open=False)
    with pytest.raises(IndexStale):
        search_pages(replace(running.ports, index=lost))
    assert running.book.lags(running.ports.algorithm.id)


def test_a_replaced_text_is_searched_for_and_the_old_one_is_gone_from_every_answer(running: Chain) -> None:
    (old,) = running.holder.works["old"]
    running.add_work("old", OLD[:600] + OTHER[600:])
    steps.withdraw_work(old, running.ports)
    running.run()
    assert swept(running).search
    running.run()
    swept(running)
    running.run()
    (new,) = running.holder.works["old"]
    assert {
        number: {match.text_id for match in running.book.outcomes[page(running, number).version_id].matches}
        for number in range(4)
    } == {0: {new}, 1: set(), 2: {new}, 3: set()}


def test_a_withdrawn_text_is_gone_at_once_and_its_page_is_compared_again(running: Chain) -> None:
    copy = page(running, 0)
    (old,) = running.holder.works.pop("old")
    steps.withdraw_work(old, running.ports)
    steps.compare_pages([page(running, 1).version_id], running.ports)
    assert running.ports.matcher.match(OLD, fingerprint_text(OLD, running.ports.algorithm)) == ()
    assert swept(running).pages == 1
    running.run()
    assert running.book.outcomes[copy.version_id].matches == ()
    assert swept(running).found_nothing


def test_a_missing_fingerprint_is_found_by_the_thorough_sweep_only(running: Chain) -> None:
    (text,) = running.holder.works["old"]
    version = page(running, 3).version_id
    for subject in (text, version):
        running.ports.fingerprints.remove(subject)
    corpus = ReferenceTexts(running.holder.texts)
    assert sweep(running.ports, corpus).found_nothing
    thorough = sweep(running.ports, corpus, with_fingerprints=True)
    assert (thorough.works_added, thorough.pages) == (1, 1)
    running.run()
    assert running.ports.fingerprints.find_existing([text, version], running.ports.algorithm.id) == {text, version}
    assert sweep(running.ports, corpus, with_fingerprints=True).found_nothing
    assert not running.outbox.messages


def test_another_algorithm_makes_everything_anew_from_the_stored_texts(running: Chain) -> None:
    other = ALGORITHMS[2]
    index = MemoryIndex(other.id, is_open=False)
    matcher = type(running.ports.matcher)(
        index, search_module.StoredCorpus(running.ports.works, running.ports.fingerprints, other)
    )
    changed = replace(running.ports, algorithm=other, index=index, matcher=matcher)
    running.ports = changed
    found = sweep(changed, ReferenceTexts(running.holder.texts), with_fingerprints=True)
    assert (found.index_rebuilt, found.pages) == (True, 4)
    running.run()
    subjects: list[str] = [*running.holder.texts, *(page(running, number).version_id for number in range(4))]
    assert changed.fingerprints.find_existing(subjects, other.id) == set(subjects)
    assert {outcome.algorithm_id for outcome in running.book.outcomes.values()} == {other.id}
    assert running.book.outcomes[VersionId(page(running, 0).version_id)].matches
    assert sweep(changed, ReferenceTexts(running.holder.texts), with_fingerprints=True).found_nothing
