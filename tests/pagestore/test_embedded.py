"""The embedded page store: what it makes of broken messages, and what is there after it was asked to end."""

import socket
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import bson
import pytest

from pagestore.connection import connect, ping
from tests.support.embedded import EmbeddedMongo, wait_until

MAX_MESSAGE_BYTES = 48_000_000  # MongoDB's
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


@pytest.fixture
def server(tmp_path: Path, processes: None) -> Iterator[EmbeddedMongo]:
    """A server of this test's own."""
    made = EmbeddedMongo(tmp_path / "mongo")
    made.start()
    yield made
    made.stop()


@pytest.mark.parametrize("length", [MAX_MESSAGE_BYTES + 1, 3])
def test_a_message_of_no_possible_length_ends_its_connection_and_no_other(server: EmbeddedMongo, length: int) -> None:
    with closing(greeted(server.socket)) as client, closing(greeted(server.socket)) as half:
        client.sendall(HEADER.pack(length, 2, 0, OP_MSG))
        assert client.recv(1) == b""
        half.sendall(HEADER.pack(40_000_000, 2, 0, OP_MSG) + bytes(1_000))  # and breaks off
        ping(connect(server.url("honest")))


@pytest.mark.parametrize("body", [b"", b"\0", bytes(100), b"\xff" * 100])
def test_an_unreadable_message_gets_an_error_or_ends_its_connection(server: EmbeddedMongo, body: bytes) -> None:
    with closing(greeted(server.socket)) as client:
        client.sendall(HEADER.pack(HEADER.size + len(body), 1, 0, OP_MSG) + body)
        answer = client.recv(4096)
        assert answer == b"" or b"errmsg" in answer
    ping(connect(server.url("honest")))


def test_what_was_acknowledged_is_there_after_the_server_was_asked_to_end(server: EmbeddedMongo) -> None:
    collection = connect(server.url("kept"))["t"]
    collection.insert_many([{"_id": number} for number in range(100)])
    server.stop()
    server.start()
    wait_until(lambda: connect(server.url("kept"))["t"].count_documents({}) == 100, "everything is there")
