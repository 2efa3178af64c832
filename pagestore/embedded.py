"""Runs the embedded page store: nx-27017, a server with MongoDB's protocol, on a Unix socket for this user only.

Run as `python -m pagestore.embedded --data-dir FOLDER --socket PATH`.
"""

import argparse
import asyncio
import fcntl
import logging
import os
import resource
import signal
import socket
import sys
from functools import partial
from pathlib import Path

from nx_27017.handler import NeoSQLiteHandler
from nx_27017.server import handle_client

from core.garbage import freeze_loaded_objects

BACKLOG = 512
OPEN_FILES = 2_000  # 256 workers with three connections each, and three files for each of a hundred databases


def main(arguments: list[str]) -> int:
    """Serve until SIGTERM or SIGINT, and return the exit code: 1 if the folder is in use or unusable."""
    parser = argparse.ArgumentParser(prog="pagestore.embedded", description="The embedded page store.")
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--socket", type=Path, required=True, dest="path")
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    os.umask(0o077)
    _raise_file_limit()
    freeze_loaded_objects()
    try:
        with (options.data_dir / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            handler = NeoSQLiteHandler(data_dir=str(options.data_dir))
            asyncio.run(serve(handler, options.path))  # ends after the clients' running operations
            handler.close_all()
    except BlockingIOError:
        return _exit_process(f"another page store serves {options.data_dir}")
    except OSError as error:
        return _exit_process(f"the page store cannot work in {options.data_dir} and at {options.path}: {error}")
    return 0


def _exit_process(sentence: str) -> int:
    print(sentence, file=sys.stderr)  # noqa: T201
    return 1


async def serve(handler: NeoSQLiteHandler, path: Path) -> None:
    """Serve clients at the socket `path` until SIGTERM or SIGINT."""
    stop_event = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop_event.set)
    server = await asyncio.start_unix_server(partial(handle_client, handler=handler), sock=_bind_socket(path))
    await stop_event.wait()
    server.close()
    path.unlink(missing_ok=True)


def _bind_socket(path: Path) -> socket.socket:
    """Return a listening socket for this user only. A socket left behind at this path is replaced."""
    path.unlink(missing_ok=True)
    server_socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server_socket.bind(str(path))
    path.chmod(0o600)
    server_socket.listen(BACKLOG)
    return server_socket


def _raise_file_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    new_limit = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < new_limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (new_limit, hard))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
