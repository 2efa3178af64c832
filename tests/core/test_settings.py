"""Settings: defaults, faults, secrets."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import BadConfiguration
from core.known_settings import environment_variable, format_value, known_settings, unknown_names
from core.settings import Settings
from core.settings_loading import load


@pytest.fixture(autouse=True)
def _empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No file of the checkout says anything."""
    monkeypatch.setattr("core.settings_layers.default_home", lambda: tmp_path / "usual")


def test_no_configuration_embeds_every_service(tmp_path: Path) -> None:
    settings = load({})
    assert settings.services.embeds_mongo
    assert settings.services.embeds_redis
    assert settings.home == tmp_path / "usual"
    assert settings.web.time_zone == "Asia/Shanghai"
    assert settings.mongo_url.endswith("mongo.sock/zhuiwen")
    assert settings.index_url == settings.redis_url


def test_all_faults_are_named_at_once_with_the_value_seen() -> None:
    with pytest.raises(BadConfiguration) as caught:
        load({"ZHUIWEN_WEB_PORT": "99999", "ZHUIWEN_TIME_ZONE": "Mars/Olympus", "ZHUIWEN_WORKERS": "many"})
    assert len(caught.value.faults) == 3
    sentence = "ZHUIWEN_WEB_PORT is '99999' in the environment; it must be a whole number from 1 to 65535"
    assert sentence in map(str, caught.value.faults)
    assert any("Mars/Olympus" in fault for fault in map(str, caught.value.faults))


def test_secrets_do_not_show_in_the_representation() -> None:
    settings = load({"ZHUIWEN_SECRET_KEY": "do-not-show" * 5, "ZHUIWEN_REDIS_URL": "redis://:do-not-show@r/0"})
    assert "do-not-show" not in repr(settings)


@pytest.mark.parametrize("value", ["guessable-4711", "abcd" * 20])
def test_a_key_that_can_be_guessed_is_refused_and_not_shown(value: str) -> None:
    (fault,) = faults_of(SECRET_KEY=value)
    assert fault.startswith(
        "ZHUIWEN_SECRET_KEY is '***' in the environment; it must be a random key of at least 50 char"
    )


def faults_of(**environ: str) -> tuple[str, ...]:
    with pytest.raises(BadConfiguration) as caught:
        load({f"ZHUIWEN_{name}": value for name, value in environ.items()})
    return tuple(map(str, caught.value.faults))


@pytest.mark.parametrize(
    ("name", "value", "allowed"),
    [
        ("WEB_PORT", "0", "a whole number from 1 to 65535"),
        ("WEB_PORT", "8.5", "a whole number from 1 to 65535"),
        ("CRAWL_TIMEOUT_S", "nan", "a number from 1 to 600"),
        ("BROWSER_MINUTES", "0.05", "a number from 0.1 to 10000"),
        ("HTTPS", "perhaps", "0 or 1"),
        ("LANGUAGE", "zh", "zh-hans or en"),
        ("SCREENSHOTS", "on", "auto or off"),
        ("TIME_ZONE", "Asia", "the name of a time zone, such as Asia/Shanghai"),
        ("TIME_ZONE", "../etc/passwd", "the name of a time zone, such as Asia/Shanghai"),
        (
            "NAME_SERVERS",
            "dns.test:53",
            "address:port, such as 127.0.0.1:53 or [::1]:53; separate multiple values with commas",
        ),
    ],
)
def test_each_kind_of_setting_says_what_it_may_be(name: str, value: str, allowed: str) -> None:
    assert faults_of(**{name: value}) == (f"ZHUIWEN_{name} is {value!r} in the environment; it must be {allowed}",)


@pytest.mark.parametrize(
    "value", ["garbage", "127.0.0.1", "::1:8999", "::1", "127.0.0.1:", "127.0.0.1:0", "a:70000", "http://a:80", "a b:8"]
)
def test_a_private_host_without_its_port_is_refused_by_name(value: str) -> None:
    (fault,) = faults_of(ALLOW_PRIVATE_HOSTS=f"10.0.0.1:80, {value}")
    assert fault.startswith(
        f"ZHUIWEN_ALLOW_PRIVATE_HOSTS is {value!r} in the environment; it must be host:port, an IPv6"
    )


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        (
            "ALLOWED_HOSTS",
            "admin.example,.example,127.0.0.1,[::1],*,my_host",
            ["http://x/", "x:80", "x/y", "a b", "::1", "[x]", "中文书城.com", "..x", "[127.0.0.1"],
        ),
        (
            "TRUSTED_ORIGINS",
            "https://admin.example,http://a.example:8000,https://*.example,https://[::1]:8443",
            ["admin.example", "https://", "https://a.example/", "ftp://a", "https://*", "https://u@a", "https://[x]"],
        ),
        ("WEB_HOST", "::1", ["127.0.0.1:80", "http://x", "[::1]", "a b"]),
    ],
)
def test_a_host_name_is_a_name_and_no_url(name: str, good: str, bad: list[str]) -> None:
    load({f"ZHUIWEN_{name}": good})
    for value in bad:
        (fault,) = faults_of(**{name: value})
        assert fault.startswith(f"ZHUIWEN_{name} is {value!r} in the environment; it must be ")


@pytest.mark.parametrize(
    ("name", "allowed", "good"),
    [
        ("MONGO_URL", "mongodb:// or mongodb+srv://", "mongodb+srv://zw:x@cluster.example/zw"),
        ("REDIS_URL", "redis:// or rediss:// or unix:///", "rediss://:x@r.example:6380/1"),
        ("DATABASE_URL", "postgres:// or postgresql:// or sqlite:///", "sqlite:////srv/zw.db"),
    ],
)
def test_a_url_of_another_kind_of_service_is_refused(name: str, allowed: str, good: str) -> None:
    for value in ("foo", "http://db.example/x", "redis://", "unix://redis.sock", "mongodb://", "postgres://"):
        (fault,) = faults_of(**{name: value})
        assert fault == f"ZHUIWEN_{name} is {value!r} in the environment; it must be a URL that begins with {allowed}"
    load({f"ZHUIWEN_{name}": good})


@pytest.mark.parametrize(
    "value",
    [
        "http://zw:hush@db/x",
        "zw:hush@db",
        "mongodb//zw:hush@db",
        "http://zw:a@hush?b@db/x",
        "http://zw:a/hush@db/x",
        "http://db/x?password=hush",
        "redis//:hush",
        "redis:hush",
    ],
)
def test_no_password_of_a_refused_url_is_printed(value: str) -> None:
    (fault,) = faults_of(REDIS_URL=value)
    assert "hush" not in fault
    assert "***" in fault


@pytest.mark.parametrize("port", ["8801", "8807"])
def test_a_port_among_those_of_the_demo_is_named(port: str) -> None:
    (fault,) = faults_of(WEB_PORT=port)
    assert fault.startswith(
        f"ZHUIWEN_WEB_PORT is {port} in the environment, which is one of the demo sites' seven ports"
    )
    load({"ZHUIWEN_WEB_PORT": "8808"})


def test_what_clashes_is_named_beside_what_cannot_be() -> None:
    cannot_be, clashes = faults_of(WEB_PORT="8803", WORKERS="many")
    assert cannot_be.startswith("ZHUIWEN_WORKERS")
    assert clashes.startswith("ZHUIWEN_WEB_PORT is 8803 in the environment, which is one of the demo sites' seven")
    assert len(faults_of(WEB_PORT="8803", DEMO_PORT="many")) == 1


def test_what_looks_like_a_setting_and_is_none_has_its_nearest_name() -> None:
    environ = dict.fromkeys(
        ("ZHUIWEN_WEBPORT", "ZHUIWEN_ALLOWED_PRIVATE_HOST", "ZHUIWEN_XYZZY", "ZHUIWEN_web_port", "OTHER"), "1"
    )
    assert unknown_names(environ) == {
        "ZHUIWEN_WEBPORT": "ZHUIWEN_WEB_PORT",
        "ZHUIWEN_ALLOWED_PRIVATE_HOST": "ZHUIWEN_ALLOW_PRIVATE_HOSTS",
        "ZHUIWEN_XYZZY": "",
        "ZHUIWEN_web_port": "ZHUIWEN_WEB_PORT",
    }


def test_what_an_installation_sets_for_its_own_processes_is_known() -> None:
    own = ("ZHUIWEN_RESOLVED", "ZHUIWEN_CONFIGURATION", "ZHUIWEN_PROCESS", "ZHUIWEN_HOME")
    assert unknown_names(dict.fromkeys(own, "1")) == {}


def test_what_is_written_is_read_as_it_was() -> None:
    values = {
        "web_port": "8900", "crawl_timeout_s": "12.5", "retry_backoff_s": "0.0123456", "https": "1",
        "allowed_hosts": "a.example,[::1]", "language": "en", "user_agent": "Zhuiwen; +https://x.example/ = #1",
    }  # fmt: skip
    read = load({environment_variable(name): value for name, value in values.items()})
    assert {name: format_value(known_settings()[name].read_value(read)) for name in values} == values


def test_every_default_is_admitted_when_it_is_written_down() -> None:
    defaults = {known.variable: format_value(known.default) for known in known_settings().values()}
    assert _without_home(load(defaults)) == _without_home(load({}))


def _without_home(settings: Settings) -> Settings:
    return replace(settings, home=Path())
