"""The table of processes, the compose file beside it, and the probes."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import redis
import yaml
from redis.cluster import RedisCluster

from core.errors import BadConfiguration
from core.heartbeat import PROCESS
from core.known_settings import known_settings
from core.wording import Message
from deploy import doctor, home_checks
from deploy.cli.app import run
from deploy.findings import Context
from deploy.home import Home, prepare
from deploy.services import InstallationState, down, driver_probes, preparation, processes, status, up
from deploy.services.health import ServiceHealth
from deploy.services.supervision import changed_variables, configuration_path, write_configuration
from laboratory.ports import free_port
from tests.support.embedded import wait_until

COMPOSE = Path(__file__).parents[2] / "deploy" / "compose"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return prepare({"ZHUIWEN_HOME": str(tmp_path / "home"), "ZHUIWEN_WEB_PORT": str(free_port())})


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load((COMPOSE / "compose.yaml").read_text("utf-8"))


def test_stores_start_before_work_and_nothing_embedded_runs_beside_a_url(home: Home, tmp_path: Path) -> None:
    table = processes.processes(home)
    assert [each.name for each in table] == ["mongo", "redis", "worker", "web", "watch"]
    assert [each.is_store for each in table] == [True, True, False, False, False]
    urls = {"ZHUIWEN_MONGO_URL": "mongodb://db.example/z", "ZHUIWEN_REDIS_URL": "redis://cache.example"}
    elsewhere = prepare({"ZHUIWEN_HOME": str(tmp_path / "other"), **urls})
    assert [each.name for each in processes.processes(elsewhere)] == ["worker", "web", "watch"]


def test_compose_runs_the_commands_of_the_table(compose: dict[str, Any]) -> None:
    services = compose["services"]
    expected = {
        "worker": processes.worker_command(2, ("works", "pages", "evidence")),
        "crawler": processes.worker_command(1, ("crawl", "reworded")),
        "web": processes.web_command("0.0.0.0", 8717),
    }
    assert {name: services[name]["command"][1:] for name in expected} == {n: list(c[1:]) for n, c in expected.items()}
    assert {"celery", "webadmin.celery", "beat"} <= set(services["beat"]["command"])
    for step in preparation.steps(is_alone=False):
        assert f"python {' '.join(step.command[1:])}" in services["prepare"]["command"][2]


def test_compose_refers_only_to_what_it_has(compose: dict[str, Any]) -> None:
    services = compose["services"]
    named_hosts = {"mongo", "redis", "postgres"}
    for name, service in services.items():
        assert set(service.get("depends_on", {})) <= set(services), name
        for volume in service.get("volumes", []):
            assert volume.split(":")[0] in compose["volumes"], name
        for variable in ("ZHUIWEN_MONGO_URL", "ZHUIWEN_REDIS_URL", "ZHUIWEN_DATABASE_URL"):
            if variable in service.get("environment", {}):
                assert service["environment"][variable].rpartition("@")[2].split(":")[0] in named_hosts
    for name in ("mongo", "redis", "postgres", "worker", "crawler", "web"):
        assert services[name]["healthcheck"]["test"], name
    assert (COMPOSE.parents[1] / services["web"]["build"]["dockerfile"]).is_file()


def test_what_the_example_of_compose_offers_are_settings_and_all_of_them_arrive(compose: dict[str, Any]) -> None:
    example = (COMPOSE / ".env.example").read_text("utf-8")
    offered = {line.lstrip("#").partition("=")[0] for line in example.splitlines() if "ZHUIWEN_" in line[:9]}
    assert offered <= {known.variable for known in known_settings().values()}
    assert {"ZHUIWEN_SMTP_URL", "ZHUIWEN_TSA_URLS", "ZHUIWEN_S3_ENDPOINT_URL"} <= offered
    own = [service for service in compose["services"].values() if service["image"] == compose["x-zhuiwen"]["image"]]
    assert {service["env_file"] for service in own} == {".env"}


def test_every_variable_of_compose_is_in_the_example_and_no_secret_has_a_default(compose: dict[str, Any]) -> None:
    text = (COMPOSE / "compose.yaml").read_text("utf-8")
    example = dict(
        line.split("=", 1)
        for line in (COMPOSE / ".env.example").read_text("utf-8").splitlines()
        if line and line[0] != "#"
    )
    for name, value in example.items():
        assert f"${{{name}:" in text, name
        if "PASSWORD" in name or "SECRET" in name:
            assert value == ""
            assert f"${{{name}:?" in text
            assert f"${{{name}:-" not in text


WORK = {"worker", "web", "watch"}


@pytest.mark.parametrize(
    ("variable", "value", "started_anew"),
    [
        ("ZHUIWEN_WORKERS", "3", {"worker"}),
        ("ZHUIWEN_CRAWLERS", "3", {"worker"}),
        ("ZHUIWEN_ALLOWED_HOSTS", "desk.example", {"web", "watch"}),
        ("ZHUIWEN_CRAWL_TIMEOUT_S", "20", WORK),
        ("PYTHONPATH", "/opt/more", {*WORK, "mongo", "redis"}),
    ],
)
def test_a_setting_starts_those_anew_that_read_it(
    home: Home, variable: str, value: str, started_anew: set[str]
) -> None:
    changed = prepare({**home.environment, variable: value})
    write_configuration(home, processes.processes(home))
    before = sections_of(home)
    said = changed_variables(changed, processes.processes(changed))
    write_configuration(changed, processes.processes(changed))
    after = sections_of(changed)
    assert {name for name in before if before[name] != after[name]} == started_anew
    assert {name for name, variables in said.items() if variable in variables} == started_anew


def sections_of(home: Home) -> dict[str, str]:
    """Return what supervisord reads of each process."""
    parts = configuration_path(home).read_text("utf-8").split("[program:")[1:]
    return {name: rest for name, _, rest in (part.partition("]") for part in parts)}


def test_a_worker_counts_as_alive_as_long_as_it_and_its_clock_give_signs_of_life(home: Home) -> None:
    (worker,) = processes.processes(home, ["worker"])
    assert worker.health(1.0) is ServiceHealth.SILENT
    for missing in worker.removes:
        for sign in worker.removes:
            sign.touch()
        assert worker.is_ready()
        long_ago = time.time() - 30.0
        os.utime(missing, (long_ago, long_ago))
        assert worker.health(1.0) is ServiceHealth.SILENT


@pytest.mark.usefixtures("processes")
def test_a_worker_of_the_pipeline_gives_its_sign_of_life_where_status_looks(home: Home) -> None:
    """One that does nothing but live, and loses its broker."""
    command = [sys.executable, "-m", "celery", "--app", "webadmin.celery", "worker", "--pool", "solo",
               "--queues", "none", "--without-gossip", "--without-mingle"]  # fmt: skip
    sign, _ = processes.processes(home, ["worker"])[0].removes
    try:
        up(home, str, ["redis"])
        worker = subprocess.Popen(
            command,
            env={**home.environ(os.environ), PROCESS: "worker"},
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        try:
            wait_until(sign.exists, "it lives")
            first = sign.stat().st_mtime
            wait_until(lambda: sign.stat().st_mtime > first, "it says so again")
        finally:
            worker.terminate()
            worker.wait(60)
    finally:
        down(home, str)


@pytest.mark.usefixtures("processes")
def test_a_step_that_fails_is_one_sentence_with_its_last_words(home: Home) -> None:
    step = preparation.PreparationStep(
        Message("start.said", text="mending the roof"), (sys.executable, "-c", "raise SystemExit('no ladder')")
    )
    with pytest.raises(BadConfiguration, match="mending the roof failed: no ladder"):
        preparation.prepare(home, [step], str)
    assert "no ladder" in (home.logs / "preparation.log").read_text("utf-8")


@pytest.fixture
def command(home: Home, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """The command line in this process, in the environment of `home`."""
    for name, value in home.environment.items():
        monkeypatch.setenv(name, value)
    return lambda *arguments: run(arguments)


@pytest.mark.usefixtures("loopback")
def test_up_with_a_taken_port_says_one_sentence_and_exits_1(
    command: Callable[..., int], home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", home.settings.services.web_port)):
        assert command("up") == 1
    said = capsys.readouterr().err
    assert "ZHUIWEN_WEB_PORT" in said
    assert said.count("\n") == 1


def context(home: Home) -> Context:
    return Context(home, {})


@pytest.mark.usefixtures("loopback")
def test_the_doctor_names_what_does_not_run_and_what_is_open_to_others(home: Home) -> None:
    home.path.chmod(0o755)
    found = doctor.examine(
        context(home), [home_checks.check_home_permissions, doctor.check_services, doctor.check_mongo_writes]
    )
    ids = [each.id for each in found]
    assert ids[0] == "home.permissions"
    assert {"service.mongo", "service.redis", "service.web"} <= set(ids)
    assert "mongo.write" not in ids, "one cause is one finding"
    assert all(each.problem and each.remedy and "\n" not in str(each.problem) for each in found)


@pytest.mark.usefixtures("loopback")
def test_the_doctor_finds_nothing_wrong_with_embedded_stores_until_redis_forgets(home: Home) -> None:
    checks = [
        doctor.check_python_version,
        home_checks.check_home_permissions,
        doctor.check_fonts,
        doctor.check_redis_durability,
        doctor.check_mongo_writes,
    ]
    try:
        up(home, str, ["mongo", "redis"])
        assert doctor.examine(context(home), checks) == []
        client = redis.Redis.from_url(home.settings.redis_url)
        client.config_set("maxmemory-policy", "allkeys-lru")
        client.config_set("appendonly", "no")
        assert [each.id for each in doctor.check_redis_durability(context(home))] == [
            "redis.appendonly",
            "redis.eviction",
        ]
    finally:
        down(home, str)


@pytest.mark.parametrize("server", ["redis_url", "redis_cluster_url"])
def test_status_and_doctor_look_at_an_index_that_is_elsewhere(
    server: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue(server)
    home = prepare({"ZHUIWEN_HOME": str(tmp_path / "home"), "ZHUIWEN_INDEX_URL": url})
    (row,) = [each for each in status(home) if each.name == "index"]
    assert (row.state, row.address) == (InstallationState.EXTERNAL, url.partition("://")[2].partition("/")[0])
    client = driver_probes.index_client(url)
    assert doctor.check_index_eviction(context(home)) == []
    try:
        _set_policy(client, "allkeys-lru")
        (found,) = doctor.check_index_eviction(context(home))
        assert (found.id, "allkeys-lru" in str(found.problem)) == ("index.eviction", True)
    finally:
        _set_policy(client, "noeviction")
        client.close()


def _set_policy(client: "redis.Redis | RedisCluster", policy: str) -> None:
    nodes = {"target_nodes": RedisCluster.PRIMARIES} if isinstance(client, RedisCluster) else {}
    client.config_set("maxmemory-policy", policy, **nodes)


@pytest.mark.usefixtures("loopback")
def test_the_doctor_names_an_index_elsewhere_that_does_not_answer(tmp_path: Path) -> None:
    url = f"redis+cluster://u:secret@127.0.0.1:{free_port()}"
    home = prepare({"ZHUIWEN_HOME": str(tmp_path / "home"), "ZHUIWEN_INDEX_URL": url})
    found = {
        each.id: each for each in doctor.examine(context(home), [doctor.check_services, doctor.check_index_eviction])
    }
    assert str(found["service.index"].remedy) == "check ZHUIWEN_INDEX_URL"
    assert "index.eviction" not in found
    assert not any("secret" in str(each.problem) for each in found.values())


def test_the_doctor_names_settings_that_do_not_exist_and_no_other(home: Home) -> None:
    inherited = {**home.environment, "ZHUIWEN_CONFIGURATION": "x", "ZHUIWEN_WEBPORT": "1", "ZHUIWEN_XYZZY": "1"}
    found = home_checks.check_setting_names(Context(home, inherited))
    assert [(each.id, str(each.remedy).partition(",")[0]) for each in found] == [
        ("settings.unknown.ZHUIWEN_WEBPORT", "write ZHUIWEN_WEB_PORT"),
        ("settings.unknown.ZHUIWEN_XYZZY", "unset it; see docs/settings.md for all settings"),
    ]
    assert home_checks.check_setting_names in doctor.CHECKS
