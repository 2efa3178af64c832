"""A server of a test's own that throws fails the test, instead of a traceback that nobody reads.

`socketserver` swallows what a handler raises; here it goes on, and ends the handler's thread. What ends a thread is an
error of the test that runs (`filterwarnings` in pyproject.toml): so it is for servers of bare sockets and threads too.
"""

import socketserver
import sys

import pytest


def pytest_configure(config: pytest.Config) -> None:
    socketserver.BaseServer.handle_error = _raise  # type: ignore[method-assign]


def _raise(*_: object) -> None:
    """Called while the exception is handled. A client that went away is no fault of the server."""
    if not isinstance(sys.exception(), ConnectionError):
        raise  # noqa: PLE0704 - the exception that handle_error was called for
