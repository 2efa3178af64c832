"""When a silence counts: pure decisions of the watch, and the questions that it asks."""

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from deploy.services.health import ServiceHealth, mongo_health, redis_health
from deploy.services.processes import THEN_WORK, Process
from deploy.services.silence import LOOKS, SilenceWatch, Silent
from laboratory.ports import free_port
from tests.support.embedded import EmbeddedMongo

LONG_RUNNING = {"statename": "RUNNING", "pid": 7, "start": 0, "now": 10_000}
JUST_STARTED = LONG_RUNNING | {"now": 1}


class Subject:
    """A process whose answers, and what the supervisor says of it, are set by a test."""

    def __init__(self) -> None:
        self.is_alive, self.is_waiting = True, False
        self.info: dict[str, Any] = dict(LONG_RUNNING)
        self._table = [Process("x", (), THEN_WORK, self._health, 1.0, is_waiting=lambda: self.is_waiting)]
        self._watch = SilenceWatch(lambda: {"x": self.info}, silent_s=0.0, patience_s=100.0)

    def _health(self, _timeout_s: float) -> ServiceHealth:
        return ServiceHealth.ANSWERING if self.is_alive else ServiceHealth.SILENT

    def looks(self, count: int) -> list[Silent]:
        return [silent for _ in range(count) for silent in self._watch.look(self._table)]


@pytest.fixture
def subject() -> Subject:
    return Subject()


def test_a_silence_counts_after_several_looks_and_then_once_for_each_process_id(subject: Subject) -> None:
    assert subject.looks(9) == [], "what answers is left alone"
    subject.is_alive = False
    assert subject.looks(LOOKS - 1) == [], "a machine that slept for an hour is no silence"
    (silent,) = subject.looks(1)
    assert (silent.name, silent.pid) == ("x", 7)
    assert len(subject.looks(LOOKS)) == 1


def test_one_answer_ends_a_silence(subject: Subject) -> None:
    subject.is_alive = False
    subject.looks(LOOKS - 1)
    subject.is_alive = True
    subject.looks(1)
    subject.is_alive = False
    assert subject.looks(LOOKS - 1) == []


def test_one_that_starts_has_time_for_its_first_answer_and_none_after_it(subject: Subject) -> None:
    subject.info = dict(JUST_STARTED)
    subject.is_alive = False
    assert subject.looks(3 * LOOKS) == []
    subject.is_alive = True
    subject.looks(1)
    subject.is_alive = False
    assert len(subject.looks(LOOKS)) == 1


@pytest.mark.parametrize("state", ["STARTING", "STOPPING", "STOPPED", "BACKOFF", "FATAL"])
def test_what_does_not_run_is_the_supervisors(subject: Subject, state: str) -> None:
    subject.is_alive = False
    subject.info["statename"] = state
    assert subject.looks(3 * LOOKS) == []


def test_who_waits_for_the_broker_is_no_silent_one_and_has_time_when_it_is_back(subject: Subject) -> None:
    subject.is_alive, subject.is_waiting = False, True
    assert subject.looks(3 * LOOKS) == []
    subject.is_waiting = False
    assert subject.looks(3 * LOOKS) == []


@contextmanager
def answering(answer: bytes) -> Iterator[int]:
    """A server that says the same to everything; nothing at all where `answer` is empty."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1024)
                connection.sendall(answer)
                ended.wait(30)

        ended = threading.Event()
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        ended.set()
        thread.join()


@pytest.mark.usefixtures("loopback")
def test_a_store_that_still_reads_its_data_lives_and_one_that_says_nothing_does_not() -> None:
    with answering(b"-LOADING Redis is loading the dataset in memory\r\n") as port:
        assert redis_health(("127.0.0.1", port)) is ServiceHealth.ANSWERING
    with answering(b"") as port:
        assert redis_health(("127.0.0.1", port), 0.2) is ServiceHealth.SILENT
    assert redis_health(("127.0.0.1", free_port())) is ServiceHealth.SILENT


def test_the_embedded_page_store_answers_its_question_until_it_hangs(mongo_server: EmbeddedMongo) -> None:
    assert mongo_health(mongo_server.socket) is ServiceHealth.READY
    os.kill(mongo_server.pid, signal.SIGSTOP)
    try:
        assert mongo_health(mongo_server.socket, 0.2) is ServiceHealth.SILENT
    finally:
        os.kill(mongo_server.pid, signal.SIGCONT)
