"""The embedded page store against clients that promise much, send little, or come in crowds."""

import asyncio
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from urllib.parse import quote

import bson
import pytest
from nx_27017.handler import NeoSQLiteHandler

from pagestore.connection import MongoDatabase, connect, ping
from pagestore.embedded import connections
from pagestore.embedded.connections import FREE_BYTES, MAX_MESSAGE_BYTES, ROOM_BYTES, Connections
from pagestore.embedded.room import Room
from tests.support.embedded import EmbeddedMongo, wait_until

ATTACKERS, PROMISED_BYTES = 300, 40_000_000
MEGABYTE = 1_000_000
HEADER = struct.Struct("<iiii")
OP_MSG = 2013


def greeted(path: Path) -> socket.socket:
    """A client that has said hello, as every driver does first."""
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(60)
    client.connect(str(path))
    body = struct.pack("<IB", 0, 0) + bson.encode({"hello": 1, "$db": "admin"})
    client.sendall(HEADER.pack(HEADER.size + len(body), 1, 0, OP_MSG) + body)
    assert len(client.recv(4096)) > HEADER.size
    return client


def promise(client: socket.socket, promised: int, sent: int) -> None:
    """Begin a message, and break off."""
    client.sendall(HEADER.pack(promised, 2, 0, OP_MSG) + bytes(sent))


def is_cut_off(client: socket.socket) -> bool:
    try:
        return client.recv(1) == b""
    except ConnectionError:
        return True


def peak_bytes(pid: int) -> int:
    """The most memory that a process ever held."""
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


@pytest.fixture
def server(tmp_path: Path, processes: None) -> Iterator[EmbeddedMongo]:
    """A server of this test's own, whose memory nobody else has used."""
    made = EmbeddedMongo(tmp_path / "mongo")
    made.start()
    yield made
    made.stop()


@pytest.mark.parametrize("sent", [0, FREE_BYTES + 100_000], ids=["nothing sent", "enough sent to be let in"])
def test_three_hundred_promises_of_40_mb_cost_little_and_an_honest_client_is_served_meanwhile(
    server: EmbeddedMongo, sent: int
) -> None:
    database = connect(server.url("honest"))
    ping(database)
    before = peak_bytes(server.pid)
    with ExitStack() as attack:
        attackers = [attack.enter_context(closing(greeted(server.socket))) for _ in range(ATTACKERS)]
        for each in attackers:
            promise(each, PROMISED_BYTES, sent)
        database["t"].insert_one({"_id": "small", "content": bytes(9_000)})
        database["t"].insert_many([{"_id": str(number), "content": bytes(9_000)} for number in range(32)])
        database["t"].insert_one({"_id": "large", "content": bytes(4 * MEGABYTE)})
        assert database["t"].count_documents({}) == 34
        grown = peak_bytes(server.pid) - before
    # What may be held together, and what each attacker may hold for himself: in the server's hands and in its buffer.
    assert grown < ROOM_BYTES + ATTACKERS * 2 * FREE_BYTES + 150 * MEGABYTE
    assert grown < ATTACKERS * PROMISED_BYTES / 20


def test_a_message_larger_than_mongodb_takes_ends_its_connection_and_no_other(server: EmbeddedMongo) -> None:
    with closing(greeted(server.socket)) as client, closing(greeted(server.socket)) as other:
        promise(client, MAX_MESSAGE_BYTES + 1, 0)
        assert is_cut_off(client)
        promise(other, 3, 0)
        assert is_cut_off(other)
    ping(connect(server.url("honest")))


@pytest.mark.parametrize("body", [b"", b"\0", bytes(100), b"\xff" * 100])
def test_a_message_that_cannot_be_read_is_answered_with_the_fault_or_ends_its_connection(
    server: EmbeddedMongo, body: bytes
) -> None:
    with closing(greeted(server.socket)) as client:
        client.sendall(HEADER.pack(HEADER.size + len(body), 1, 0, OP_MSG) + body)
        answer = client.recv(4096)
        assert answer == b"" or b"errmsg" in answer
    ping(connect(server.url("honest")))


@contextmanager
def serving(folder: Path) -> Iterator[Path]:
    """The server in this process, where a test may change its limits; its socket."""
    path, loop, ready, ended = folder / "s.sock", asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    handler = NeoSQLiteHandler(data_dir=str(folder))

    async def serve() -> None:
        served = Connections(handler)
        server = await asyncio.start_unix_server(served.serve, path)
        ready.set()
        await ended.wait()
        server.close()
        await served.close()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    assert ready.wait(30)
    try:
        yield path
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join()
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()
        handler.close_all()


@pytest.fixture
def short_folder(server: EmbeddedMongo) -> Path:
    """One with a path that a socket may have."""
    folder = server.socket.parent / "own"
    folder.mkdir()
    return folder


def database_at(path: Path) -> MongoDatabase:
    return connect(f"mongodb://{quote(str(path), safe='')}/t")


@pytest.mark.parametrize("sent", [10, FREE_BYTES + 1_000])
def test_who_breaks_off_in_the_middle_of_a_message_is_cut_off(
    short_folder: Path, monkeypatch: pytest.MonkeyPatch, sent: int
) -> None:
    monkeypatch.setattr(connections, "PATIENCE_S", 0.2)
    monkeypatch.setattr(connections, "CONTENDED_PATIENCE_S", 0.1)
    with serving(short_folder) as path, closing(greeted(path)) as client, closing(greeted(path)) as silent:
        promise(client, PROMISED_BYTES, sent)
        assert is_cut_off(client)
        silent.sendall(HEADER.pack(16 + 5, 1, 0, OP_MSG)[:4])  # who only says nothing more may stay
        silent.settimeout(0.5)
        with pytest.raises(TimeoutError):
            silent.recv(1)


def test_where_room_is_short_a_silent_client_goes_first_and_a_waiting_one_is_served(
    short_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "ROOM_BYTES", MEGABYTE)
    monkeypatch.setattr(connections, "PATIENCE_S", 1000.0)  # it is the waiting of others that counts
    monkeypatch.setattr(connections, "CONTENDED_PATIENCE_S", 0.1)
    with serving(short_folder) as path, closing(greeted(path)) as holder:
        promise(holder, MEGABYTE - 100, FREE_BYTES + 1_000)
        holder.settimeout(0.5)
        with pytest.raises(TimeoutError):  # as long as nobody waits, it may take its time
            holder.recv(1)
        database_at(path)["t"].insert_one({"content": bytes(500_000)})
        holder.settimeout(60)
        assert is_cut_off(holder)


def test_a_crowd_pushes_out_who_was_silent_longest_and_nobody_who_is_served(
    short_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 3)
    with serving(short_folder) as path, ExitStack() as crowd:
        first, second, third, fourth = [crowd.enter_context(closing(greeted(path))) for _ in range(4)]
        assert is_cut_off(first)
        for client in (second, third, fourth):
            client.settimeout(0.1)
            with pytest.raises(TimeoutError):
                client.recv(1)


def test_room_is_given_to_the_smallest_that_waits_and_given_back_by_who_goes() -> None:
    async def scene() -> list[str]:
        room, order = Room(100), list[str]()
        may_go = asyncio.Event()

        async def take(name: str, size: int) -> None:
            async with room.taken(size):
                order.append(name)
                await may_go.wait()

        async with asyncio.TaskGroup() as group:
            group.create_task(take("first", 80))
            await asyncio.sleep(0)
            assert not room.is_contended
            large = group.create_task(take("large", 90))
            group.create_task(take("medium", 60))
            gone = asyncio.ensure_future(take("gone", 10_000))
            await asyncio.sleep(0)
            assert room.is_contended
            group.create_task(take("small", 20))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert order == ["first", "small"]
            gone.cancel()
            may_go.set()
            await large
        assert not room.is_contended
        async with room.taken(100):  # all of it is there again
            return order

    assert asyncio.run(scene()) == ["first", "small", "medium", "large"]


def test_what_was_acknowledged_is_there_after_the_server_was_asked_to_end(server: EmbeddedMongo) -> None:
    collection = connect(server.url("kept"))["t"]
    collection.insert_many([{"_id": number} for number in range(100)])
    server.stop()
    server.start()
    wait_until(lambda: connect(server.url("kept"))["t"].count_documents({}) == 100, "everything is there")
