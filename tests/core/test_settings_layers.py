"""Test which place has its way: the environment, what runs, the files of the home folder."""

from pathlib import Path

import pytest

from core.errors import BadConfiguration
from core.settings import Settings
from core.settings_layers import (
    Layers,
    SettingOrigin,
    effective_layers,
    find_home,
    planned_layers,
    running_layers,
)
from core.settings_loading import load, read


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / "run").mkdir(parents=True)
    return tmp_path / "home"


def environ_of(home: Path, **variables: str) -> dict[str, str]:
    return {"ZHUIWEN_HOME": str(home), **{f"ZHUIWEN_{name}": value for name, value in variables.items()}}


def start(home: Path, text: str, secret: str = "") -> None:
    """Note what `zhuiwen up` notes."""
    (home / "run" / "started.toml").write_text(text)
    (home / "run" / "started-secrets.toml").write_text(secret)


def ports(layers: Layers) -> tuple[int, int]:
    settings = read(layers)
    return settings.services.web_port, settings.pipeline.workers


def test_the_environment_has_its_way_over_the_file_and_the_file_over_the_default(home: Path) -> None:
    (home / "settings.toml").write_text("web_port = 9000\nworkers = 3\n")
    layers = effective_layers(environ_of(home, WORKERS="5"))
    assert ports(layers) == (9000, 5)
    assert [layers.origin(name) for name in ("web_port", "workers", "crawlers")] == [
        SettingOrigin.FILE, SettingOrigin.ENVIRONMENT, SettingOrigin.DEFAULT,
    ]  # fmt: skip


def test_a_file_has_the_types_of_toml_and_those_of_the_environment(home: Path) -> None:
    text = (
        'allow_private_tsa = true\nhttps = 1\ncrawl_timeout_s = 12.5\nworkers = "3"\n'
        'allowed_hosts = ["a.example", "b.example"]\nname_servers = "127.0.0.1:53, [::1]:53"\n'
    )
    (home / "settings.toml").write_text(text)
    settings = load(environ_of(home))
    assert (settings.evidence.allow_private_tsa, settings.web.is_https, settings.crawl.timeout_s) == (True, True, 12.5)
    assert settings.pipeline.workers == 3
    assert settings.web.allowed_hosts == ("a.example", "b.example")
    assert settings.crawl.name_servers == ("127.0.0.1:53", "[::1]:53")


def test_a_fault_says_in_which_file_it_stands_and_all_are_named_at_once(home: Path) -> None:
    (home / "settings.toml").write_text('web_port = 99999\nhttps = "perhaps"\nname_servers = [1]\n')
    (home / "secrets.toml").write_text('redis_url = "http://:hush@cache.example"\n')
    with pytest.raises(BadConfiguration) as caught:
        load(environ_of(home, LANGUAGE="fr"))
    assert [str(fault).partition("; it must be")[0] for fault in caught.value.faults] == [
        f"redis_url is 'http://***@cache.example' in {home / 'secrets.toml'}",
        f"web_port is '99999' in {home / 'settings.toml'}",
        f"name_servers is '1' in {home / 'settings.toml'}",
        "ZHUIWEN_LANGUAGE is 'fr' in the environment",
        f"https is 'perhaps' in {home / 'settings.toml'}",
    ]


@pytest.mark.parametrize("text", [b"web_port 9000\n", b"web_port = 1\nweb_port = 2\n", b"\xff\xfe", b"[web\n"])
def test_a_file_that_is_no_toml_is_one_sentence_that_names_it(home: Path, text: bytes) -> None:
    (home / "settings.toml").write_bytes(text)
    with pytest.raises(BadConfiguration, match=r"settings\.toml cannot be read: ") as caught:
        load(environ_of(home))
    assert len(caught.value.faults) == 1


def test_what_runs_stands_for_a_shell_without_its_variables_whatever_the_file_says(home: Path) -> None:
    (home / "settings.toml").write_text("web_port = 9000\nworkers = 3\n")
    start(home, "web_port = 9500\n", 'mongo_url = "mongodb://zw:hush@db.example/zw"\n')
    settings = load(environ_of(home))
    assert (settings.services.web_port, settings.pipeline.workers) == (9500, 2)
    assert settings.mongo_url == "mongodb://zw:hush@db.example/zw"
    assert ports(effective_layers(environ_of(home, WORKERS="5"))) == (9500, 5)


def test_who_looks_at_what_runs_is_not_misled_by_the_variables_of_another_shell(home: Path) -> None:
    start(home, "web_port = 9500\n")
    assert ports(running_layers(environ_of(home, WEB_PORT="9999", WORKERS="5"))) == (9500, 2)
    (home / "run" / "started.toml").unlink()
    assert ports(running_layers(environ_of(home, WEB_PORT="9999", WORKERS="5"))) == (9999, 5)


def test_a_restart_reads_the_file_and_keeps_the_last_environment(home: Path) -> None:
    (home / "settings.toml").write_text("web_port = 9000\nworkers = 3\n")
    start(home, 'web_port = 9500\nworkers = 7\ngiven_by_environment = ["web_port"]\n')
    layers = planned_layers(environ_of(home))
    assert ports(layers) == (9500, 3)
    assert layers.origin("web_port") is SettingOrigin.STARTED
    assert ports(planned_layers(environ_of(home, WEB_PORT="9700"))) == (9700, 3)


def test_a_process_of_the_installation_reads_no_file(home: Path) -> None:
    (home / "settings.toml").write_text("web_port = 9000\n")
    start(home, "web_port = 9500\n")
    environ = environ_of(home, RESOLVED="1", WORKERS="5")
    assert {ports(which(environ)) for which in (effective_layers, planned_layers, running_layers)} == {(8717, 5)}


@pytest.fixture
def usual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "usual"
    folder.mkdir()
    monkeypatch.setattr("core.settings_layers.default_home", lambda: folder)
    return folder


def test_the_file_in_the_usual_place_may_name_another_home_folder(home: Path, usual: Path, tmp_path: Path) -> None:
    assert find_home({}) == usual
    (usual / "settings.toml").write_text(f'home = "{home}"\nworkers = 9\n')
    (home / "settings.toml").write_text("workers = 3\n")
    assert (load({}).home, load({}).pipeline.workers) == (home, 3)
    assert find_home({"ZHUIWEN_HOME": str(tmp_path)}) == tmp_path


def test_a_broken_file_in_the_usual_place_does_not_keep_from_what_runs_there(usual: Path) -> None:
    (usual / "settings.toml").write_text("web_port 9000\n")
    with pytest.raises(BadConfiguration, match="cannot be read"):
        load({})
    (usual / "run").mkdir()
    start(usual, "web_port = 9500\n")
    assert _web_port(load({})) == 9500


def _web_port(settings: Settings) -> int:
    return settings.services.web_port
