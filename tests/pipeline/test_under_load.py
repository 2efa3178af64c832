"""Works come and go in a real Redis index while pages are matched: no answer is out of date, nothing is lost."""

import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import pytest
import redis

from core.clock import SystemClock
from core.ids import SiteId, VersionId, WorkTextId, work_text_id
from core.matches import Match
from core.messages import StepMessage
from fingerprint.fingerprinting import fingerprint_text
from matcher.corpus import CorpusCache
from matcher.index.memory import MemoryIndex
from matcher.index.redis.redis_index import RedisIndex
from matcher.matching import Matcher
from pipeline import steps
from pipeline.corpus import StoredCorpus
from pipeline.search import search_pages
from pipeline.steps import Ports
from pipeline.sweep import ReferenceTexts, sweep
from tests.support.corpus_texts import unrelated_story
from tests.support.memory_cases import MemoryCaseRepository
from tests.support.memory_chain import Chain, carry, chain

TEXTS, PAGES, MATCHERS = 12, 30, 3
CHANGES, ANSWERS_BETWEEN_CHANGES = 60, 4


def story(seed: int) -> str:
    return unrelated_story(seed, 40)


def states(number: int) -> tuple[str, str]:
    """A work before and after a change of its end."""
    return story(number), story(number)[:700] + story(500 + number)[:200]


def warm_up() -> None:
    """Compile the kernels before several threads ask for them at once."""
    alone = chain()
    alone.add_work("any", story(0))
    alone.run()
    alone.store_page("http://pirate.example/0", story(0))
    alone.run()


@dataclass
class Presence:
    """From when until when texts were there, as seen from outside: each call's beginning and end."""

    added: dict[WorkTextId, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    removed: dict[WorkTextId, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))

    @contextmanager
    def noted(self, calls: dict[WorkTextId, list[tuple[float, float]]], text: WorkTextId) -> Iterator[None]:
        """Note when a call began before it is made: it may show at any moment from then on."""
        calls[text].append((time.monotonic(), float("inf")))
        yield
        calls[text][-1] = (calls[text][-1][0], time.monotonic())

    def may_be_named(self, text: WorkTextId, began: float, ended: float) -> bool:
        """Whether the text was there, or coming or going, at some time between the two moments."""
        gone = [*(end for _, end in self.removed[text]), float("inf")]
        return any(came <= ended and went >= began for (came, _), went in zip(self.added[text], gone, strict=False))

    def was_there(self, text: WorkTextId, began: float, ended: float) -> bool:
        """Whether it was there all the time from before the first moment until after the second."""
        gone = [*(start for start, _ in self.removed[text]), float("inf")]
        return any(came < began and went > ended for (_, came), went in zip(self.added[text], gone, strict=False))


class OneAtATime:
    """A case repository that several threads may call, as a database may be."""

    def __init__(self, book: MemoryCaseRepository) -> None:
        self._book, self._lock = book, threading.RLock()

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._book, name)

        def locked(*arguments: Any) -> Any:
            with self._lock:
                return call(*arguments)

        return locked


@dataclass
class Answer:
    page: int
    matches: tuple[Match, ...]
    began: float
    ended: float


def copies(pages: int) -> dict[int, tuple[set[int], str]]:
    """By page: the stories that it took from, and its text."""
    rng = random.Random(7)
    made = {}
    for number in range(pages):
        taken = rng.sample(range(TEXTS), rng.randint(0, 2))
        made[number] = (set(taken), story(1000 + number)[:300] + "".join(story(each)[100:500] for each in taken))
    return made


class Load:
    """Threads that match, search and change works at the same time, until the changes are done."""

    def __init__(self, client: "redis.Redis") -> None:
        self.shared, self.presence = chain(), Presence()
        self.shared.holder.works.update((str(number), frozenset()) for number in range(TEXTS))
        self.pages = copies(PAGES)
        self.versions = [
            self.shared.store_page(f"http://pirate.example/{number}", text).version_id
            for number, (_, text) in self.pages.items()
        ]
        self.shared.outbox.drain()
        self.answers: list[Answer] = []
        self.failures: list[BaseException] = []
        self._client, self._book = client, OneAtATime(self.shared.book)
        self._ended, self._answered = threading.Event(), threading.Semaphore(0)
        self.ports().index.clear()

    def ports(self) -> Ports:
        """Ports of a worker process: stores and Redis are shared, index, matcher and caches are its own."""
        shared, algorithm = self.shared.ports, self.shared.ports.algorithm
        index = RedisIndex(self._client, algorithm.id)
        corpus = CorpusCache(StoredCorpus(shared.works, shared.fingerprints, algorithm))
        book: Any = self._book
        return replace(shared, index=index, matcher=Matcher(index, corpus), cases=book, clock=SystemClock())

    def run(self) -> None:
        warm_up()
        calls = [self.change_works, self.search, *(partial(self.match_pages, seed) for seed in range(MATCHERS))]
        threads = [threading.Thread(target=self._guarded, args=[call]) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def change_works(self) -> None:
        ports, rng = self.ports(), random.Random(3)
        for _ in range(CHANGES):
            for _ in range(ANSWERS_BETWEEN_CHANGES):
                assert self._answered.acquire(timeout=60)
            number = rng.randrange(TEXTS)
            before = self.shared.holder.works[str(number)]
            wanted = frozenset({ports.works.put_text(rng.choice(states(number)))}) - before
            self.change(str(number), wanted if not before or rng.random() < 0.5 else frozenset(), ports)
        self._ended.set()

    def change(self, name: str, after: frozenset[WorkTextId], ports: Ports) -> None:
        """Add, replace or take away a work, in the order in which the catalogue sends its messages."""
        before = self.shared.holder.works[name]
        self.shared.holder.works[name] = after
        for text in after:
            with self.presence.noted(self.presence.added, text):
                steps.register_work(text, ports)
        for text in before:
            with self.presence.noted(self.presence.removed, text):
                steps.withdraw_work(text, ports)

    def match_pages(self, seed: int) -> None:
        ports, rng = self.ports(), random.Random(seed)
        while not self._ended.is_set():
            number = rng.randrange(PAGES)
            version = self.versions[number]
            self.shared.book._taken_back.add(version)  # so that it is compared, whatever it was compared with
            steps.compare_pages([version], ports)
            text = self.pages[number][1]
            fingerprint = fingerprint_text(text, ports.algorithm)
            began = time.monotonic()
            matches = ports.matcher.match(text, fingerprint)
            self.answers.append(Answer(number, matches, began, time.monotonic()))
            self._answered.release()

    def search(self) -> None:
        ports = self.ports()
        while not self._ended.is_set():
            search_pages(ports)

    def _guarded(self, call: Callable[[], None]) -> None:
        try:
            call()
        except BaseException as error:
            self.failures.append(error)
        finally:
            self._ended.set()


@pytest.fixture(scope="module")
def load(redis_url: str) -> Iterator[Load]:
    """A load that has come to its end."""
    with redis.Redis.from_url(redis_url) as client:
        client.flushdb()
        ended = Load(client)
        ended.run()
        assert not ended.failures, ended.failures
        yield ended


def test_no_answer_names_a_text_that_was_not_there(load: Load) -> None:
    assert len(load.answers) >= CHANGES * ANSWERS_BETWEEN_CHANGES
    for answer in load.answers:
        for match in answer.matches:
            for text in (match.text_id, *match.also):
                assert load.presence.may_be_named(text, answer.began, answer.ended)


def test_every_answer_names_the_texts_that_were_there_all_the_while(load: Load) -> None:
    named = 0  # texts that had to be
    for answer in load.answers:
        taken = {work_text_id(state) for each in load.pages[answer.page][0] for state in states(each)}
        there = {text for text in taken if load.presence.was_there(text, answer.began, answer.ended)}
        found = {text for match in answer.matches for text in (match.text_id, *match.also)}
        assert there <= found <= taken
        named += len(there)
    assert named > CHANGES


def test_in_the_end_the_outcomes_are_those_of_an_index_that_never_held_anything_else(load: Load) -> None:
    settle(load.shared, load.ports())
    final = {version: load.shared.book.outcomes[version].matches for version in load.versions}
    assert final == fresh_outcomes(load.shared, load.versions)
    assert any(final.values())


def settle(shared: Chain, ports: Ports) -> None:
    """What beat and the workers do until nothing is owed."""
    for _ in range(10):
        swept = sweep(ports, ReferenceTexts(shared.holder.texts))
        messages: list[StepMessage] = shared.outbox.drain()
        if swept.found_nothing and not messages:
            return
        for message in messages:
            carry(message, ports)
    raise AssertionError("the sweeper still finds something")


def fresh_outcomes(shared: Chain, versions: list[VersionId]) -> dict[VersionId, tuple[Match, ...]]:
    """What pages take from the works that are left, by an index that never held anything else."""
    index = MemoryIndex(shared.ports.algorithm.id)
    for text in sorted(shared.holder.texts):
        index.add(text, steps.work_fingerprint(text, shared.ports))
    matcher = Matcher(index, StoredCorpus(shared.ports.works, shared.ports.fingerprints, shared.ports.algorithm))
    found = {}
    for version in versions:
        stored = shared.ports.pages.version(version)
        fingerprint = fingerprint_text(stored.reading.text, shared.ports.algorithm)
        found[version] = matcher.match(
            stored.reading.text, fingerprint, lambda texts: shared.book.sources(SiteId("1"), texts)
        )
    return found
