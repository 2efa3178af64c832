"""Machines that crawl as the product does: one admin database, page store and broker, and a home folder for each.

Every request says in its user agent which run of which process of which machine made it.
"""

import json
import os
import signal
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import psutil
import redis

from core.pages import Page
from pagestore.mongo import MongoPageStore, connect
from tests.support import embedded
from tests.support.environment import FOREIGN
from tests.support.made_tables import put_tables
from tests.support.ready_process import run_command, run_script
from tests.support.ready_reader import readers_here
from tests.support.web_server import Asked, WebServer

DEADLINE_S = 240.0  # of a process, on a machine that is busy with others
CRAWLER, REWORDED = "webadmin.sites.services.crawler", "webadmin.rewrites.services.search_process"
CRAWL = "crawl "  # what a process that a crawler forks begins its name with
# Read by each interpreter at its start: what each crawl that it forks is known by at the site, and where readers are.
_NAMED = f"""
import os, sys
def name_crawl():
    process = sys.modules["webadmin.sites.services.crawl_process"]
    def crawl(number, crawl=process.crawl):
        agent = f"{{os.path.basename(os.environ['ZHUIWEN_HOME'])}} run {{number}} process {{os.getpid()}}"
        from dataclasses import replace
        process.SETTINGS = replace(process.SETTINGS, crawl=replace(process.SETTINGS.crawl, user_agent=agent))
        return crawl(number)
    process.crawl = crawl
if "{CRAWLER}" in sys.orig_argv:
    os.register_at_fork(after_in_child=name_crawl)
    from tests.support.reader_client import use_readers_of
    use_readers_of(os.environ["READERS"])
"""
_SETUP = "import django, os, sys; os.setsid(); django.setup()\n"
_MIGRATE = """
from django.core.management import call_command
call_command("migrate", verbosity=0, skip_checks=True)
"""
_MAKE_SITES = """
import json
from webadmin.sites.services import runs as crawls
from webadmin.accounts.models import RightsHolder
from webadmin.sites.models import Site, SiteRules
holder, _ = RightsHolder.objects.get_or_create(name="甲")
for given in json.loads(sys.argv[1]):
    rules = given.pop("rules", {})
    site = Site.objects.create(rights_holder=holder, use_sitemap=False, **given)
    SiteRules.objects.create(site=site, **rules)
    print(site.pk, crawls.request_run(site).pk)
"""
_ASK = """
from webadmin.sites.services import runs as crawls
from webadmin.sites.models import Site
print(crawls.request_run(Site.objects.get(pk=sys.argv[1])).pk)
"""
# What the task `crawl_site` does; to load all tasks would take longer than the crawl.
_WAKE = """
from core.clock import SystemClock
from webadmin.sites.services import crawlers
from pipeline.app import SETTINGS
from webadmin.sites.services import runs as crawls
for run in sys.argv[1:]:
    if crawls.has_waiting(SystemClock().now(), int(run)):
        crawlers.start_crawler(SETTINGS)
"""
# Compares all that is stored, as the steps do, with a corpus of no texts.
_COMPARE = """
from dataclasses import replace
from pipeline import steps
from pipeline.app import SETTINGS
from tests.support.memory_cases import MemoryOutbox
from pipeline.rebuild import rebuild_index
from webadmin.wiring import live_ports
ports = replace(live_ports(SETTINGS), outbox=MemoryOutbox())
rebuild_index(ports, frozenset())
for page in ports.pages.pages(None, 10_000):
    steps.compare_pages([page.current_version], ports)
"""
_TAKE_UP = """
from django.utils import timezone
from webadmin.sites.services.interruptions import requeue_silent_runs
from tests.support.memory_cases import MemoryOutbox
print(requeue_silent_runs(timezone.now(), MemoryOutbox()))
"""


def wait_until(is_so: Callable[[], object], what: str) -> None:
    embedded.wait_until(is_so, what, DEADLINE_S)


@dataclass(frozen=True)
class Crawl:
    """One run in one process, as the site sees it."""

    machine: str
    run: int
    pid: int

    @classmethod
    def of(cls, asked: Asked) -> "Crawl":
        machine, _, run, _, pid = asked.user_agent.split()
        return cls(machine, int(run), int(pid))


@dataclass
class Machine:
    """One home folder; it may be on the machine of another."""

    environment: dict[str, str]

    @property
    def home(self) -> Path:
        return Path(self.environment["ZHUIWEN_HOME"])

    def run(self, code: str, *arguments: object) -> list[str]:
        """The lines that it prints. It is waited for, and nothing that it has started."""
        said = self.home / "said"
        said.write_bytes(b"")
        (self.home / "log").touch()
        files = [Path(os.devnull), said, self.home / "log"]
        exit_code = run_command(run_script, [_SETUP + code, *arguments], files, self.environment, DEADLINE_S)
        assert exit_code == 0, self.log()
        return said.read_text().splitlines()

    def wake(self, *runs: int) -> None:
        """The messages of these runs arrive here."""
        self.run(_WAKE, *runs)

    @contextmanager
    def worker(self, command: Sequence[str]) -> "Iterator[subprocess.Popen[bytes]]":
        """A worker of this machine, which is killed at the end where it still runs."""
        with (self.home / "worker.log").open("ab") as log:
            process = subprocess.Popen(
                command,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def processes(self, kind: str) -> list[psutil.Process]:
        """Those of this home folder that run a module, or are crawls; zombies left out."""
        found = []
        for each in psutil.process_iter(["cmdline", "name"]):
            is_crawl = str(each.info["name"]).startswith(CRAWL)
            if is_crawl if kind == CRAWL else kind in (each.info["cmdline"] or []) and not is_crawl:
                with suppress(psutil.Error):
                    if each.environ().get("ZHUIWEN_HOME") == str(self.home):
                        found.append(each)
        return found

    def log(self) -> str:
        return (self.home / "log").read_text()


@dataclass
class Installation:
    """State that machines share."""

    folder: Path
    database: Path
    mongo_url: str
    redis_url: str
    server: WebServer
    machines: list[Machine] = field(default_factory=list)

    def machine(self, name: str = "a", **settings: object) -> Machine:
        """A machine with a home folder of this name."""
        (self.folder / name / "run").mkdir(parents=True)
        (self.folder / "named").mkdir(exist_ok=True)
        (self.folder / "named" / "sitecustomize.py").write_text(_NAMED)
        kept = {name: value for name, value in os.environ.items() if name[8:] not in FOREIGN or name[:8] != "ZHUIWEN_"}
        made = Machine(
            kept
            | {
                "DJANGO_SETTINGS_MODULE": "webadmin.settings",  # not the tests' own
                "READERS": readers_here(),
                "ZHUIWEN_HOME": str(self.folder / name),
                "ZHUIWEN_DATABASE_URL": f"sqlite:///{self.database}",
                "ZHUIWEN_MONGO_URL": self.mongo_url,
                "ZHUIWEN_REDIS_URL": self.redis_url,
                "ZHUIWEN_ALLOW_PRIVATE_HOSTS": self.server.netloc,
                "ZHUIWEN_SECRET_KEY": "of-the-tests-alone-" + "x" * 40,
                "PYTHONPATH": os.pathsep.join([str(self.folder / "named"), str(Path.cwd())]),
            }
            | {f"ZHUIWEN_{key}": str(value) for key, value in settings.items()}
        )
        self.machines.append(made)
        if not made.environment["ZHUIWEN_DATABASE_URL"].startswith("sqlite:"):
            made.run(_MIGRATE)
        elif not self.database.exists():
            put_tables(self.database)
        return made

    def sites(self, *given: dict[str, object]) -> list[tuple[int, int]]:
        """Sites that are made, each with its first run, queued and waiting for a crawler."""
        usual: dict[str, object] = {"start_urls": self.server.url(), "delay_s": 0.01, "concurrency": 2}
        lines = self.machines[0].run(_MAKE_SITES, json.dumps([usual | each for each in given]))
        return [(int(site), int(run)) for site, run in map(str.split, lines)]

    def ask(self, site: int) -> int:
        """One more run of a site."""
        return int(self.machines[0].run(_ASK, site)[0])

    def take_up_silent(self, run: int) -> int:
        """Let a run have been silent for too long, and take up those that are; how many."""
        self.change(
            "UPDATE watched_sites_crawlrun SET heartbeat_at = datetime(heartbeat_at, '-20 minutes') WHERE id = ?", run
        )
        return int(self.machines[0].run(_TAKE_UP)[0])

    def compare_all(self) -> None:
        """Let the stored pages be compared, and all messages of pages so far be done."""
        self.machines[0].run(_COMPARE)
        with redis.Redis.from_url(self.redis_url) as broker:
            broker.delete("pages")

    def rows(self, question: str, *values: object) -> list[sqlite3.Row]:
        with closing(sqlite3.connect(self.database, timeout=20)) as database:
            database.row_factory = sqlite3.Row
            return database.execute(question, values).fetchall()

    def change(self, statement: str, *values: object) -> None:
        with closing(sqlite3.connect(self.database, timeout=20)) as database, database:
            database.execute(statement, values)

    def outcome(self, run: int) -> sqlite3.Row:
        return self.rows("SELECT * FROM watched_sites_crawlrun WHERE id = ?", run)[0]

    def state(self, run: int) -> str:
        return str(self.outcome(run)["state"])

    def runs(self, site: int) -> list[sqlite3.Row]:
        return self.rows("SELECT * FROM watched_sites_crawlrun WHERE site_id = ? ORDER BY id", site)

    def ended(self, sites: Sequence[int]) -> bool:
        """Whether no run of these sites is queued or running."""
        return not any(row["state"] in ("queued", "running") for site in sites for row in self.runs(site))

    def pages(self, site: int) -> set[str]:
        """The paths of the site's stored pages."""
        return {"/" + page.canonical_url.split("/", 3)[3] for page in self.stored(site)}

    def stored(self, site: int) -> list[Page]:
        return [page for page in self._store.pages(None, 10_000) if page.site_id == str(site)]

    @cached_property
    def _store(self) -> MongoPageStore:
        return MongoPageStore(connect(self.mongo_url))

    def asked(self, prefix: str = "/") -> Counter[str]:
        """How often each path was asked for."""
        return Counter(each.path for each in list(self.server.log) if each.path.startswith(prefix) and _is_page(each))

    def crawls(self, prefix: str = "/") -> dict[Crawl, list[float]]:
        """The moments at which each crawl asked for paths that begin so, in order."""
        found: dict[Crawl, list[float]] = {}
        for asked in list(self.server.log):
            if asked.path.startswith(prefix) and _is_page(asked):
                found.setdefault(Crawl.of(asked), []).append(asked.at_s)
        return found

    def end(self) -> None:
        """Kill what a test left behind."""
        for machine in self.machines:
            for module in (CRAWLER, CRAWL, REWORDED):
                for each in machine.processes(module):
                    each.kill()


def _is_page(asked: Asked) -> bool:
    return asked.path != "/robots.txt"


@contextmanager
def installed(
    folder: Path, database: Path, mongo_url: str, redis_url: str, server: WebServer
) -> Iterator[Installation]:
    """An installation whose processes have ended at the end. database: made where it is missing."""
    made = Installation(folder, database, mongo_url, redis_url, server)
    try:
        yield made
    finally:
        made.end()
