"""The demo as a user of the wheel runs it: cut off by a power loss, run to its end, run once more, used, and ended.

The wheel is built of this tree and installed without its dependencies into an empty environment, which finds them by a
`.pth` file where the tests have them: no test needs a network. One installation on free ports serves all tests of this
file, in order.
"""

import http.cookiejar
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.parse
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from sysconfig import get_path
from typing import Any

import psutil
import pytest
import redis

from analytics.formats import FORMATS
from core import sockets
from laboratory.ports import free_port
from tests.support.embedded import free_row, wait_until

pytestmark = pytest.mark.end_to_end
DEMO_DEADLINE_S = 600
SITES = 7
ROOT = Path(__file__).parents[2]


class Installation:
    """A home folder of its own, and the command line of an environment in it."""

    def __init__(self, home: Path, environment: Path) -> None:
        self.home = home
        self.program = environment / "bin" / "zhuiwen"
        ports = {"WEB_PORT": str(free_port()), "DEMO_PORT": str(free_row(SITES))}
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("ZHUIWEN_", "DJANGO_"))}
        self.web_port = ports["WEB_PORT"]
        self.environ = (
            inherited
            | {"ZHUIWEN_HOME": str(home), "ZHUIWEN_SCREENSHOTS": "off"}
            | {f"ZHUIWEN_{name}": port for name, port in ports.items()}
        )

    def redis_url(self) -> str:
        return sockets.redis_url(self.home)

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [self.program, *arguments],
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        process = self.start(*arguments)
        try:
            output, _ = process.communicate(timeout=DEMO_DEADLINE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            output, _ = process.communicate()
            pytest.fail(f"{arguments} took more than {DEMO_DEADLINE_S} s: {output}\n{self.last_words()}")
        return subprocess.CompletedProcess(arguments, process.returncode, output)

    def last_words(self) -> str:
        """The end of each log, for whoever reads why a command did not end."""
        logs = sorted((self.home / "logs").glob("*.log"))
        return "\n".join(f"{log.name}: {log.read_text('utf-8', 'replace')[-1500:]}" for log in logs)

    def for_programs(self, verb: str) -> Any:
        """Return what a verb gives a program, which reads standard output alone."""
        process = subprocess.run(
            [self.program, verb, "--json"],
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=DEMO_DEADLINE_S,
            check=False,
        )
        assert process.returncode == 0, process.stderr
        assert "already running" in process.stderr
        return json.loads(process.stdout)

    def processes(self) -> list[psutil.Process]:
        """Whatever lives with this home folder in its environment."""
        found = []
        for process in psutil.process_iter():
            try:
                if process.pid != os.getpid() and process.environ().get("ZHUIWEN_HOME") == str(self.home):
                    found.append(process)
            except psutil.Error:
                continue
        return [process for process in found if process.status() != psutil.STATUS_ZOMBIE]

    def lose_power(self) -> None:
        """Kill everything at once, again until nothing is left."""
        while alive := self.processes():
            for process in alive:
                try:
                    process.send_signal(signal.SIGKILL)
                except psutil.NoSuchProcess:
                    continue
            psutil.wait_procs(alive, timeout=10)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory, processes: None) -> Path:
    """An environment in which the wheel is installed, with the machine code that this tree has of its loops."""
    folder = tmp_path_factory.mktemp("wheel")
    source, made = folder / "source", folder / "environment"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".*", "__pycache__", "build", "docs", "tests", "var"))
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", "--no-index", "--no-deps", "--no-build-isolation", "-w", folder, source], check=True)
    venv.create(made, symlinks=True)
    python = made / "bin" / "python"
    [wheel] = folder.glob("zhuiwen-*.whl")
    subprocess.run([*pip, "--python", python, "install", "--no-index", "--no-deps", wheel], check=True)
    [packages] = made.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(f"{get_path('purelib')}\n{get_path('platlib')}\n", "utf-8")
    for compiled in (each for package in ("fingerprint", "matcher") for each in ROOT.glob(f"{package}/**/*.nb?")):
        target = packages / compiled.relative_to(ROOT)
        target.parent.mkdir(exist_ok=True)
        shutil.copy2(compiled, target)
    for module in (each for package in ("fingerprint", "matcher") for each in packages.glob(f"{package}/**/*.py")):
        shutil.copystat(ROOT / module.relative_to(packages), module)  # numba asks for the time of the source
    subprocess.run([python, "-m", "matcher.warm_up"], cwd=folder, check=True)  # compiles what is still missing
    return made


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory, environment: Path) -> Iterator[Installation]:
    made = Installation(tmp_path_factory.mktemp("demo") / "home", environment)
    yield made
    made.run("down")
    made.lose_power()


@pytest.fixture(scope="module")
def finished(installation: Installation) -> str:
    """Return what the demo printed that ran to its end after an earlier one was cut off amid its crawls."""
    cut_off = installation.start("demo")
    assert cut_off.stdout is not None
    for line in cut_off.stdout:
        if re.search(r"waiting: .* running, pages: [1-9]", line):
            break
    else:
        pytest.fail("the demo never came to its crawls")
    installation.lose_power()
    cut_off.wait()
    done = installation.run("demo")
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_wheel_runs_from_its_own_environment_and_has_no_laboratory(installation: Installation) -> None:
    python = installation.program.with_name("python")
    asked = "import importlib.util, core; print(core.__file__, importlib.util.find_spec('laboratory'))"
    found = subprocess.run(
        [python, "-c", asked], cwd=installation.home.parent, capture_output=True, text=True, check=True
    )
    where, laboratory = found.stdout.split()
    assert Path(where).is_relative_to(python.parents[1])
    assert laboratory == "None"
    refused = installation.run("bench", "speed")
    assert refused.returncode == 2
    assert "bench requires a source checkout" in refused.stdout


def test_every_copy_is_found_and_nobody_innocent_accused_even_after_a_power_loss(finished: str) -> None:
    found = re.search(r"As expected: (\d+) of (\d+) copies found, (\d+) of (\d+) unrelated pages flagged", finished)
    assert found is not None, finished
    copies_found, copies, accused, innocent = map(int, found.groups())
    assert copies_found == copies >= 40
    assert accused == 0
    assert innocent >= 40
    sentence = f"{copies + innocent} pages planned: {copies} copies, {copies} found; {innocent} unrelated, 0 flagged."
    assert sentence in finished
    assert "not as expected" not in finished


def test_the_summary_names_reports_that_exist(finished: str) -> None:
    paths = [Path(line.strip()) for line in finished.splitlines() if "/reports/" in line]
    assert {path.suffix[1:] for path in paths} == set(FORMATS)
    assert all(path.stat().st_size > 500 for path in paths)


def test_every_service_is_shown_running(installation: Installation, finished: str) -> None:
    shown = installation.run("status", "--json")
    assert shown.returncode == 0, shown.stdout
    states = {row["name"]: row["state"] for row in json.loads(shown.stdout)["services"]}
    assert set(states) == {"mongo", "redis", "worker", "web", "watch", "demo-sites"}
    assert set(states.values()) == {"running"}


def test_the_printed_password_opens_the_desk_and_each_sees_their_own_cases(
    installation: Installation, finished: str
) -> None:
    for user, own, foreign in (("qingwu", "渡口无灯", "换绳人"), ("chengjiang", "换绳人", "渡口无灯")):
        password = re.search(rf"user {user}, password (\S+)", finished)
        listed = _cases_page(installation, user, password.group(1))
        assert own in listed
        assert foreign not in listed


def test_a_notice_is_drafted_and_nothing_of_it_confirmed_or_sent(installation: Installation, finished: str) -> None:
    named = re.search(r"Notice drafted, not confirmed or sent: .* #(\d+), .* (\d+) pages; (http\S+)", finished)
    assert named is not None, finished
    [notice] = json.loads(installation.run("notice", "list", "--json").stdout)
    assert (str(notice["id"]), str(len(notice["pages"]))) == named.groups()[:2]
    assert (notice["state"], notice["files"]) == ("drafted", {})
    assert named.group(3).endswith(f"/admin/notices/notice/{notice['id']}/change/")


def test_a_suspect_file_is_checked_without_being_stored(
    installation: Installation, finished: str, tmp_path: Path
) -> None:
    suspect = tmp_path / "suspect.txt"
    suspect.write_bytes(Path("deploy/demo/works/一杆秤.txt").read_text("utf-8").encode("gb18030"))
    checked = installation.run("check", str(suspect), "--json")
    assert checked.returncode == 0, checked.stdout
    assert "一杆秤" in checked.stdout
    assert len(json.loads(installation.run("cases", "--json", "--limit", "500").stdout)) > 40


def test_a_killed_worker_is_replaced_and_the_index_survives_losing_redis(
    installation: Installation, finished: str
) -> None:
    rows = _services(installation)
    for name in ("worker", "redis"):
        psutil.Process(rows[name]["pid"]).kill()
    wait_until(lambda: _all_running_but(installation, rows), "worker and redis run again", 90)
    with _held(_services(installation), "worker"):  # or the sweeper mends the index before it is looked at
        with redis.Redis.from_url(installation.redis_url()) as client:
            client.flushall()
        lost = installation.run("index", "stats")
        assert lost.returncode == 1, lost.stdout
        assert "zhuiwen index rebuild" in lost.stdout
        rebuilt = installation.run("index", "rebuild")
        assert rebuilt.returncode == 0, rebuilt.stdout
    again = installation.run("index", "stats")
    assert again.returncode == 0, again.stdout


def test_a_second_demo_finds_the_same_after_all_that_and_opens_nothing_twice(
    installation: Installation, finished: str
) -> None:
    before = _cases(installation)
    record = installation.for_programs("demo")
    assert _changes(before, _cases(installation)) == []
    assert record["cases"] == sum(case["state"] in ("open", "confirmed") for case in before) > 40
    assert record["copies"]["found"] == record["copies"]["planned"] >= 40
    assert record["innocent"]["accused"] == 0
    assert record["pages"]["planned"] == record["copies"]["planned"] + record["innocent"]["planned"]
    assert record["faults"] == []
    assert len(json.loads(installation.run("notice", "list", "--json").stdout)) == 1
    assert f":{installation.web_port}/admin/" in record["address"]
    passwords = {user["name"]: user["password"] for user in record["users"]}
    assert set(passwords) == {"admin", "qingwu", "chengjiang"}
    assert f"user qingwu, password {passwords['qingwu']}" in finished


def test_down_ends_everything_and_is_no_fault_twice(installation: Installation, finished: str) -> None:
    assert installation.run("down").returncode == 0
    assert installation.processes() == []
    second = installation.run("down")
    assert second.returncode == 0
    assert "no service is running" in second.stdout


def _services(installation: Installation) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in json.loads(installation.run("status", "--json").stdout)["services"]}


@contextmanager
def _held(services: dict[str, dict[str, Any]], *names: str) -> Iterator[None]:
    """Stop services and their children where they stand."""
    held: list[psutil.Process] = []
    for name in names:
        parent = psutil.Process(services[name]["pid"])
        parent.suspend()  # first, so that it starts no further child
        held += [parent, *parent.children(recursive=True)]
    try:
        for process in held:
            process.suspend()
        yield
    finally:
        for process in held:
            process.resume()


def _all_running_but(installation: Installation, before: dict[str, dict[str, Any]]) -> bool:
    rows = _services(installation)
    is_new = all(rows[name]["pid"] not in (None, before[name]["pid"]) for name in ("worker", "redis"))
    return is_new and all(row["state"] == "running" for row in rows.values())


def _cases(installation: Installation) -> list[dict[str, Any]]:
    """As they are listed, but for when each was last seen: where other tests come in between, some are due again."""
    listed: list[dict[str, Any]] = json.loads(installation.run("cases", "--json", "--limit", "500").stdout)
    for each in (*listed, *(address for case in listed for address in case["addresses"])):
        del each["last_seen"]
    return listed


def _changes(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Yield what is not as it was: of which case, which field, and both values."""
    known = {case["id"]: case for case in before}
    new = [(case["id"], "new") for case in after if case["id"] not in known]
    gone = [(key, "gone") for key in known.keys() - {case["id"] for case in after}]
    return [*new, *gone] + [
        (case["id"], name, known[case["id"]].get(name), value)
        for case in after
        if case["id"] in known
        for name, value in case.items()
        if known[case["id"]].get(name) != value
    ]


def _cases_page(installation: Installation, user: str, password: str) -> str:
    base = f"http://127.0.0.1:{installation.web_port}/admin"
    jar = http.cookiejar.CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    opener.open(f"{base}/login/", timeout=30).read()
    token = next(cookie.value for cookie in jar if "csrf" in cookie.name)
    form = {"username": user, "password": password, "csrfmiddlewaretoken": token or "", "next": "/admin/cases/case/"}
    with opener.open(f"{base}/login/", urllib.parse.urlencode(form).encode(), timeout=30) as response:
        return str(response.read().decode("utf-8"))
