"""The clients of the embedded page store: their messages read within bounds, answered, and the answers sent."""

import asyncio
import contextlib
import logging
import struct
import uuid
from collections import OrderedDict
from typing import Any, cast

from nx_27017.handler import NeoSQLiteHandler
from nx_27017.wire_protocol import OP_MSG, OP_QUERY, ResponseBuilder, WireProtocol

from pagestore.embedded.room import Room

HEADER_BYTES = 16  # length, request, the request answered, operation: little-endian int32 each
MAX_MESSAGE_BYTES = 48_000_000  # MongoDB's, of which clients are told
# Chosen: a crawl's usual writes (32 pages of 9 kB in one) need no room of the common one, or hardly; what 1,000
# connections may hold without asking is 256 MB, and what the largest hold together that of four.
FREE_BYTES = 256 * 1024
ROOM_BYTES = 4 * MAX_MESSAGE_BYTES
MAX_CONNECTIONS = 1_000  # nx-27017's; 256 workers with three each fit
# A client of this machine sends 48 MB in a tenth of a second. One that is silent in the middle of a message is cut off
# after so long, sooner where others wait for the memory that it holds.
PATIENCE_S = 10.0
CONTENDED_PATIENCE_S = 1.0
LAST_LOOK_S = 0.2  # after a pause of our own, what a client sent meanwhile is seen first

log = logging.getLogger(__name__)


class Connections:
    """Serves every client of one handler. Beyond MAX_CONNECTIONS the one that was silent longest has to go."""

    def __init__(self, handler: NeoSQLiteHandler) -> None:
        self._handler = handler
        self._room = Room(ROOM_BYTES)
        self._one_large = asyncio.Lock()  # what is decoded takes several times the memory of a message
        self._idle: OrderedDict[str, asyncio.StreamWriter] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one client until it goes, or has to."""
        name = uuid.uuid4().hex
        task = cast("asyncio.Task[None]", asyncio.current_task())
        self._tasks.add(task)
        self._handler.increment_connections()
        try:
            self._make_way()
            while True:
                self._idle[name] = writer
                header = await reader.readexactly(HEADER_BYTES)
                del self._idle[name]
                await self._exchange(name, header, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass  # it went, or all have to go
        except (TimeoutError, ValueError) as fault:
            log.warning("a connection is closed: %s", fault)
        finally:
            self._tasks.discard(task)
            self._idle.pop(name, None)
            self._handler.decrement_connections()
            self._handler.close_streams_for_connection(name)
            writer.transport.abort()

    async def close(self) -> None:
        """Cut off every client. What a thread is doing for one goes on to its end."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _make_way(self) -> None:
        if len(self._tasks) > MAX_CONNECTIONS and self._idle:
            _, longest_silent = self._idle.popitem(last=False)
            longest_silent.transport.abort()

    async def _exchange(
        self, name: str, header: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Read the message that `header` begins, and answer it."""
        (length,) = struct.unpack_from("<i", header)
        if not HEADER_BYTES < length <= MAX_MESSAGE_BYTES:
            raise ValueError(f"a message of {length:,} bytes; allowed: up to {MAX_MESSAGE_BYTES:,}")
        body_bytes = length - HEADER_BYTES
        first = await _within_patience(reader, min(body_bytes, FREE_BYTES), length)
        if body_bytes <= FREE_BYTES:
            reply = await asyncio.to_thread(answer, self._handler, header + first, name)
        else:
            async with self._room.taken(length):
                message = await self._large(header + first, length, reader)
                del first
                async with self._one_large:
                    reply = await asyncio.to_thread(answer, self._handler, message, name)
                del message
        await self._send(reply, writer)

    async def _large(self, start: bytes, length: int, reader: asyncio.StreamReader) -> bytearray:
        """The whole of a large message."""
        message = bytearray(length)
        message[: len(start)] = start
        got = len(start)
        while got < length:
            chunk = await self._chunk(reader, length - got)
            message[got : got + len(chunk)] = chunk
            got += len(chunk)
        return message

    async def _chunk(self, reader: asyncio.StreamReader, most: int) -> bytes:
        """What comes next of a large message. Raises TimeoutError when nothing does."""
        waited_s = 0.0
        while True:
            for wait_s in (CONTENDED_PATIENCE_S, LAST_LOOK_S):
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(wait_s):
                        chunk = await reader.read(most)
                        if not chunk:
                            raise asyncio.IncompleteReadError(b"", most)
                        return chunk
                waited_s += wait_s
            if self._room.is_contended or waited_s > PATIENCE_S:
                raise TimeoutError(f"{most:,} bytes of a message did not come within {waited_s:.1f} s")

    async def _send(self, reply: bytes, writer: asyncio.StreamWriter) -> None:
        held = self._room.taken(len(reply)) if len(reply) > FREE_BYTES else contextlib.nullcontext()
        async with held:
            writer.write(reply)
            try:
                async with asyncio.timeout(PATIENCE_S):
                    await writer.drain()
            except TimeoutError as error:
                raise TimeoutError(f"an answer of {len(reply):,} bytes was not taken") from error


def answer(handler: NeoSQLiteHandler, message: bytes | bytearray, connection: str) -> bytes:
    """What nx-27017 answers to a message, ready to be sent; to one that it cannot read, the fault."""
    _, request_id, _, operation = struct.unpack_from("<iiii", message)
    if operation == WireProtocol.OP_QUERY:  # the first greeting of some drivers
        parsed = OP_QUERY.parse(bytes(message))
        documents = handler.handle_query(parsed | {"_conn_id": connection})[1]
        return bytes(ResponseBuilder.build_reply(0, request_id, documents))
    try:
        document = _command(handler, operation, message, connection)
    except Exception as error:  # whatever goes wrong in there is the answer, and no end of the server
        log.exception("a command failed")
        document = {"ok": 0, "errmsg": str(error)}
    return bytes(ResponseBuilder.build_op_msg_reply(0, request_id, document))


def _command(handler: NeoSQLiteHandler, operation: int, message: bytes | bytearray, connection: str) -> dict[str, Any]:
    if operation != WireProtocol.OP_MSG:
        raise ValueError(f"Unsupported opcode: {operation}")
    parsed = OP_MSG.parse(message) | {"_conn_id": connection}
    is_insert = any(kind == "body" and "insert" in section for kind, section in parsed["sections"])
    handle = handler.handle_insert if is_insert else handler.handle_command
    document: dict[str, Any] = handle(parsed)[1]
    return document


async def _within_patience(reader: asyncio.StreamReader, size: int, length: int) -> bytes:
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await reader.readexactly(size)
    except TimeoutError as error:
        raise TimeoutError(f"a message of {length:,} bytes was begun and not sent") from error
