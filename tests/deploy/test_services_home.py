"""The home folder: made once, whole after a power loss, and the same seen from every process."""

import stat
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from core.errors import BadConfiguration
from core.settings import load
from deploy.home import prepare, write_privately


def environ_for(folder: Path) -> dict[str, str]:
    return {"ZHUIWEN_HOME": str(folder)}


def test_secrets_are_made_once_and_are_for_this_user_only(tmp_path: Path) -> None:
    first, second = prepare(environ_for(tmp_path / "h")), prepare(environ_for(tmp_path / "h"))
    assert first == second
    assert len(first.settings.web.secret_key) >= 32
    assert first.settings.web.secret_key != first.redis_password
    assert stat.S_IMODE((tmp_path / "h").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "h" / "secrets.env").stat().st_mode) == 0o600


def test_two_homes_share_no_secret(tmp_path: Path) -> None:
    one, other = prepare(environ_for(tmp_path / "1")), prepare(environ_for(tmp_path / "2"))
    assert one.redis_password != other.redis_password
    assert one.settings.web.secret_key != other.settings.web.secret_key


def test_a_secret_that_the_operator_sets_has_its_way(tmp_path: Path) -> None:
    home = prepare(environ_for(tmp_path) | {"ZHUIWEN_SECRET_KEY": "chosen"})
    assert home.settings.web.secret_key == "chosen"
    assert home.environment["ZHUIWEN_SECRET_KEY"] == "chosen"


def test_secrets_that_others_could_read_are_closed_and_lost_ones_made_anew(tmp_path: Path) -> None:
    before = prepare(environ_for(tmp_path))
    secrets = tmp_path / "secrets.env"
    secrets.chmod(0o644)
    prepare(environ_for(tmp_path))
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o600
    secrets.write_text(f"ZHUIWEN_SECRET_KEY={before.settings.web.secret_key}\n")
    after = prepare(environ_for(tmp_path))
    assert after.settings.web.secret_key == before.settings.web.secret_key
    assert after.redis_password
    assert prepare(environ_for(tmp_path)) == after


def test_nothing_secret_is_in_what_a_log_would_show(tmp_path: Path) -> None:
    home = prepare(environ_for(tmp_path))
    assert home.redis_password not in repr(home)
    assert home.settings.web.secret_key not in repr(home)


def test_children_see_the_same_services_and_a_child_that_prepares_knows_which_are_embedded(tmp_path: Path) -> None:
    home = prepare(environ_for(tmp_path) | {"ZHUIWEN_REDIS_PORT": "7777"})
    seen = load(home.environment)
    assert seen.redis_url == home.settings.redis_url
    assert seen.mongo_url == home.settings.mongo_url
    assert urlsplit(seen.redis_url).port == 7777
    assert urlsplit(seen.redis_url).password == home.redis_password
    child = prepare(dict(home.environment))
    assert (child.embeds_mongo, child.embeds_redis) == (True, True)
    assert child == home


def test_a_service_with_a_url_of_its_own_is_not_embedded(tmp_path: Path) -> None:
    url = "redis://:pw@cache.example:6379/3"
    home = prepare(environ_for(tmp_path) | {"ZHUIWEN_REDIS_URL": url})
    assert (home.embeds_mongo, home.embeds_redis) == (True, False)
    assert home.settings.redis_url == url
    assert prepare(dict(home.environment)) == home


def test_a_home_that_cannot_be_made_names_its_variable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadConfiguration, match="ZHUIWEN_HOME"):
        prepare(environ_for(tmp_path / "file" / "home"))


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "f"
    write_privately(path, "旧")
    before = path.stat().st_ino
    write_privately(path, "新")
    assert path.read_text("utf-8") == "新"
    assert path.stat().st_ino != before
    assert [each.name for each in tmp_path.iterdir()] == ["f"]
