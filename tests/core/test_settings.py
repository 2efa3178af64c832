"""Settings: defaults, faults, secrets."""

import pytest

from core.errors import BadConfiguration
from core.settings import load, unknown_names


def test_no_configuration_embeds_every_service() -> None:
    settings = load({})
    assert settings.services.embeds_mongo
    assert settings.services.embeds_redis
    assert settings.mongo_url == "mongodb://127.0.0.1:27117/zhuiwen"
    assert settings.web.time_zone == "Asia/Shanghai"


def test_a_url_replaces_the_embedded_twin() -> None:
    settings = load({"ZHUIWEN_MONGO_URL": "mongodb://db.example/zw"})
    assert not settings.services.embeds_mongo
    assert settings.mongo_url == "mongodb://db.example/zw"


def test_all_faults_are_named_at_once_with_the_value_seen() -> None:
    with pytest.raises(BadConfiguration) as caught:
        load({"ZHUIWEN_WEB_PORT": "99999", "ZHUIWEN_TIME_ZONE": "Mars/Olympus", "ZHUIWEN_WORKERS": "many"})
    assert len(caught.value.faults) == 3
    assert "ZHUIWEN_WEB_PORT is '99999'; allowed: a whole number from 1 to 65535" in caught.value.faults
    assert any("Mars/Olympus" in fault for fault in caught.value.faults)


def test_secrets_do_not_show_in_the_representation() -> None:
    settings = load({"ZHUIWEN_SECRET_KEY": "do-not-show", "ZHUIWEN_REDIS_URL": "redis://:do-not-show@r/0"})
    assert "do-not-show" not in repr(settings)


def faults_of(**environ: str) -> tuple[str, ...]:
    with pytest.raises(BadConfiguration) as caught:
        load({f"ZHUIWEN_{name}": value for name, value in environ.items()})
    return caught.value.faults


@pytest.mark.parametrize(
    "value", ["garbage", "127.0.0.1", "::1:8999", "::1", "127.0.0.1:", "127.0.0.1:0", "a:70000", "http://a:80", "a b:8"]
)
def test_a_private_host_without_its_port_is_refused_by_name(value: str) -> None:
    (fault,) = faults_of(ALLOW_PRIVATE_HOSTS=f"10.0.0.1:80, {value}")
    assert fault.startswith(f"ZHUIWEN_ALLOW_PRIVATE_HOSTS is {value!r}; allowed: host:port, an IPv6 address in br")


def test_private_hosts_are_names_and_addresses_with_ports() -> None:
    given = ("127.0.0.1:8001", "[::1]:8999", "intranet.example:80", "中文书城.com:8080")
    assert load({"ZHUIWEN_ALLOW_PRIVATE_HOSTS": ",".join(given)}).crawl.allow_private_hosts == given


@pytest.mark.parametrize(
    ("name", "allowed", "good"),
    [
        ("MONGO_URL", "mongodb:// or mongodb+srv://", "mongodb+srv://zw:x@cluster.example/zw"),
        ("REDIS_URL", "redis:// or rediss://", "rediss://:x@r.example:6380/1"),
        ("DATABASE_URL", "postgres:// or postgresql:// or sqlite:///", "sqlite:////srv/zw.db"),
    ],
)
def test_a_url_of_another_kind_of_service_is_refused(name: str, allowed: str, good: str) -> None:
    for value in ("foo", "http://db.example/x", "redis://", "unix:///run/redis.sock", "mongodb://", "postgres://"):
        (fault,) = faults_of(**{name: value})
        assert fault == f"ZHUIWEN_{name} is {value!r}; allowed: a URL that begins with {allowed}"
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


def test_two_services_on_one_port_are_named() -> None:
    assert faults_of(WEB_PORT="6679", REDIS_PORT="6679") == (
        "ZHUIWEN_REDIS_PORT and ZHUIWEN_WEB_PORT are both 6679; give each a port of its own",
    )
    assert len(faults_of(MONGO_PORT="7000", WEB_PORT="7000", REDIS_PORT="7000")) == 3


@pytest.mark.parametrize("port", ["8801", "8807"])
def test_a_port_among_those_of_the_demo_is_named(port: str) -> None:
    (fault,) = faults_of(WEB_PORT=port)
    assert fault.startswith(f"ZHUIWEN_WEB_PORT is {port}, one of the seven ports of the demo's sites, 8801 to 8807")


def test_ports_clash_only_where_both_are_used() -> None:
    load({"ZHUIWEN_WEB_PORT": "8808", "ZHUIWEN_MONGO_PORT": "8800"})
    load({"ZHUIWEN_WEB_PORT": "6479", "ZHUIWEN_REDIS_URL": "redis://r.example/0"})


def test_a_port_that_cannot_be_is_one_fault_and_not_two() -> None:
    assert len(faults_of(WEB_PORT="many", REDIS_PORT="8717")) == 1


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
    own = ("ZHUIWEN_EMBEDDED", "ZHUIWEN_REDIS_PASSWORD", "ZHUIWEN_CONFIGURATION", "ZHUIWEN_PROCESS", "ZHUIWEN_HOME")
    assert unknown_names(dict.fromkeys(own, "1")) == {}
