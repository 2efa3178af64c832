"""The suites that touch a database, a page store or an index, then the demo, on real servers that are made for it.

`python -m tests.servers` does both, `--only suites` or `--only demo` one of them, `--sample` of the suites what CI
takes; `--keep` leaves the servers running until Ctrl-C, for tests chosen by hand. What else is given goes to pytest, in
place of the suites.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from core.errors import ZhuiwenError
from laboratory.ports import free_port
from laboratory.servers import REDIS_DATABASES, postgres, redis_program, redis_server, require_all, running, secantus
from tests.servers.suites import SAMPLE, SELECTION, SUITES
from tests.support import embedded
from tests.support import redis_server as tested_redis
from tests.support.embedded import free_row

ROOT = Path(__file__).parents[2]
HOW = ("-m", SELECTION, "-n", "3", "--dist", "worksteal")
DEMO_SITES = 7
DEMO_DATABASE = "zhuiwen_demo"
EXTERNAL = {"database", "redis", "mongo"}  # what `zhuiwen status` must show as running elsewhere


def main() -> int:
    """0 where all passed; 1 where a test or the demo did not; 2 where a server is missing or did not start."""
    parser = argparse.ArgumentParser("python -m tests.servers", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", choices=("suites", "demo"))
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--keep", action="store_true")
    given, chosen = parser.parse_known_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # the servers end with us
    try:
        with servers() as urls:
            wanted = chosen or [*(SAMPLE if given.sample else SUITES), *HOW]
            return _run(urls, given.only, wanted, has_demo=not chosen, is_kept=given.keep)
    except ZhuiwenError as reason:
        say(str(reason))
        return 2
    except KeyboardInterrupt:
        return 130


def _run(urls: dict[str, str], only: str | None, wanted: list[str], *, has_demo: bool, is_kept: bool) -> int:
    if is_kept:
        say("Until Ctrl-C:")
        say("\n".join(f"export {name}={value}" for name, value in test_environment(urls).items()))
        signal.pause()
    failed = []
    if only != "demo" and _timed("the suites", lambda: suites(urls, wanted)):
        failed.append("the suites")
    if only != "suites" and has_demo and _timed("the demo", lambda: demo(urls)):
        failed.append("the demo")
    say(f"Failed: {' and '.join(failed)}." if failed else "All passed on PostgreSQL, Redis and SecantusDB.")
    return int(bool(failed))


@contextmanager
def servers() -> Iterator[dict[str, str]]:
    """All three, by the name of their setting. Raises BadInput before the first is started if one is missing."""
    require_all()
    say("Starting PostgreSQL, Redis and SecantusDB ...")
    with tempfile.TemporaryDirectory(prefix="zhuiwen-servers-") as folder:
        Path(folder).chmod(0o755)  # the user of PostgreSQL has to reach its own
        made = {
            "DATABASE_URL": postgres(Path(folder) / "sql"),
            "REDIS_URL": redis_server(Path(folder) / "redis"),
            "MONGO_URL": secantus(Path(folder) / "mongo"),
        }
        with running(*made.values()):
            yield {name: server.url for name, server in made.items()}


def test_environment(urls: dict[str, str]) -> dict[str, str]:
    """Return what points the tests at the servers."""
    return {
        "TEST_DATABASE_URL": urls["DATABASE_URL"],
        tested_redis.GIVEN: urls["REDIS_URL"],
        embedded.GIVEN: urls["MONGO_URL"],
        tested_redis.GIVEN_BINARY: redis_program(),
    }


def suites(urls: dict[str, str], wanted: list[str]) -> bool:
    """Whether a test failed."""
    command = [sys.executable, "-m", "pytest", "-q", *wanted]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, **test_environment(urls)}, check=False).returncode != 0


def demo(urls: dict[str, str]) -> bool:
    """Whether the demo found another than the planned cases, or used a service of its own."""
    with tempfile.TemporaryDirectory(prefix="zhuiwen-servers-demo-") as home:
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("ZHUIWEN_", "DJANGO_"))
        }
        environment |= {f"ZHUIWEN_{name}": value for name, value in _demo_urls(urls).items()}
        environment |= {
            "ZHUIWEN_HOME": home,
            "ZHUIWEN_SCREENSHOTS": "off",
            "ZHUIWEN_WEB_PORT": str(free_port()),
            "ZHUIWEN_DEMO_PORT": str(free_row(DEMO_SITES)),
        }
        zhuiwen = [sys.executable, "-m", "deploy.cli"]
        try:
            done = subprocess.run(
                [*zhuiwen, "demo", "--json"], env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
            )
            shown = subprocess.run(
                [*zhuiwen, "status", "--json"],
                env=environment,
                cwd=ROOT,
                stdout=subprocess.PIPE,
                text=True,
                check=False,
            )
        finally:
            subprocess.run([*zhuiwen, "down"], env=environment, cwd=ROOT, check=False)
    return _is_wrong(done.stdout, shown.stdout)


def _demo_urls(urls: dict[str, str]) -> dict[str, str]:
    """Databases of the demo's own on each server: it begins with nothing, whatever the suites left behind."""
    with psycopg.connect(urls["DATABASE_URL"], autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {DEMO_DATABASE}")
        connection.execute(f"CREATE DATABASE {DEMO_DATABASE}")
    own = {"DATABASE_URL": DEMO_DATABASE, "REDIS_URL": str(REDIS_DATABASES - 1), "MONGO_URL": DEMO_DATABASE}
    return {name: urlsplit(urls[name])._replace(path=f"/{path}").geturl() for name, path in own.items()}


def _is_wrong(demo_said: str, status_said: str) -> bool:
    try:
        record, status = json.loads(demo_said), json.loads(status_said)
    except json.JSONDecodeError:
        say("The demo or the status after it said nothing that can be read.")
        return True
    copies, innocent = record["copies"], record["innocent"]
    found = f"{copies['found']} of {copies['planned']} copies found"
    accused = f"{innocent['accused']} of {innocent['planned']} unrelated pages flagged"
    say(f"{found}, {accused}, {record['cases']} cases, in {record['seconds']:.0f} s.")
    for fault in record["faults"]:
        say(f"Not as expected: {fault}")
    states = {row["name"]: row["state"] for row in status["services"]}
    embedded_here = sorted(name for name in EXTERNAL if states.get(name) != "external")
    if embedded_here:
        say(f"Not on the servers: {', '.join(f'{name} ({states.get(name)})' for name in embedded_here)}.")
    return bool(record["faults"] or embedded_here or copies["found"] != copies["planned"] or innocent["accused"])


def _timed(what: str, run: Callable[[], bool]) -> bool:
    began = time.monotonic()
    say(f"Running {what} ...")
    has_failed = run()
    say(f"{what.capitalize()} took {time.monotonic() - began:.0f} s.")
    return has_failed


def say(line: str) -> None:
    """A line for whoever watches."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
