"""Runs of sites by several processes, as the product starts them: admin database, real task, Redis, page store."""

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest
import redis

from pagestore.mongo import MongoPageStore, connect
from tests.crawler.texts import own_text
from tests.support.environment import FOREIGN
from tests.support.web_server import Answer, Routes, WebServer, page

PAGES, LISTS = 60, 3
LEASE_S = 6.0
DEADLINE_S = 240.0  # of a process, on a machine that is busy with others
TEXTS = {f"/p/{n}" for n in range(PAGES)}
ALL = TEXTS | {f"/list/{n}" for n in range(LISTS)} | {"/"}
_MAKE_TABLES = """
from django.core.management import call_command
call_command("migrate", verbosity=0)
"""
_MAKE_SITE = """
import json, sys
from webadmin import crawls
from webadmin.models import RightsHolder, Site, SiteRules
given = json.loads(sys.argv[1])
rules = given.pop("rules")
holder, _ = RightsHolder.objects.get_or_create(name="甲")
site = Site.objects.create(rights_holder=holder, use_sitemap=False, **given)
SiteRules.objects.create(site=site, **rules)
print(site.pk, crawls.request_run(site).pk)
"""
_ASK = """
import sys
from webadmin import crawls
from webadmin.models import Site
print(crawls.request_run(Site.objects.get(pk=sys.argv[1])).pk)
"""
_WORK = "from pipeline.tasks import crawl_site; import sys; crawl_site(int(sys.argv[1]))"
_SETUP = "import django, os; os.environ['DJANGO_SETTINGS_MODULE'] = 'webadmin.settings'; django.setup()\n"


def wait_until(is_so: Callable[[], object]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not is_so():
        assert time.monotonic() < deadline, "what was waited for did not happen"
        time.sleep(0.05)


@dataclass
class Machine:
    """One of those that share a Redis, a page store and an admin database."""

    environment: dict[str, str]
    database: Path

    def start(self, code: str, *arguments: object) -> "subprocess.Popen[str]":
        command = [sys.executable, "-c", _SETUP + code, *map(str, arguments)]
        log = Path(self.environment["ZHUIWEN_HOME"]) / "processes.log"
        with log.open("a") as errors:
            return subprocess.Popen(
                command, env=self.environment, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
            )

    def run(self, code: str, *arguments: object) -> str:
        out, _ = self.start(code, *arguments).communicate(timeout=DEADLINE_S)
        return out.strip().splitlines()[-1] if out.strip() else ""

    def log(self) -> str:
        return (Path(self.environment["ZHUIWEN_HOME"]) / "processes.log").read_text()

    def rows(self, question: str, *values: object) -> list[sqlite3.Row]:
        with sqlite3.connect(self.database, timeout=20) as database:
            database.row_factory = sqlite3.Row
            return database.execute(question, values).fetchall()

    def ask(self, site: int) -> int:
        return int(self.run(_ASK, site))

    def work(self, run: int) -> "subprocess.Popen[str]":
        return self.start(_WORK, run)

    def state(self, run: int) -> str:
        return str(self.outcome(run)["state"])

    def outcome(self, run: int) -> sqlite3.Row:
        return self.rows("SELECT * FROM webadmin_crawlrun WHERE id = ?", run)[0]


@dataclass
class Installation:
    """One machine, what it crawls, and where pages go."""

    machine: Machine
    server: WebServer
    mongo_url: str
    redis_url: str
    site: int = 0

    def pages(self) -> set[str]:
        """The paths of the site's stored pages."""
        pages = MongoPageStore(connect(self.mongo_url)).pages(None, 10_000)
        return {"/" + page.canonical_url.split("/", 3)[3] for page in pages if page.site_id == str(self.site)}

    def asked(self) -> Counter[str]:
        counted = Counter(self.server.requested)
        counted.pop("/robots.txt", None)
        return counted

    def children(self, kind: str) -> list[psutil.Process]:
        """The living processes of the runs: `primary` or `companion`."""
        found = []
        for each in psutil.process_iter(["cmdline", "environ"]):
            line, its = each.info["cmdline"] or [], each.info["environ"] or {}
            is_ours = "pipeline.crawl_process" in line and its.get("ZHUIWEN_DATABASE_URL") == self._database()
            if is_ours and ("--companion" in line) == (kind == "companion"):
                found.append(each)
        return found

    def _database(self) -> str:
        return self.machine.environment["ZHUIWEN_DATABASE_URL"]


def _site() -> Routes:
    """A start page, lists, and texts; every page has a validator that it honours."""
    routes: Routes = {"/": _tagged("目录", [f"/list/{n}" for n in range(LISTS)], "")}
    for number in range(LISTS):
        routes[f"/list/{number}"] = _tagged("目录", [f"/p/{n}" for n in range(number, PAGES, LISTS)], "")
    for number in range(PAGES):
        routes[f"/p/{number}"] = _tagged(f"第{number}章", ["/"], own_text(number))
    return routes


def _tagged(title: str, links: list[str], text: str) -> Answer:
    body = text + "<ul>" + "".join(f'<li><a href="{link}">{link}号链接</a></li>' for link in links) + "</ul>"
    plain = page(title, body)
    return Answer(plain.body, plain.content_type, headers={"ETag": f'"{hashlib.sha256(plain.body).hexdigest()[:12]}"'})


def _honouring(server: WebServer) -> None:
    """Answer 304 to whoever has the page."""
    for path, answer in list(server.routes.items()):
        assert isinstance(answer, Answer)

        def answered(path: str, whole: Answer = answer) -> Answer:
            has_it = server.headers[path].get("If-None-Match") == whole.headers["ETag"]
            return Answer(b"", "", 304, whole.headers) if has_it else whole

        server.routes[path] = answered


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An admin database with all its tables, made once."""
    return tmp_path_factory.mktemp("database") / "admin.sqlite3"


@pytest.fixture
def installation(tmp_path: Path, database: Path, mongo_url: str, redis_url: str) -> Iterator[Installation]:
    environment = {
        name: value for name, value in os.environ.items() if name[8:] not in FOREIGN or name[:8] != "ZHUIWEN_"
    }
    with WebServer(_site()) as server:
        environment |= {
            "ZHUIWEN_HOME": str(tmp_path / "home"),
            "ZHUIWEN_DATABASE_URL": f"sqlite:///{database}",
            "ZHUIWEN_MONGO_URL": mongo_url,
            "ZHUIWEN_REDIS_URL": redis_url,
            "ZHUIWEN_CRAWL_SHARED": "1",
            "ZHUIWEN_CRAWL_PROCESSES": "2",
            "ZHUIWEN_CRAWL_LEASE_S": str(LEASE_S),
            "ZHUIWEN_CRAWL_TIMEOUT_S": "30",
            "ZHUIWEN_ALLOW_PRIVATE_HOSTS": server.netloc,
            "ZHUIWEN_SECRET_KEY": "of-the-tests-alone-" + "x" * 40,
            "PYTHONPATH": os.pathsep.join([str(tmp_path), str(Path.cwd())]),
        }
        (tmp_path / "home").mkdir()
        made = Installation(Machine(environment, database), server, mongo_url, redis_url)
        if not database.exists():
            made.machine.run(_MAKE_TABLES)
        yield made
        for kind in ("primary", "companion"):
            for each in made.children(kind):
                each.kill()


def _asked(
    installation: Installation, name: str, rules: dict[str, object] | None = None, **values: object
) -> tuple[int, int]:
    """A site, and its first run."""
    given = {"name": name, "start_urls": installation.server.url(), "delay_s": 0.01, "concurrency": 8} | values
    site, run = installation.machine.run(_MAKE_SITE, json.dumps(given | {"rules": rules or {}})).split()
    installation.site = int(site)
    return int(site), int(run)


def test_a_site_is_crawled_and_visited_again_by_two_processes_and_counted_once(installation: Installation) -> None:
    machine, server = installation.machine, installation.server
    _honouring(server)
    site, first = _asked(installation, "visited")
    assert machine.work(first).wait(DEADLINE_S) == 0
    outcome, counts = machine.outcome(first), json.loads(machine.outcome(first)["counts"])
    assert (outcome["state"], outcome["finish_reason"]) == ("finished", "finished"), machine.log()
    assert installation.asked() == Counter(ALL)
    assert installation.pages() == TEXTS
    assert outcome["pages_fetched"] == len(ALL)
    assert counts["stored"] == outcome["pages_stored"] == outcome["new_versions"] == PAGES
    visits = machine.rows("SELECT * FROM webadmin_address WHERE site_id = ?", site)
    assert len(visits) == len(ALL)
    assert all(visit["seen_at"] for visit in visits)

    server.routes["/p/7"] = Answer(b"gone", status=404)
    server.routes["/p/8"] = Answer(b"broken", status=500)
    server.requested.clear()
    with sqlite3.connect(machine.database, timeout=20) as connection:
        connection.execute("UPDATE webadmin_address SET due_at = '2026-01-01 00:00:00' WHERE site_id = ?", (site,))
    second = machine.ask(site)
    assert machine.work(second).wait(DEADLINE_S) == 0
    outcome, counts = machine.outcome(second), json.loads(machine.outcome(second)["counts"])
    assert outcome["state"] == "finished", machine.log()
    probes = {path for path in installation.asked() if path not in ALL}
    assert len(probes) <= 3, "what is not there is asked for a few times"
    asked = {path: count for path, count in installation.asked().items() if path in ALL}
    assert asked.keys() == ALL
    assert {path for path, count in asked.items() if count > 1} == {"/p/8"}, "an error is tried again, nothing else is"
    assert counts["unchanged"] == len(ALL) - 2
    assert outcome["failed_requests"] == 2
    failing = machine.rows("SELECT url FROM webadmin_address WHERE site_id = ? AND failures > 0", site)
    assert [row["url"] for row in failing] == [server.url("/p/8")]
    absent = machine.rows("SELECT url FROM webadmin_address WHERE site_id = ? AND absent_since IS NOT NULL", site)
    assert [row["url"] for row in absent] == [server.url("/p/7")]
    assert len(machine.rows("SELECT id FROM webadmin_address WHERE site_id = ?", site)) == len(ALL)
    assert "scrapy" not in machine.log(), "pages and requests do not belong into the log"


def test_a_run_outlives_its_first_process_its_second_and_its_supervisor(installation: Installation) -> None:
    machine, server = installation.machine, installation.server
    _, run = _asked(installation, "killed", delay_s=0.15)
    supervisor = machine.work(run)
    for kind in ("companion", "primary"):
        so_far = len(server.requested)
        wait_until(lambda so_far=so_far, kind=kind: len(server.requested) > so_far + 5 and installation.children(kind))
        for each in installation.children(kind):
            each.kill()
    wait_until(lambda: installation.children("primary"))  # another one goes on
    supervisor.kill()
    supervisor.wait()
    wait_until(lambda: machine.state(run) == "finished")
    asked = {path: count for path, count in installation.asked().items() if path in ALL}  # the rest are probes
    pages = installation.pages()
    assert asked.keys() == ALL, "a page was lost"
    assert sum(asked.values()) <= len(ALL) + 2 * 2 * 8, "more was fetched again than the killed had in hand"
    assert pages == TEXTS
    assert machine.outcome(run)["pages_fetched"] >= len(ALL) - 2 * 2 * 8
    wait_until(lambda: not installation.children("companion"))


def test_a_run_that_is_stopped_goes_on_later_and_is_counted_as_one(installation: Installation) -> None:
    machine, server = installation.machine, installation.server
    _, run = _asked(installation, "stopped", delay_s=0.1)
    supervisor = machine.work(run)
    wait_until(lambda: len(server.requested) > 15 and installation.children("companion"))
    for each in installation.children("primary"):
        each.send_signal(signal.SIGTERM)
    assert supervisor.wait(DEADLINE_S) == 0
    assert machine.state(run) == "queued"
    assert not installation.children("companion"), "a further process outlived the run"
    assert machine.work(run).wait(DEADLINE_S) == 0
    assert machine.state(run) == "finished"
    asked = {path: count for path, count in installation.asked().items() if path in ALL}  # the rest are probes
    assert asked == Counter(ALL), "a page was lost, or fetched twice"
    assert machine.outcome(run)["pages_fetched"] == len(ALL)
    assert machine.outcome(run)["pages_stored"] == PAGES


def test_outside_its_hours_a_shared_run_waits_and_asks_for_nothing(installation: Installation) -> None:
    machine = installation.machine
    hour = (datetime.now(UTC).hour + 3) % 24
    _, run = _asked(installation, "hours", {"windows": f"{hour:02d}:00-{hour:02d}:30", "zone": "UTC"})
    assert machine.work(run).wait(DEADLINE_S) == 0
    outcome = machine.outcome(run)
    assert (outcome["state"], installation.asked()) == ("queued", Counter())
    assert outcome["resume_at"] is not None
    assert not installation.children("companion")


def test_another_machine_with_a_home_and_a_name_of_its_own_helps_with_a_run(
    installation: Installation, tmp_path: Path
) -> None:
    machine = installation.machine
    machine.environment |= {"ZHUIWEN_CRAWL_PROCESSES": "1", "ZHUIWEN_CRAWL_LEASE_S": "300"}
    (tmp_path / "other" / "names").mkdir(parents=True)
    renamed = "import socket\nsocket.gethostname = lambda: 'machine-b'\n"
    (tmp_path / "other" / "names" / "sitecustomize.py").write_text(renamed)
    path = os.pathsep.join([str(tmp_path / "other" / "names"), machine.environment["PYTHONPATH"]])
    other = Machine(
        machine.environment | {"ZHUIWEN_HOME": str(tmp_path / "other"), "PYTHONPATH": path}, machine.database
    )
    site, run = _asked(installation, "two machines", delay_s=0.1)
    first = machine.work(run)
    wait_until(lambda: machine.state(run) == "running" and installation.children("primary"))
    primary = installation.children("primary")[0]
    primary.suspend()  # or all would be done before the other has started
    second = other.start(
        f"import sys; sys.argv = ['zhuiwen', 'crawl', '{site}', '--join']\nfrom deploy.cli import main; main()"
    )
    client = redis.Redis.from_url(installation.redis_url, decode_responses=True)
    workers = f"zw:crawl:{{{hashlib.sha256(str(site).encode()).hexdigest()[:24]}}}:workers"
    wait_until(lambda: any("machine-b" in worker for worker in client.zrange(workers, 0, -1)))
    primary.resume()
    assert first.wait(DEADLINE_S) == 0
    assert second.wait(DEADLINE_S) == 0, other.log()
    assert installation.asked() == Counter(ALL)
    assert machine.outcome(run)["pages_fetched"] == len(ALL)
    counted = {
        name.partition(":")[0]: json.loads(raw) for name, raw in client.hgetall(f"zw:counts:{{{run}}}:counts").items()
    }
    assert counted["machine-b"]["stored"] > 0, "the other machine did nothing"
    assert sum(each["stored"] for each in counted.values()) == PAGES
    assert not list((tmp_path / "other").rglob("frontier.jsonl"))


def test_what_redis_lost_in_mid_crawl_is_said_and_fetched_by_the_next_run(installation: Installation) -> None:
    machine, server = installation.machine, installation.server
    _honouring(server)  # lists that have not changed name their pages no more
    site, run = _asked(installation, "flushed", delay_s=0.1)
    supervisor = machine.work(run)
    wait_until(lambda: len(server.requested) > 20 and installation.children("companion"))
    redis.Redis.from_url(installation.redis_url).flushall()
    assert supervisor.wait(DEADLINE_S) == 0
    assert machine.state(run) == "failed"
    assert "Redis lost what was left of the crawl" in machine.outcome(run)["finish_reason"]
    assert set(installation.asked()) < ALL
    again = machine.ask(site)
    assert machine.work(again).wait(DEADLINE_S) == 0
    assert machine.state(again) == "finished", machine.log()
    assert installation.pages() == TEXTS
