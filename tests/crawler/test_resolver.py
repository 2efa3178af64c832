"""Test that what a name resolves to is checked where it is connected to."""

import socket

import pytest

from core.addresses import forbidden_kind
from core.errors import BadConfiguration, UnsafeUrl
from core.settings_loading import load
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.names import MAX_ADDRESSES, NameResolver
from tests.support.name_server import NameServer

# Names looked up at a real name server: what its answers become, and what they never do.

pytestmark = pytest.mark.usefixtures("loopback")

DEAD = "127.0.0.1:9"


def test_both_kinds_of_addresses_are_found_and_aliases_are_followed() -> None:
    names = {
        "a.test": ("192.0.2.1", "192.0.2.2", "2001:db8::1"),
        "b.test": ("alias:c.test",),
        "c.test": ("alias:a.test",),
    }
    with NameServer(names) as server:
        found = NameResolver((server.place,))
        assert found.addresses("a.test", 80) == ["192.0.2.1", "192.0.2.2", "2001:db8::1"]
        assert found.addresses("B.Test.", 80) == ["192.0.2.1", "192.0.2.2", "2001:db8::1"]
        assert [entry[4] for entry in found.places("a.test", 80, socket.AF_INET6)] == [("2001:db8::1", 80, 0, 0)]


def test_an_address_is_nobodys_question_in_whatever_spelling() -> None:
    with NameServer({}) as server:
        found = NameResolver((server.place,))
        for spelling in ("127.0.0.1", "2130706433", "0x7f.1", "0177.0.0.1"):
            assert found.addresses(spelling, 80) == ["127.0.0.1"], spelling
        assert found.addresses("::1", 80) == ["::1"]
        assert not server.asked


def test_a_truncated_answer_is_asked_for_over_tcp_and_endless_ones_are_bounded() -> None:
    many = tuple(f"192.0.2.{number}" for number in range(1, 200))
    with NameServer({"many.test": many}) as server:
        assert NameResolver((server.place,)).addresses("many.test", 80) == list(many[:MAX_ADDRESSES])
        assert server.asked["many.test", "A"] == 2


@pytest.mark.parametrize("answers", [("!192.0.2.9",), ("alias:loop.test",), ()])
def test_records_of_another_name_circles_and_empty_answers_give_no_address(answers: tuple[str, ...]) -> None:
    with NameServer({"loop.test": answers}) as server, pytest.raises(socket.gaierror):
        NameResolver((server.place,)).addresses("loop.test", 80)


def test_an_unknown_name_is_unknown_and_the_next_server_stands_in_for_a_dead_one() -> None:
    with NameServer({"a.test": ("192.0.2.1",)}) as server:
        with pytest.raises(socket.gaierror):
            NameResolver((server.place,)).addresses("nowhere.test", 80)
        assert NameResolver((DEAD, server.place)).addresses("a.test", 80) == ["192.0.2.1"]


def test_name_servers_are_a_setting_of_addresses() -> None:
    assert load({"ZHUIWEN_NAME_SERVERS": "127.0.0.1:53, [::1]:5353"}).crawl.name_servers == (
        "127.0.0.1:53",
        "[::1]:5353",
    )
    with pytest.raises(
        BadConfiguration, match=r"ZHUIWEN_NAME_SERVERS is 'dns\.test:53' in the environment; it must be address:port"
    ):
        load({"ZHUIWEN_NAME_SERVERS": "dns.test:53"})


# A crawled site cannot make the crawler ask inside the operator's network.


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "169.254.1.1",
        "100.64.0.1",
        "0.0.0.0", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1",
        "198.18.0.1", "100.100.100.200",
        "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:10.0.0.1",
        "64:ff9b::a00:1",
        "2002:7f00:1::", "2001:db8::1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public_are_refused(address: str) -> None:
    assert forbidden_kind(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "114.114.114.114", "2400:3200::1", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_public_addresses_are_not(address: str) -> None:
    assert forbidden_kind(address) is None


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd", "ftp://a.example/", "gopher://a.example/", "a.example/x", "http://", "http://user:secret@a.example/",
        "http://127.0.0.1/", "http://[::1]:80/", "http://169.254.169.254/latest/", "http://metadata.google.internal/",
        "http://10.0.0.1:8080/", "http://a.example:99999/",
    ],
)  # fmt: skip
def test_urls_that_must_not_be_fetched_are_refused_with_a_reason(url: str) -> None:
    with pytest.raises(UnsafeUrl) as caught:
        AddressGuard().check_url(url)
    assert "was not fetched: " in str(caught.value)
    assert "secret" not in str(caught.value)


def test_what_the_operator_allows_is_allowed_on_its_port_only() -> None:
    guard = AddressGuard(("127.0.0.1:8001", "intranet.example:80", "[::1]:8002"))
    guard.check_url("http://127.0.0.1:8001/x")
    guard.check_url("http://[::1]:8002/x")
    guard.check_address("http://intranet.example/", "intranet.example", 80, "10.0.0.7")
    with pytest.raises(UnsafeUrl, match=r"127\.0\.0\.1:8002 to ZHUIWEN_ALLOW_PRIVATE_HOSTS"):
        guard.check_url("http://127.0.0.1:8002/x")
    with pytest.raises(UnsafeUrl):
        guard.check_address("http://other.example/", "other.example", 80, "10.0.0.7")
