"""`zhuiwen config`: what an operator sees of the settings, and how they are changed."""

import errno
import os
import pty
import stat
import sys
from pathlib import Path

import pytest

from core.known_settings import known_settings
from core.settings_loading import load
from deploy import started
from deploy.home import prepare
from deploy.settings_files import change
from tests.support.command_line import CommandLine

SECRET_URL = "mongodb://zw:hush@db.example/zw"


def settings_file(zhuiwen: CommandLine) -> Path:
    return zhuiwen.home / "settings.toml"


def rows_of(zhuiwen: CommandLine) -> dict[str, dict[str, object]]:
    return {row["name"]: row for row in zhuiwen("config", "list", "--json").json()}


def test_the_list_says_of_each_setting_what_it_is_where_from_and_what_it_means(zhuiwen: CommandLine) -> None:
    zhuiwen.home.mkdir()
    settings_file(zhuiwen).write_text("web_port = 9000\n")
    rows = rows_of(CommandLine(zhuiwen.home, {"ZHUIWEN_WORKERS": "5", "ZHUIWEN_LANGUAGE": "en"}))
    assert list(rows) == list(known_settings())
    assert [(rows[name]["value"], rows[name]["origin"]) for name in ("web_port", "workers", "crawlers")] == [
        ("9000", "file"), ("5", "environment"), ("2", "default"),
    ]  # fmt: skip
    assert rows["web_port"]["place"] == str(settings_file(zhuiwen))
    assert rows["web_port"]["meaning"] == "admin port"
    assert rows["mongo_url"]["default"] == "embedded"
    assert all(row["meaning"] for row in rows.values())


def test_the_list_speaks_the_language_of_the_installation(zhuiwen: CommandLine) -> None:
    for language, lines in (
        ("en", {"name\tvalue\torigin\tmeaning", "web_port\t8717\tdefault\tadmin port"}),
        ("zh-hans", {"名称\t值\t来源\t含义", "web_port\t8717\t默认值\t工作台的端口"}),
    ):
        shown = CommandLine(zhuiwen.home, {"ZHUIWEN_LANGUAGE": language})("config", "list")
        assert (shown.code, shown.err) == (0, "")
        assert lines <= set(shown.out.splitlines())


def test_a_setting_is_checked_written_and_in_force(zhuiwen: CommandLine) -> None:
    done = zhuiwen("config", "set", "ZHUIWEN_WEB_PORT", "9000")
    assert (done.code, done.out) == (0, f"web_port = 9000 in {settings_file(zhuiwen)}\n")
    assert settings_file(zhuiwen).read_text().endswith("\nweb_port = 9000\n")
    assert zhuiwen("config", "get", "web_port").out == "9000\n"
    assert load(zhuiwen.environ()).services.web_port == 9000
    assert stat.S_IMODE(settings_file(zhuiwen).stat().st_mode) == 0o600
    done = zhuiwen("config", "unset", "web_port")
    assert (done.code, done.out) == (0, "web_port is not set in any file; its default is 8717\n")
    assert zhuiwen("config", "get", "web_port").out == "8717\n"


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("web_port", "99999", "web_port is '99999' in {file}; it must be a whole number from 1 to 65535"),
        ("web_port", "8803", "web_port is 8803 in {file}, which is one of the demo sites' seven ports"),
        ("webport", "9000", "there is no setting webport; did you mean web_port?"),
        ("xyzzy", "1", "there is no setting xyzzy; see zhuiwen config list"),
        ("web_port", " ", "the value is empty; run zhuiwen config unset web_port to use the default again"),
        ("web_port", None, "no value was given; run zhuiwen config set web_port VALUE"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    zhuiwen: CommandLine, name: str, value: str | None, sentence: str
) -> None:
    done = zhuiwen("config", "set", name, *([] if value is None else [value]))
    assert (done.code, done.out, len(done.complaints)) == (2, "", 1)
    assert sentence.format(file=settings_file(zhuiwen)) in done.err
    assert not settings_file(zhuiwen).exists()


def test_what_a_person_wrote_stays_where_it_is(zhuiwen: CommandLine) -> None:
    zhuiwen.home.mkdir()
    text = "# 我们的安装\nworkers = 3   # 两台机器\n\n# the desk\nweb_port = 9000\nlanguage = 'en'\n"
    settings_file(zhuiwen).write_text(text)
    for arguments in (
        ("set", "workers", "4"),
        ("set", "https", "true"),
        ("set", "allowed_hosts", "a.example,b.example"),
    ):
        assert zhuiwen("config", *arguments).code == 0
    added = 'https = true\nallowed_hosts = ["a.example", "b.example"]\n'
    assert settings_file(zhuiwen).read_text() == text.replace("workers = 3", "workers = 4") + added
    assert zhuiwen("config", "unset", "web_port").code == 0
    assert (
        settings_file(zhuiwen).read_text()
        == text.replace("workers = 3", "workers = 4").replace("web_port = 9000\n", "") + added
    )


def test_a_file_with_a_fault_can_be_mended_setting_by_setting(zhuiwen: CommandLine) -> None:
    zhuiwen.home.mkdir()
    settings_file(zhuiwen).write_text('web_port = 99999\nhttps = "perhaps"\n')
    shown = zhuiwen("config", "list")
    assert f"https is 'perhaps' in {settings_file(zhuiwen)}; it must be 0 or 1" in shown.out.splitlines()
    assert zhuiwen("config", "set", "workers", "3").code == 0
    assert zhuiwen("config", "set", "web_port", "9000").code == 0
    assert zhuiwen("config", "unset", "https").code == 0
    assert load(zhuiwen.environ()).services.web_port == 9000


def test_what_clashes_with_what_the_next_up_takes_from_the_environment_is_refused(zhuiwen: CommandLine) -> None:
    started.note(prepare(zhuiwen.environ() | {"ZHUIWEN_DEMO_PORT": "8981"}))
    done = zhuiwen("config", "set", "web_port", "8985")
    assert (done.code, len(done.complaints)) == (2, 1)
    assert "(demo_port is 8981 in the environment of the last zhuiwen up); change one of the two" in done.err
    assert not settings_file(zhuiwen).exists()
    settings_file(zhuiwen).write_text('crawlers = "x"\nweb_port = 9000\n')
    done = zhuiwen("config", "unset", "web_port")
    assert done.code == 0, "a change beside a fault is made, and the fault is named"
    assert done.out.splitlines()[1].startswith("zhuiwen up would not apply these settings: crawlers is 'x' in ")


def test_a_secret_comes_from_standard_input_and_is_shown_nowhere(zhuiwen: CommandLine) -> None:
    done = zhuiwen("config", "set", "mongo_url", stdin=f"{SECRET_URL}\n".encode())
    assert (done.code, done.out) == (0, f"mongo_url = mongodb://***@db.example/zw in {zhuiwen.home / 'secrets.toml'}\n")
    assert not settings_file(zhuiwen).exists()
    assert stat.S_IMODE((zhuiwen.home / "secrets.toml").stat().st_mode) == 0o600
    assert load(zhuiwen.environ()).mongo_url == SECRET_URL
    assert zhuiwen("config", "set", "secret_key", "-", stdin=b"hush" + b"0123456789" * 5).code == 0
    said = [zhuiwen("config", *arguments) for arguments in (
        ("list",), ("list", "--json"), ("get", "mongo_url"), ("get", "secret_key"), ("set", "workers", "3"),
    )]  # fmt: skip
    assert not any("hush" in each.out + each.err for each in said)


def test_a_secret_on_the_command_line_is_refused_and_a_url_without_one_is_not(zhuiwen: CommandLine) -> None:
    done = zhuiwen("config", "set", "mongo_url", SECRET_URL)
    assert (done.code, len(done.complaints)) == (2, 1)
    assert "zhuiwen config set mongo_url" in done.err
    assert "hush" not in done.err
    assert zhuiwen("config", "set", "mongo_url", "mongodb://db.example/zw").code == 0
    assert load(zhuiwen.environ()).mongo_url == "mongodb://db.example/zw"
    settings_file(zhuiwen).write_text(f'workers = 3\nmongo_url = "{SECRET_URL}"\n')
    assert zhuiwen("config", "set", "mongo_url", stdin=SECRET_URL.encode()).code == 0
    assert settings_file(zhuiwen).read_text() == "workers = 3\n", "a secret in the open file is moved when it is set"


def test_a_secret_is_asked_for_on_a_terminal_and_not_echoed(zhuiwen: CommandLine) -> None:
    command = [sys.executable, "-c", "from deploy.cli import main; main()", "config", "set", "mongo_url"]
    child, terminal = pty.fork()
    if child == 0:
        os.execve(sys.executable, command, zhuiwen.environ())
    seen = b""
    while b"hidden" not in seen:
        seen += os.read(terminal, 1024)
    os.write(terminal, f"{SECRET_URL}\n".encode())
    while chunk := _read(terminal):
        seen += chunk
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert b"hush" not in seen
    assert load(zhuiwen.environ()).mongo_url == SECRET_URL


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1024)
    except OSError:  # EIO: the other side is closed
        return b""


def test_a_change_says_what_the_next_up_starts_anew_and_what_has_its_way_over_it(zhuiwen: CommandLine) -> None:
    started.note(prepare(zhuiwen.environ()))
    assert zhuiwen("config", "set", "workers", "3").out.splitlines()[1:] == [
        "zhuiwen up applies it and restarts: worker"
    ]
    assert zhuiwen("config", "set", "crawl_timeout_s", "20").out.splitlines()[1:] == [
        "zhuiwen up applies it and restarts: worker, web, watch"
    ]
    assert zhuiwen("config", "set", "workers", "2").out.splitlines()[1:] == ["the running services already use it"]
    other = CommandLine(zhuiwen.home, {"ZHUIWEN_WEB_PORT": "9001"})
    assert other("config", "set", "web_port", "9000").out.splitlines()[1:] == [
        "ZHUIWEN_WEB_PORT in this shell overrides it",
        "zhuiwen up applies it and restarts: web, watch",
    ]
    row = rows_of(zhuiwen)["web_port"]
    assert (row["value"], row["running"]) == ("9000", "8717")


def test_the_home_folder_of_every_shell_can_be_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from deploy.cli.app import run

    monkeypatch.delenv("ZHUIWEN_HOME")
    for module in ("core.settings_layers", "deploy.configuration"):
        monkeypatch.setattr(f"{module}.default_home", lambda: tmp_path / "usual")
    assert run(["config", "get", "home"]) == 0
    assert run(["config", "set", "home", str(tmp_path / "elsewhere")]) == 0
    assert load({}).home == tmp_path / "elsewhere"
    assert run(["config", "set", "workers", "3"]) == 0
    assert (tmp_path / "elsewhere" / "settings.toml").exists()
    assert load({}).pipeline.workers == 3
    assert run(["config", "unset", "home"]) == 0
    assert load({}).home == tmp_path / "usual"
    assert capsys.readouterr().out.splitlines()[0] == str(tmp_path / "usual")


def test_a_write_that_fails_leaves_the_file_as_it_was_and_a_link_stays_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("workers = 3\n")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", _fails)
        with pytest.raises(OSError, match="No space"):
            change(path, {"workers": 4})
    assert path.read_text() == "workers = 3\n"
    assert [each.name for each in tmp_path.iterdir()] == ["settings.toml"]
    (tmp_path / "link.toml").symlink_to("settings.toml")
    change(tmp_path / "link.toml", {"workers": 4})
    assert (tmp_path / "link.toml").is_symlink()
    assert path.read_text() == "workers = 4\n"


def _fails(_: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")
