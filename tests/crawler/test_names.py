"""Names looked up at a real name server: what its answers become, and what they never do."""

import socket

import pytest

from core.errors import BadConfiguration
from core.settings_loading import load
from crawler.fetching.names import MAX_ADDRESSES, NameResolver
from tests.support.name_server import NameServer

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


def test_a_name_in_its_own_script_is_asked_for_in_ascii() -> None:
    with NameServer({"xn--fiq4ey41apjo.test": ("192.0.2.1",)}) as server:
        assert NameResolver((server.place,)).addresses("中文书城.test", 80) == ["192.0.2.1"]


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


def test_where_no_server_answers_the_name_is_not_called_unknown() -> None:
    with pytest.raises(socket.gaierror) as caught:
        NameResolver((DEAD,)).addresses("a.test", 80)
    assert caught.value.errno == socket.EAI_AGAIN


def test_name_servers_are_a_setting_of_addresses() -> None:
    assert load({"ZHUIWEN_NAME_SERVERS": "127.0.0.1:53, [::1]:5353"}).crawl.name_servers == (
        "127.0.0.1:53",
        "[::1]:5353",
    )
    with pytest.raises(
        BadConfiguration, match=r"ZHUIWEN_NAME_SERVERS is 'dns\.test:53' in the environment; allowed: address:port"
    ):
        load({"ZHUIWEN_NAME_SERVERS": "dns.test:53"})
