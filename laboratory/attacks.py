"""`python -m laboratory.attacks [NAME ...]`: what one page, file, rule or server did to everybody else, tried again.

Each attack runs in a process of its own, within bounds of time and memory. `held` says that the product answered as it
should within them; the exit code is 1 where one did not. What is cheap to try is a test beside the code.
"""

import argparse
import io
import os
import resource
import signal
import socketserver
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from docx import Document

from bundles.faults import DoesNotHold
from bundles.warc_reading import Budget, records
from core.addressees import Paper
from core.errors import BadConfiguration, BrokenInvariant, ServiceUnavailable, ZhuiwenError
from core.ids import digest
from core.mail_servers import mail_server
from core.pages import Reading
from core.settings import S3Settings
from crawler.opening import PageRules
from crawler.readers.checks import run_check
from crawler.readers.pages import SinglePage
from crawler.readers.reading_process import ReadingProcess
from crawler.rule_checks import rule_faults
from laboratory.extraction.hostile_pages import KINDS, SENTENCE
from pagestore.objects.folder import FolderObjects
from pagestore.objects.opening import open_objects
from webadmin.backups.services.format import DamagedBackup, Piece, content_of, put_object
from webadmin.notices.services.smtp import Letter, Outcome, hand_over
from webadmin.notices.services.word_template import require_template

# Chosen: several times what each takes on two busy cores (2026-11), and less than anybody notices on a server.
MAX_SECONDS, MAX_BYTES = 120, 1_500_000_000
EXPANDED_BYTES, PAGE_BYTES = 2 * 10**9, 10**6
SLOW_KINDS = ("content before elements", "many attributes of their own", "selectors", "broken entities")
HELD = "held"


def _is_read(body: bytes, body_selector: str = "") -> str:
    """The text that stands in the markup is read; a site's slow rule is refused."""
    page = SinglePage(body, {"Content-Type": "text/html"}, "http://a.example/1.html", PageRules(body_selector))
    with ReadingProcess() as process:
        try:
            read = process.read(page)
        except BadConfiguration as fault:
            return HELD if body_selector else str(fault)
    return HELD if isinstance(read, Reading) and SENTENCE in read.text else f"not read: {read!r:.100}"


def _doubled_arrays(script: str) -> bytes:
    doublings = "".join(f"var a{n}=[a{n - 1},a{n - 1}];" for n in range(1, 41))
    return (
        f"<html><head><title>渡口</title></head><body><p>{SENTENCE * 8}</p><script>"
        f"{script.replace('#', f'var a0=[1];{doublings}document.write(a40.join())')}</script></body></html>"
    ).encode()


def _slow_rules() -> str:
    patterns = [f"(?:(?:b{n}){{999}}c){{999}}" for n in range(200)]
    selectors = [f"p:not({' ~ '.join('p' * n)})" for n in range(7, 57)]
    return HELD if rule_faults(patterns, selectors) else "taken"


def _template(text: str, paragraphs: int) -> str:
    file, written = Document(), io.BytesIO()
    for _ in range(paragraphs):
        file.add_paragraph(text)
    file.save(written)
    return _refusal(partial(run_check, "template", require_template, written.getvalue(), Paper.LETTER), ZhuiwenError)


def _refusal(call: Callable[[], object], *errors: type[Exception]) -> str:
    try:
        call()
    except errors:
        return HELD
    return "taken"


@contextmanager
def endless_server(begin: bytes, more: bytes) -> Iterator[int]:
    """The port of a server that greets with `begin`, and then says `more` for ever."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with suppress(OSError):
                self.request.sendall(begin)
                while True:
                    self.request.sendall(more)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def _mail(begin: bytes, more: bytes) -> str:
    with endless_server(begin, more) as port:
        letter = Letter("a@example.com", "b@example.com", b"Subject: x\r\n\r\nx\r\n")
        handed = hand_over(mail_server(f"smtp://127.0.0.1:{port}"), letter, 5.0)
    return HELD if handed.outcome is Outcome.FAILED else f"{handed.outcome}: {handed.message.code}"


def _objects(begin: bytes, more: bytes) -> str:
    with endless_server(begin, more) as port:
        access = S3Settings(endpoint_url=f"http://127.0.0.1:{port}", access_key="a", secret_key="b")  # noqa: S106
        store = open_objects("s3://kept", access, "ZHUIWEN_RAW_URL")
        listed = _refusal(lambda: list(store.keys()), ServiceUnavailable)
        read = _refusal(lambda: store.get("a", 1_000), ServiceUnavailable, BrokenInvariant)
    return HELD if {listed, read} == {HELD} else f"list {listed}, object {read}"


def _zeros() -> bytes:
    """A gzip file of some megabytes that unpacks to EXPANDED_BYTES."""
    packing, block = zlib.compressobj(1, wbits=31), bytes(2**24)
    begin = packing.compress(b"WARC/1.1\r\nContent-Length: %d\r\n\r\n" % EXPANDED_BYTES)
    return begin + b"".join(packing.compress(block) for _ in range(EXPANDED_BYTES // 2**24)) + packing.flush()


def _backup() -> str:
    written = _zeros()
    with TemporaryDirectory() as folder:
        store = FolderObjects(Path(folder))
        name = put_object(store, written)
        piece = Piece(name, len(written), digest(b""), 64 * 2**20, 1)  # what a manifest may say of it
        return _refusal(lambda: content_of(store, piece), DamagedBackup)


_HTTP, _LONG = b"HTTP/1.1 200 OK\r\n", b"Content-Length: 99999999999\r\n\r\n"
ATTACKS: Mapping[str, Callable[[], str]] = {
    "doubled arrays": lambda: _is_read(_doubled_arrays("#")),
    "doubled arrays, never run": lambda: _is_read(_doubled_arrays("if(0){#}")),
    "200,000 attributes": lambda: _is_read(f"<p {' '.join(f'a{n}=1' for n in range(200_000))}>{SENTENCE * 8}".encode()),
    **{f"page: {kind}": partial(lambda kind: _is_read(KINDS[kind](PAGE_BYTES)), kind) for kind in SLOW_KINDS},
    "a slow selector": lambda: _is_read(f"<p>{SENTENCE}</p>".encode() * 3_000, "p:not(p ~ p ~ p ~ p ~ p ~ p ~ p)"),
    "a form of slow rules": _slow_rules,
    "a template of braces": lambda: _template("{{" + " " * 200_000, 1),
    "a template of many braces": lambda: _template("{{ {{" + " " * 90, 5_000),
    "mail: a greeting without an end": lambda: _mail(b"", b"220-hello\r\n" * 1_000),
    "mail: a line without an end": lambda: _mail(b"220 hello\r\n250-", b"x" * 60_000),
    "objects: a list without an end": lambda: _objects(_HTTP + b"\r\n<L>", b"<Contents><Key>a</Key></Contents>" * 999),
    "objects: an object without an end": lambda: _objects(_HTTP + _LONG, b"x" * 60_000),
    "objects: an answer that is to come": lambda: _objects(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000),
    "a bundle that expands": lambda: _refusal(lambda: list(records(_zeros(), "data", Budget())), DoesNotHold),
    "a backup that expands": _backup,
}


def outcome_alone(name: str) -> str:
    """What becomes of an attack in a process of its own, all of whose processes are gone afterwards."""
    command = [sys.executable, "-m", "laboratory.attacks", "--here", name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True) as process:
        try:
            said = process.communicate(timeout=MAX_SECONDS)[0].decode("utf-8", "replace").strip()
        except subprocess.TimeoutExpired:
            return f"more than {MAX_SECONDS} s"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    return said.splitlines()[-1] if said else f"ended with code {process.returncode}"


def main() -> int:
    """Try the attacks that are named, or all, and say what became of each."""
    parser = argparse.ArgumentParser(prog="python -m laboratory.attacks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of: {', '.join(ATTACKS)}")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(ATTACKS):
        parser.error(f"no such attack: {min(unknown)}")
    if asked.here:
        # The hard limit stays: the processes that the product starts set bounds of their own.
        resource.setrlimit(resource.RLIMIT_DATA, (MAX_BYTES, resource.getrlimit(resource.RLIMIT_DATA)[1]))
        sys.stdout.write(ATTACKS[asked.names[0]]())
        return 0
    outcomes = []
    for name in asked.names or ATTACKS:
        begun = time.monotonic()
        outcomes.append(outcome_alone(name))
        said = HELD if outcomes[-1] == HELD else f"FAILED: {outcomes[-1]}"
        print(f"{name:40}{time.monotonic() - begun:6.1f} s  {said}", flush=True)  # noqa: T201
    return int(set(outcomes) != {HELD})


if __name__ == "__main__":
    sys.exit(main())
