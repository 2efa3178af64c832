"""Asking an authority: what is sent, what is not believed, and what is never asked."""

import base64
import contextlib
import socket
import threading

import pytest

from bundles.authority import Authority
from core.errors import BadConfiguration, RetryLater, ServiceUnavailable
from core.ids import digest
from tests.support.time_stamp_authority import TO_LOOPBACK, TO_PUBLIC, LocalAuthority, serving

ROOT = digest(b"root")
REPLY = "application/timestamp-reply"


def test_a_private_address_is_not_asked_unless_the_operator_allows_it(authority: LocalAuthority) -> None:
    with (
        serving(lambda query: (200, REPLY, authority.answer(query))) as server,
        pytest.raises(RetryLater, match="private"),
    ):
        Authority(f"http://127.0.0.1:{server.server_port}/", authority.ca_pem, TO_PUBLIC).stamp(ROOT)
    for name in ("localhost", "0x7f000001", "2130706433"):
        with pytest.raises(RetryLater):
            Authority(f"http://{name}:{server.server_port}/", authority.ca_pem, TO_PUBLIC).stamp(ROOT)
    assert server.seen == []  # type: ignore[attr-defined]


def test_a_login_is_sent_and_kept_nowhere(authority: LocalAuthority) -> None:
    with serving(lambda query: (200, REPLY, authority.answer(query))) as server:
        url = f"http://nutzer:geheim%2F1@127.0.0.1:{server.server_port}/tsa?key=geheim-2"
        asked = Authority(url, authority.ca_pem, TO_LOOPBACK)
        stamp = asked.stamp(ROOT)
        (headers,) = server.seen  # type: ignore[attr-defined]
    assert base64.b64decode(headers["Authorization"].removeprefix("Basic ")) == b"nutzer:geheim/1"
    assert "geheim" not in stamp.authority + repr(asked)


def test_an_answer_without_end_is_cut_off(authority: LocalAuthority) -> None:
    with serving(lambda _: (200, REPLY, b"\x30" * 10_000_000)) as server, pytest.raises(ServiceUnavailable):
        Authority(f"http://127.0.0.1:{server.server_port}/", authority.ca_pem, TO_LOOPBACK).stamp(ROOT)


def test_an_answer_that_drips_is_given_up(authority: LocalAuthority) -> None:
    """Its head comes byte by byte, so that no single wait is long."""
    done = threading.Event()

    def drip(server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            reached = server.accept()[0]
            reached.sendall(b"HTTP/1.1 200 OK\r\nX: ")
            while not done.wait(0.05):
                reached.sendall(b"a")

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(10)  # on a busy machine whoever asks may give up before
        thread = threading.Thread(target=drip, args=(server,), daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        with pytest.raises(RetryLater):
            Authority(url, authority.ca_pem, TO_LOOPBACK, timeout_s=0.5).stamp(ROOT)
        done.set()
        thread.join()


@pytest.mark.parametrize("url", ["", "ftp://tsa.example/", "tsa.example", "http://"])
def test_what_is_no_url_is_refused_at_once(url: str, authority: LocalAuthority) -> None:
    with pytest.raises(BadConfiguration, match="not a valid time stamp authority URL"):
        Authority(url, authority.ca_pem, TO_PUBLIC)
