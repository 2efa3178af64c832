"""The table of processes, the compose file beside it, and the probes."""

import json
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import redis
import yaml
from redis.cluster import RedisCluster

from core.settings import DEMO_SITES
from deploy import doctor
from deploy.cli.app import run
from deploy.demo import presence
from deploy.home import Home, prepare
from deploy.services import State, down, preparation, probes, processes, status, up
from deploy.services.faults import PreparationFailed
from deploy.services.state import without_secrets
from deploy.services.supervision import changed_variables, configuration_path, write_configuration
from tests.support.embedded import free_port, wait_until
from tests.support.redis_server import redis_cluster_url, redis_url

__all__ = ["redis_cluster_url", "redis_url"]

COMPOSE = Path(__file__).parents[2] / "deploy" / "compose"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    ports = {f"ZHUIWEN_{name}_PORT": str(free_port()) for name in ("MONGO", "REDIS", "WEB")}
    return prepare({"ZHUIWEN_HOME": str(tmp_path / "home"), **ports})


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load((COMPOSE / "compose.yaml").read_text("utf-8"))


def test_stores_start_before_work_and_nothing_embedded_runs_beside_a_url(home: Home, tmp_path: Path) -> None:
    table = processes.processes(home)
    assert [each.name for each in table] == ["mongo", "redis", "worker", "crawler", "beat", "web"]
    assert [each.is_store for each in table] == [True, True, False, False, False, False]
    urls = {"ZHUIWEN_MONGO_URL": "mongodb://db.example/z", "ZHUIWEN_REDIS_URL": "redis://cache.example"}
    elsewhere = prepare({"ZHUIWEN_HOME": str(tmp_path / "other"), **urls})
    assert [each.name for each in processes.processes(elsewhere)] == ["worker", "crawler", "beat", "web"]


def test_compose_runs_the_commands_of_the_table(compose: dict[str, Any]) -> None:
    services = compose["services"]
    expected = {
        "worker": processes.worker_command(2),
        "crawler": processes.crawler_command(1),
        "beat": processes.beat_command(),
        "web": processes.web_command("0.0.0.0", 8717),
    }
    assert {name: services[name]["command"][1:] for name in expected} == {n: list(c[1:]) for n, c in expected.items()}
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


def test_every_variable_of_compose_is_in_the_example_and_no_secret_has_a_default(compose: dict[str, Any]) -> None:
    text = (COMPOSE / "compose.yaml").read_text("utf-8")
    example = dict(
        line.split("=", 1) for line in (COMPOSE / ".env.example").read_text("utf-8").splitlines() if "=" in line[:40]
    )
    for name, value in example.items():
        assert f"${{{name}:" in text, name
        if "PASSWORD" in name or "SECRET" in name:
            assert value == ""
            assert f"${{{name}:?" in text
            assert f"${{{name}:-" not in text


WORK = {"worker", "crawler", "beat", "web"}


@pytest.mark.parametrize(
    ("variable", "value", "started_anew"),
    [
        ("ZHUIWEN_WORKERS", "3", {"worker"}),
        ("ZHUIWEN_CRAWLERS", "3", {"crawler"}),
        ("ZHUIWEN_ALLOWED_HOSTS", "desk.example", {"web"}),
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
    """What supervisord reads of each process."""
    parts = configuration_path(home).read_text("utf-8").split("[program:")[1:]
    return {name: rest for name, _, rest in (part.partition("]") for part in parts)}


def test_the_worker_probe_speaks_to_a_worker_of_this_broker(home: Home, tmp_path: Path) -> None:
    (tmp_path / "probed.py").write_text(
        "import os\nfrom celery import Celery\napp = Celery(broker=os.environ['ZHUIWEN_REDIS_URL'])\n"
        f"app.conf.broker_transport_options = {probes.BROKER_OPTIONS!r}\n"
    )
    command = [sys.executable, "-m", "celery", "--app", "probed", "worker", "--pool", "solo", "--hostname", "pages@%h"]
    url = home.settings.redis_url
    try:
        up(home, str, ["redis"])
        assert not probes.worker_answers(url, "pages")
        environment = {**home.environment, "PYTHONPATH": str(tmp_path)}
        worker = subprocess.Popen(
            command, env=environment, cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        try:
            wait_until(lambda: probes.worker_answers(url, "pages"), "the worker answers")
            assert not probes.worker_answers(url, "crawl")
            wait_until(lambda: probes.any_worker_answers(url, "pages"), "the worker answers who asks for any")
            assert not probes.any_worker_answers(url, "crawl")
        finally:
            worker.terminate()
            worker.wait(30)
        assert not probes.worker_answers(url, "pages")
    finally:
        down(home, str)


def test_the_worker_probe_uses_the_key_prefix_of_the_pipeline() -> None:
    from pipeline.app import app

    assert probes.BROKER_OPTIONS.items() <= app.conf.broker_transport_options.items()


def test_probes_of_nothing_are_false_and_raise_nothing() -> None:
    port = free_port()
    assert not probes.mongo_answers(f"mongodb://127.0.0.1:{port}/x")
    assert not probes.redis_answers(f"redis://127.0.0.1:{port}/0")
    assert not probes.index_answers(f"redis://127.0.0.1:{port}/0")
    assert not probes.index_answers(f"redis+cluster://127.0.0.1:{port}")
    assert not probes.postgres_answers(f"postgres://u:p@127.0.0.1:{port}/x")
    assert not probes.web_answers("127.0.0.1", port)
    assert not probes.worker_answers(f"redis://127.0.0.1:{port}/0", "pages")
    assert not probes.any_worker_answers(f"redis://127.0.0.1:{port}/0", "pages")


def test_a_step_that_fails_is_one_sentence_with_its_last_words(home: Home) -> None:
    step = preparation.Step("mending the roof", (sys.executable, "-c", "raise SystemExit('no ladder')"))
    with pytest.raises(PreparationFailed, match="mending the roof failed: no ladder"):
        preparation.prepare(home, [step], str)
    assert "no ladder" in (home.logs / "preparation.log").read_text("utf-8")


def test_an_address_is_shown_without_what_is_secret_in_a_url() -> None:
    assert without_secrets("mongodb://u:p@a:1,b:2/db?replicaSet=x") == "a:1,b:2"


@pytest.fixture
def command(home: Home, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """The command line in this process, in the environment of `home`."""
    for name, value in home.environment.items():
        monkeypatch.setenv(name, value)
    return lambda *arguments: run(arguments)


def test_down_and_status_where_nothing_runs(command: Callable[..., int], capsys: pytest.CaptureFixture[str]) -> None:
    assert command("down") == 0
    capsys.readouterr()
    assert command("status") == 1
    assert "zhuiwen up" in capsys.readouterr().out
    assert command("status", "--json") == 1
    assert {row["state"] for row in json.loads(capsys.readouterr().out)} == {"stopped"}


def test_up_with_a_taken_port_says_one_sentence_and_exits_1(
    command: Callable[..., int], home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", home.settings.services.mongo_port)):
        assert command("up") == 1
    said = capsys.readouterr().err
    assert "ZHUIWEN_MONGO_PORT" in said
    assert said.count("\n") == 1


def context(home: Home) -> doctor.Context:
    return doctor.Context(home, {})


def test_the_doctor_names_what_does_not_run_and_what_is_open_to_others(home: Home) -> None:
    home.path.chmod(0o755)
    found = doctor.examine(context(home), [doctor.home_permissions, doctor.services, doctor.mongo_writes])
    ids = [each.id for each in found]
    assert ids[0] == "home.permissions"
    assert {"service.mongo", "service.redis", "service.web", "mongo.write"} <= set(ids)
    assert all(each.problem and each.remedy and "\n" not in each.problem for each in found)


def test_the_doctor_finds_nothing_wrong_with_embedded_stores(home: Home) -> None:
    checks = [
        doctor.python_version,
        doctor.home_permissions,
        doctor.fonts,
        doctor.redis_durability,
        doctor.mongo_writes,
    ]
    try:
        up(home, str, ["mongo", "redis"])
        assert doctor.examine(context(home), checks) == []
    finally:
        down(home, str)


def test_the_doctor_sees_a_redis_that_forgets(home: Home) -> None:
    try:
        up(home, str, ["redis"])
        client = redis.Redis.from_url(home.settings.redis_url)
        client.config_set("maxmemory-policy", "allkeys-lru")
        client.config_set("appendonly", "no")
        assert [each.id for each in doctor.redis_durability(context(home))] == ["redis.appendonly", "redis.eviction"]
    finally:
        down(home, str)


@pytest.mark.parametrize("server", ["redis_url", "redis_cluster_url"])
def test_status_and_doctor_look_at_an_index_that_is_elsewhere(
    server: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue(server)
    home = prepare({"ZHUIWEN_HOME": str(tmp_path / "home"), "ZHUIWEN_INDEX_URL": url})
    (row,) = [each for each in status(home) if each.name == "index"]
    assert (row.state, row.address) == (State.EXTERNAL, url.partition("://")[2].partition("/")[0])
    client = probes.index_client(url)
    assert doctor.index_keeps_all(context(home)) == []
    try:
        _set_policy(client, "allkeys-lru")
        (found,) = doctor.index_keeps_all(context(home))
        assert (found.id, "allkeys-lru" in found.problem) == ("index.eviction", True)
    finally:
        _set_policy(client, "noeviction")
        client.close()


def _set_policy(client: "redis.Redis | RedisCluster", policy: str) -> None:
    nodes = {"target_nodes": RedisCluster.PRIMARIES} if isinstance(client, RedisCluster) else {}
    client.config_set("maxmemory-policy", policy, **nodes)


def test_the_doctor_names_an_index_elsewhere_that_does_not_answer(tmp_path: Path) -> None:
    url = f"redis+cluster://u:secret@127.0.0.1:{free_port()}"
    home = prepare({"ZHUIWEN_HOME": str(tmp_path / "home"), "ZHUIWEN_INDEX_URL": url})
    found = {each.id: each for each in doctor.examine(context(home), [doctor.services, doctor.index_keeps_all])}
    assert found["service.index"].remedy == "check ZHUIWEN_INDEX_URL"
    assert "index.eviction" not in found
    assert not any("secret" in each.problem for each in found.values())


def test_an_index_where_the_queues_are_is_looked_at_once(home: Home) -> None:
    assert "index" not in {each.name for each in status(home)}
    assert doctor.index_keeps_all(context(home)) == []


def test_the_doctor_names_settings_that_do_not_exist_and_no_other(home: Home) -> None:
    inherited = {**home.environment, "ZHUIWEN_CONFIGURATION": "x", "ZHUIWEN_WEBPORT": "1", "ZHUIWEN_XYZZY": "1"}
    found = doctor.unknown_settings(doctor.Context(home, inherited))
    assert [(each.id, each.remedy.partition(",")[0]) for each in found] == [
        ("settings.unknown.ZHUIWEN_WEBPORT", "write ZHUIWEN_WEB_PORT"),
        ("settings.unknown.ZHUIWEN_XYZZY", "unset it; docs/settings.md has the settings"),
    ]
    assert doctor.unknown_settings in doctor.CHECKS


def test_the_ports_kept_free_for_the_demo_are_those_that_it_uses() -> None:
    assert presence.SITE_COUNT == DEMO_SITES
