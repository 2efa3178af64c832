"""What a shared crawl asks Redis, and how long it waits for one that is away."""

import socket
import threading
from collections.abc import Iterator

import pytest
import redis

from core.errors import ServiceUnavailable
from crawler.shared.link import RedisRefuses, SharedLink
from crawler.shared.pace import SharedPace
from tests.crawler.crawl_process import wait_until


class Door:
    """A port that counts who comes, and answers as it is told: with nothing, or with a line."""

    def __init__(self, line: bytes = b"") -> None:
        self.line, self.came = line, 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"redis://127.0.0.1:{self._listener.getsockname()[1]}/0"
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.came += 1
            with client:
                if self.line:
                    client.recv(4096)
                    client.sendall(self.line * 8)  # whatever it asks when it connects


@pytest.fixture
def closed() -> Iterator[Door]:
    door = Door()
    yield door
    door.close()


def test_an_absence_of_redis_is_waited_out_once_and_then_asked_about_once_a_call(closed: Door) -> None:
    link = SharedLink(closed.url)
    with pytest.raises(ServiceUnavailable):
        link.call("PING")
    first = closed.came
    assert first > 3, "an absence of seconds was not waited out"
    for _ in range(3):
        with pytest.raises(ServiceUnavailable):
            link.call("PING")
    assert closed.came == first + 3


def test_a_redis_that_has_answered_again_is_waited_for_again(closed: Door, redis_url: str) -> None:
    link = SharedLink(closed.url)
    with pytest.raises(ServiceUnavailable):
        link.call("PING")
    place = link._client.connection_pool.connection_kwargs
    away = place["port"]
    place["port"] = int(redis_url.rpartition(":")[2].partition("/")[0])
    link._client.connection_pool.disconnect()
    link._client.connection_pool.reset()
    assert link.call("PING")
    place["port"] = away
    link._client.connection_pool.reset()
    before = closed.came
    with pytest.raises(ServiceUnavailable):
        link.call("PING")
    assert closed.came > before + 3


def test_a_password_that_is_refused_is_not_tried_again() -> None:
    door = Door(b"-NOAUTH Authentication required.\r\n")
    with pytest.raises(RedisRefuses):
        SharedLink(door.url).call("PING")
    assert door.came == 1
    door.close()


def test_a_place_in_flight_is_kept_by_a_beat_and_freed_without_one_and_what_was_freed_stays_so(redis_url: str) -> None:
    living, dead, third = (SharedPace(SharedLink(redis_url), 2, 60.0, lease_s) for lease_s in (30.0, 0.2, 30.0))
    assert [pace.reserve("beat.example", name, 0) for pace, name in ((living, "l"), (dead, "d"))] == [0, 0]
    client, flights = redis.Redis.from_url(redis_url, decode_responses=True), "zw:pace:{beat.example}:flights"
    due = client.zscore(flights, "l")

    def is_kept_longer() -> bool:
        living.renew()
        return bool(client.zscore(flights, "l") > due)

    wait_until(is_kept_longer)
    wait_until(lambda: third.reserve("beat.example", "t", 0) is not None)
    dead.renew()
    assert sorted(client.zrange(flights, 0, -1)) == ["l", "t"]
    living.release("beat.example", "l")
    living.renew()
    assert client.zrange(flights, 0, -1) == ["t"]


def test_the_answer_of_a_hash_is_whole(redis_url: str) -> None:
    client = redis.Redis.from_url(redis_url)
    client.hset("whole", mapping={str(number): number for number in range(2_000)})
    assert SharedLink(redis_url).scan_hash("whole") == {str(number): str(number) for number in range(2_000)}
    client.delete("whole")
