"""RDAP and whois, asked of real servers on loopback: what they say, and what they may do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from core.contacts import ContactKind
from core.errors import BadInput
from core.settings import CrawlSettings, RegistrySettings
from crawler.registries import rdap, whois
from crawler.registries.look_up import LookedUp, Registries
from tests.support import whois_server
from tests.support.name_server import NameServer
from tests.support.web_server import Answer, WebServer, endless, redirect, silent
from tests.support.whois_server import WhoisServer

HOST, ADDRESS = "www.pirate.com", "93.184.216.34"  # a public address, which nobody connects to here
RDAP_TYPE = "application/rdap+json"
WHOIS_TEXT = (
    b"% notice: terms\r\nDomain Name: PIRATE.COM\r\nRegistrar: \xe6\x9f\x90\xe5\x9f\x9f\xe5\x90\x8d\r\n"
    b"Registrar Abuse Contact Email: Abuse@Registrar.example\r\nRegistrant Email: owner@pirate.com\r\n"
)

pytestmark = pytest.mark.usefixtures("loopback")
WHOIS_OF_ADDRESS = b"inetnum: 93.184.216.0\ndescr: Cloud of Whois\nabuse-mailbox: abuse@cloud.example\n"


def card(*rows: list[Any]) -> list[Any]:
    return ["vcard", [["version", {}, "text", "4.0"], *rows]]


def entity(roles: list[str], name: str = "", email: str = "", inside: list[Any] | None = None) -> dict[str, Any]:
    rows = [["fn", {}, "text", name]] if name else []
    rows += [["email", {}, "text", email]] if email else []
    return {"objectClassName": "entity", "roles": roles, "vcardArray": card(*rows), "entities": inside or []}


OF_NAME = {
    "objectClassName": "domain",
    "entities": [
        entity(["registrant"], "Somebody Private", "owner@pirate.com"),
        entity(["registrar"], "Example  Registrar, Inc.", inside=[entity(["abuse"], "", "Abuse@registrar.example")]),
    ],
}
OF_ADDRESS = {
    "objectClassName": "ip network",
    "name": "NET-93",
    "entities": [entity(["registrant"], "某云计算有限公司", inside=[entity(["abuse"], "", "abuse@cloud.example")])],
}


def as_rdap(value: object, status: int = 200) -> Answer:
    return Answer(json.dumps(value).encode(), RDAP_TYPE, status)


@dataclass
class Servers:
    web: WebServer
    whois: WhoisServer
    names: NameServer

    def look_up(self, host: str = HOST, **settings: Any) -> LookedUp:
        given = {"rdap_url": self.web.url("/rdap/"), "whois_servers": (self.whois.place,), **settings}
        crawl = CrawlSettings(name_servers=(self.names.place,))
        return Registries(RegistrySettings(**given), crawl).look_up([host])


@pytest.fixture
def servers() -> Iterator[Servers]:
    routes: dict[str, Any] = {
        "/rdap/domain/pirate.com": as_rdap(OF_NAME),
        f"/rdap/ip/{ADDRESS}": as_rdap(OF_ADDRESS),
    }
    with ExitStack() as stack:
        web = stack.enter_context(WebServer(routes))
        asked = {"pirate.com": WHOIS_TEXT, ADDRESS: WHOIS_OF_ADDRESS}
        by_whois = stack.enter_context(WhoisServer(dict(asked)))
        yield Servers(web, by_whois, stack.enter_context(NameServer({HOST: [ADDRESS]})))


def said(looked: LookedUp) -> list[tuple[str, str, str]]:
    return [(str(each.contact.kind), each.contact.value, str(each.source)) for each in looked.found]


def codes(looked: LookedUp) -> list[str]:
    return [fault.code for fault in looked.faults]


def test_rdap_says_who_registered_the_name_and_whose_network_it_is(servers: Servers) -> None:
    looked = servers.look_up()
    assert said(looked) == [
        ("registrar", "Example Registrar, Inc.", "rdap"),
        ("registrar_abuse", "abuse@registrar.example", "rdap"),
        ("host", "某云计算有限公司", "rdap"),
        ("host_abuse", "abuse@cloud.example", "rdap"),
    ]
    assert looked.found[0].where == servers.web.url("/rdap/domain/pirate.com")
    assert (looked.faults, servers.whois.asked) == ([], [])


def test_the_holder_of_a_name_is_never_read() -> None:
    assert "owner@pirate.com" not in str(rdap.registrar(OF_NAME))
    assert "owner@pirate.com" not in str(whois.registrar(WHOIS_TEXT.decode()))


@pytest.mark.parametrize(
    "answer",
    [
        as_rdap({"errorCode": 404}, 404),
        as_rdap({}, 503),
        as_rdap([]),
        as_rdap({"entities": "many"}),
        as_rdap({"entities": [{"roles": "registrar", "vcardArray": [["fn"]]}, 3, None]}),
        Answer(b"<html>", "text/html"),
        Answer(b"[" * 500_000, RDAP_TYPE),
        Answer(content_type=RDAP_TYPE, chunks=endless),
        redirect("/elsewhere"),
    ],
    ids=["unknown", "broken", "list", "text", "shapes", "page", "nested", "endless", "led-astray"],
)
def test_whois_is_asked_where_rdap_does_not_say(servers: Servers, answer: Answer) -> None:
    servers.web.routes |= {"/rdap/domain/pirate.com": answer, f"/rdap/ip/{ADDRESS}": answer}
    looked = servers.look_up()
    assert said(looked) == [
        ("registrar", "某域名", "whois"),
        ("registrar_abuse", "abuse@registrar.example", "whois"),
        ("host", "Cloud of Whois", "whois"),
        ("host_abuse", "abuse@cloud.example", "whois"),
    ]
    assert looked.found[0].where == f"{servers.whois.place} pirate.com"
    assert servers.whois.asked == ["pirate.com", ADDRESS]


def test_a_server_that_never_ends_its_answer_is_left_in_time(servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rdap, "TIMEOUT_S", 0.5)
    monkeypatch.setattr(whois, "TIMEOUT_S", 0.5)
    servers.web.routes |= {"/rdap/domain/pirate.com": Answer(content_type=RDAP_TYPE, chunks=silent)}
    servers.whois.answers |= {"pirate.com": whois_server.silent}
    looked = servers.look_up()
    assert codes(looked) == ["fetch.no-answer", "registry.no-whois", "registry.unknown"]
    assert [each.contact.kind for each in looked.found] == [ContactKind.HOST, ContactKind.HOST_ABUSE]


def test_an_endless_whois_answer_is_cut(servers: Servers) -> None:
    servers.whois.answers |= {"pirate.com": whois_server.endless}
    looked = servers.look_up(rdap_url="")
    assert said(looked)[0] == ("registrar", "Endless", "whois")


def test_a_whois_server_is_asked_for_its_endings_and_for_addresses_if_it_says_so(servers: Servers) -> None:
    with WhoisServer({"pirate.com": b"Registrar: Of Com\n"}) as of_com, WhoisServer({}) as of_cn:
        looked = servers.look_up(
            rdap_url="", whois_servers=(f"cn={of_cn.place}", f"ip={servers.whois.place}", f"com={of_com.place}")
        )
    assert said(looked)[:2] == [("registrar", "Of Com", "whois"), ("host", "Cloud of Whois", "whois")]
    assert (of_cn.asked, of_com.asked, servers.whois.asked) == ([], ["pirate.com"], [ADDRESS])


def test_what_no_store_can_hold_is_left_out_of_an_answer(servers: Servers) -> None:
    name = "Evil\x00 \ud800\x1b[31mRegistrar"
    servers.web.routes |= {"/rdap/domain/pirate.com": as_rdap({"entities": [entity(["registrar"], name)]})}
    servers.whois.answers |= {"pirate.com": b"Registrar: Evil\x00 \x1b[31mRegistrar\n"}
    assert said(servers.look_up())[0] == ("registrar", "Evil \ufffd[31mRegistrar", "rdap")
    assert said(servers.look_up(rdap_url=""))[0] == ("registrar", "Evil [31mRegistrar", "whois")


def test_the_person_of_a_network_is_not_its_abuse_address() -> None:
    remark = "% Abuse contact for '1.2.3.0 - 1.2.3.255' is 'abuse@isp.example'\n"
    network = "inetnum: 1.2.3.0\nnetname: ISP-CN\nperson: Wang\ne-mail: wang@isp.example\n"
    assert [each.value for each in whois.host(network)] == ["ISP-CN"]
    assert [each.value for each in whois.host(remark + network)] == ["ISP-CN", "abuse@isp.example"]


def test_nobody_is_asked_while_no_server_is_named(servers: Servers) -> None:
    with pytest.raises(BadInput, match="registries are not queried"):
        servers.look_up(rdap_url="", whois_servers=())
    assert (servers.web.requested, servers.whois.asked, dict(servers.names.asked)) == ([], [], {})


def test_a_named_server_may_be_private_and_where_it_leads_may_not(servers: Servers) -> None:
    with WebServer({"/domain/pirate.com": as_rdap(OF_NAME)}) as inside:
        servers.web.routes |= {"/rdap/domain/pirate.com": redirect(inside.url("/domain/pirate.com"))}
        looked = servers.look_up(whois_servers=())
        assert inside.requested == []
    assert (codes(looked), "loopback" in str(looked.faults[0])) == (["core.not-fetched", "registry.unknown"], True)
    assert [each.contact.kind for each in looked.found] == [ContactKind.HOST, ContactKind.HOST_ABUSE]


def test_the_address_of_a_site_in_the_own_network_is_told_nobody(servers: Servers) -> None:
    servers.names.names[HOST] = ["10.0.0.7"]
    looked = servers.look_up()
    assert codes(looked) == ["registry.private-address"]
    assert not any("10.0.0.7" in path for path in servers.web.requested)


def test_a_question_is_one_line() -> None:
    guard, names = rdap.AddressGuard(), rdap.NameResolver()
    with pytest.raises(BadInput, match="neither a name nor an address"):
        whois.ask(whois.Host("127.0.0.1", 43), "a.example\r\nb.example", guard, names)
