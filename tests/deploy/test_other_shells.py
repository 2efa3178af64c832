"""Test what a shell sees of an installation that another shell, with variables of its own, has started."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.errors import BadConfiguration
from core.settings_layers import planned_layers
from deploy import home_checks, started
from deploy.cli.before_up import require_the_only_one, warnings_of_environments
from deploy.cli.status import installation_status
from deploy.findings import Context
from deploy.home import Home, prepare
from deploy.services import InstallationState, down, processes, up
from deploy.services.installed import end, orphans
from deploy.services.supervision import Supervisor
from laboratory.ports import free_port
from tests.support.command_line import CommandLine
from tests.support.embedded import EmbeddedMongo


class Installation:
    """One whose page store is a service of its own, named by the environment of the shell that started it."""

    def __init__(self, folder: Path, mongo_url: str) -> None:
        self.bare = {"ZHUIWEN_HOME": str(folder)}
        self.given = {**self.bare, "ZHUIWEN_MONGO_URL": mongo_url, "ZHUIWEN_WEB_PORT": str(free_port())}
        self.home = self.start(self.given)

    def start(self, environ: dict[str, str]) -> Home:
        self.home = prepare(environ, planned_layers)
        up(self.home, str, ["mongo", "redis"])
        return self.home

    def shell(self, **variables: str) -> CommandLine:
        return CommandLine(self.home.path, variables)

    def rows(self, environ: dict[str, str]) -> dict[str, InstallationState]:
        return {row.name: row.state for row in installation_status(environ).services}


@contextmanager
def installation(folder: Path, mongo: EmbeddedMongo) -> Iterator[Installation]:
    made = Installation(folder / "home", mongo.url("other_shells").replace("mongodb://", "mongodb://zw:hush@"))
    yield made
    down(made.home, str)
    end(orphans(made.home))


@pytest.fixture
def installed(tmp_path: Path, mongo_server: EmbeddedMongo) -> Iterator[Installation]:
    with installation(tmp_path, mongo_server) as made:
        yield made


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory, mongo_server: EmbeddedMongo) -> Iterator[Installation]:
    """For tests that leave it as it is."""
    with installation(tmp_path_factory.mktemp("seen"), mongo_server) as made:
        yield made


def test_a_shell_without_the_variables_sees_what_runs_as_it_is(seen: Installation) -> None:
    rows = seen.rows(seen.bare)
    assert rows == seen.rows(seen.given)
    assert (rows["redis"], "mongo" in rows) == (InstallationState.RUNNING, True)
    assert prepare(seen.bare).settings == seen.home.settings
    assert seen.shell()("config", "get", "mongo_url").out.startswith("mongodb://***@")


def test_a_shell_with_other_variables_does_not_call_what_runs_dead(seen: Installation) -> None:
    other = {
        **seen.bare,
        "ZHUIWEN_REDIS_URL": "redis://127.0.0.1:1/0",
        "ZHUIWEN_MONGO_URL": "mongodb://127.0.0.1:1/x",
    }
    assert seen.rows(other) == seen.rows(seen.given)
    (note,) = installation_status(other).notes
    assert (
        str(note) == "changed since the services were started, effective with the next zhuiwen up: "
        "ZHUIWEN_MONGO_URL, ZHUIWEN_REDIS_URL"
    )


def test_a_command_that_goes_to_another_store_than_the_services_says_so(seen: Installation) -> None:
    database = f"sqlite:///{seen.home.path / 'other.sqlite3'}"
    done = seen.shell(ZHUIWEN_DATABASE_URL=database)("cases")
    assert done.complaints[0] == (
        "zhuiwen: ZHUIWEN_DATABASE_URL in this shell differs from the value that the running services use; "
        "this command uses the shell's value"
    )
    assert seen.shell()("cases").complaints[0].startswith("zhuiwen: the admin database is not responding")


def test_a_changed_file_is_named_and_taken_over_by_the_next_up_if_it_can_be(installed: Installation) -> None:
    assert installation_status(installed.bare).notes == []
    installed.shell()("config", "set", "workers", "3")
    (note,) = installation_status(installed.bare).notes
    assert str(note).endswith("with the next zhuiwen up: workers")
    assert prepare(installed.bare).settings.pipeline.workers == 2
    installed.start(installed.bare)
    assert installation_status(installed.bare).notes == []
    assert prepare(installed.bare).settings.pipeline.workers == 3
    (installed.home.path / "settings.toml").write_text("web_port 9000\n")
    assert installed.rows(installed.bare) == installed.rows(installed.given), "what runs is not hidden by it"
    (note,) = installation_status(installed.bare).notes
    assert str(note).startswith("zhuiwen up would not apply these settings: ")
    assert "settings.toml cannot be read" in str(note)


def test_up_in_another_shell_starts_no_second_store(seen: Installation) -> None:
    supervisor = Supervisor(seen.home).pid()
    again = prepare(seen.bare, planned_layers)
    assert again.settings == seen.home.settings
    assert "mongo" not in {process.name for process in processes.processes(again)}
    assert [*map(str, warnings_of_environments(again, seen.bare))] == [
        "taken from the environment of the last zhuiwen up, until zhuiwen down: ZHUIWEN_MONGO_URL, ZHUIWEN_WEB_PORT"
    ]
    seen.start(seen.bare)
    assert Supervisor(seen.home).pid() == supervisor
    assert seen.rows(seen.bare) == seen.rows(seen.given)


def test_what_was_given_outlives_a_power_loss_and_is_forgotten_with_down(installed: Installation) -> None:
    assert started.missing(installed.home) == []
    victims = orphans(installed.home)
    os.kill(Supervisor(installed.home).pid() or 0, 9)
    end(victims)
    assert prepare(installed.bare, planned_layers).settings == installed.home.settings
    installed.start(installed.given)
    down(installed.home, str)
    bare = prepare(installed.bare, planned_layers)
    assert bare.embeds_mongo
    assert [*map(str, warnings_of_environments(bare, installed.bare))] == [
        "set at the last start, but no longer: ZHUIWEN_MONGO_URL, ZHUIWEN_WEB_PORT; keep one with zhuiwen config set"
    ]
    assert warnings_of_environments(prepare(installed.given, planned_layers), installed.given) == []
    assert not (installed.home.run / "started-secrets.toml").exists()


def test_a_setting_that_is_written_down_is_no_longer_the_environments(installed: Installation) -> None:
    url = installed.given["ZHUIWEN_MONGO_URL"]
    assert installed.shell()("config", "set", "mongo_url", stdin=url.encode()).out.splitlines()[1:] == [
        "the running services already use it"
    ]
    installed.start(installed.bare)
    down(installed.home, str)
    assert prepare(installed.bare, planned_layers).settings.mongo_url == url


def test_nobody_begins_a_second_installation_in_the_usual_place_by_mistake(
    installed: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.settings_layers.default_home", lambda: tmp_path / "usual")
    usual = prepare({}, planned_layers)
    # It names one of those that run: tests beside this one may have theirs. The status below names all.
    with pytest.raises(BadConfiguration, match="; set ZHUIWEN_HOME to it"):
        require_the_only_one(usual, {})
    stands = installation_status({})
    assert any(str(installed.home.path) in str(problem) for problem in stands.problems)
    assert stands.remedies == []  # no word of `zhuiwen up`, which would begin a second one
    require_the_only_one(usual, {"ZHUIWEN_HOME": str(usual.path)})  # who says where means it
    (usual.path / "admin.sqlite3").write_bytes(b"SQLite")
    require_the_only_one(usual, {})  # and who has one there already goes on with it
    assert any(str(installed.home.path) in str(note) for note in installation_status({}).notes)
    assert installation_status({"ZHUIWEN_HOME": str(usual.path)}).notes == []


def test_the_doctor_names_unknown_names_and_secrets_in_the_open_file(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text(
        'web_prot = 1\nredis_url = "redis://:hush@r/0"\nmongo_url = "mongodb://h/x"\n'
    )
    context = Context(prepare({"ZHUIWEN_HOME": str(tmp_path)}), {})
    (unknown,) = home_checks.check_setting_names(context)
    assert (unknown.id, str(unknown.remedy)) == ("settings.unknown.web_prot", "write web_port, or remove it")
    (secret,) = home_checks.check_secret_places(context)
    assert (secret.id, str(secret.remedy)) == ("settings.secret.redis_url", "zhuiwen config set redis_url")
    (tmp_path / "settings.toml").write_text("workers = 0\n")
    (found,) = home_checks.check_planned_settings(Context(context.home, {"ZHUIWEN_HOME": str(tmp_path)}))
    assert str(found.problem).startswith(f"workers is '0' in {tmp_path}/settings.toml; it must be ")


@pytest.mark.usefixtures("processes")
def test_the_doctor_names_files_that_others_could_read(tmp_path: Path) -> None:
    context = Context(prepare({"ZHUIWEN_HOME": str(tmp_path / "home")}), {})
    assert home_checks.check_home_permissions(context) == []
    (context.home.logs / "web.log").touch(mode=0o644)
    (found,) = home_checks.check_home_permissions(context)
    assert (found.id, str(found.remedy)) == ("home.files", f"chmod -R go= {tmp_path / 'home'}")
    subprocess.run([*str(found.remedy).split()], check=True)
    assert home_checks.check_home_permissions(context) == []


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("arguments", [["up"], ["cases"], ["config", "set", "workers", "3"], ["doctor"]])
def test_whatever_a_command_leaves_in_the_home_folder_is_for_its_owner_alone(
    tmp_path: Path, arguments: list[str]
) -> None:
    command = CommandLine(tmp_path / "home", {"ZHUIWEN_WEB_HOST": "192.0.2.1"})  # so that nothing starts
    subprocess.run(
        [sys.executable, "-c", "from deploy.cli import main; main()", *arguments],
        env=command.environ(), capture_output=True, umask=0o022, check=False,
    )  # fmt: skip
    left = [path for path in (tmp_path / "home").rglob("*") if path.lstat().st_mode & 0o077]
    assert left == []
