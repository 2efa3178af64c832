"""The home folder: made once, whole after a power loss, and the same seen from every process."""

import stat
from pathlib import Path

import pytest

from core import sockets
from core.errors import BadConfiguration
from core.settings_loading import load
from deploy.home import prepare


def environ_for(folder: Path) -> dict[str, str]:
    return {"ZHUIWEN_HOME": str(folder)}


def test_secrets_are_made_once_and_are_for_this_user_only(tmp_path: Path) -> None:
    first, second = prepare(environ_for(tmp_path / "h")), prepare(environ_for(tmp_path / "h"))
    assert first == second
    assert len(first.settings.web.secret_key) >= 50
    assert first.settings.web.secret_key not in repr(first)
    assert prepare(environ_for(tmp_path / "other")).settings.web.secret_key != first.settings.web.secret_key
    assert stat.S_IMODE((tmp_path / "h").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "h" / "secrets.toml").stat().st_mode) == 0o600


def test_a_secret_that_the_operator_sets_has_its_way(tmp_path: Path) -> None:
    chosen = "0123456789abcdef" * 4
    home = prepare(environ_for(tmp_path) | {"ZHUIWEN_SECRET_KEY": chosen})
    assert home.settings.web.secret_key == chosen
    assert home.environment["ZHUIWEN_SECRET_KEY"] == chosen


def test_secrets_that_others_could_read_are_closed_and_lost_ones_made_anew(tmp_path: Path) -> None:
    before = prepare(environ_for(tmp_path))
    secrets = tmp_path / "secrets.toml"
    secrets.chmod(0o644)
    assert prepare(environ_for(tmp_path)) == before
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o600
    secrets.write_text('# by hand\nmongo_url = "mongodb://db.example/zw"\n')
    after = prepare(environ_for(tmp_path))
    assert after.settings.web.secret_key not in ("", before.settings.web.secret_key)
    assert secrets.read_text().startswith('# by hand\nmongo_url = "mongodb://db.example/zw"\nsecret_key = ')
    assert prepare(environ_for(tmp_path)) == after


def test_child_processes_see_the_same_services_and_know_which_are_embedded(tmp_path: Path) -> None:
    home = prepare(environ_for(tmp_path) | {"ZHUIWEN_WORKERS": "7"})
    seen = load(home.environment)
    assert seen == home.settings
    assert seen.pipeline.workers == 7
    child = prepare(dict(home.environment))
    assert (child.embeds_mongo, child.embeds_redis) == (True, True)
    assert child.settings == home.settings


def test_a_process_of_the_installation_has_its_settings_and_none_of_another_shell(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text("workers = 3\n")
    home = prepare(environ_for(tmp_path))
    environ = home.environ({"PATH": "/bin", "ZHUIWEN_WORKERS": "9", "ZHUIWEN_LANGUAGE": "en"})
    (tmp_path / "settings.toml").write_text("workers = 4\n")
    assert (load(environ).pipeline.workers, load(environ).web.language) == (3, "zh-hans")
    assert environ["PATH"] == "/bin"


def test_a_folder_of_sockets_that_another_user_could_enter_is_refused(tmp_path: Path) -> None:
    home = tmp_path / ("h" * 100)
    folder = sockets.folder(home)
    try:
        prepare(environ_for(home))
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        folder.chmod(0o750)
        with pytest.raises(BadConfiguration, match="not private to this user"):
            prepare(environ_for(home))
        folder.rmdir()
        folder.symlink_to(tmp_path)
        with pytest.raises(BadConfiguration, match="not private to this user"):
            prepare(environ_for(home))
    finally:
        folder.unlink() if folder.is_symlink() else folder.rmdir()
