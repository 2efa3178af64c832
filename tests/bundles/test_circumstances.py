"""The circumstances of a capture: what a bundle says of them, what it does not, and that it is held to its heads."""

from collections.abc import Mapping
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from bundles import bundle
from bundles.canonical import canonical
from bundles.faults import DoesNotHold, Fault
from bundles.opened import open_bundle
from bundles.records import CapturedPage, CaseMaterial, ProvenBundle
from core.captures import CaptureSource
from core.circumstances import BrowserProfile, NetworkRoute
from documents.explanation_blocks import BOTH_LANGUAGES
from tests.bundles.test_bundle import rebuilt
from tests.support.evidence_samples import (
    FETCHED,
    MACHINE,
    MADE,
    SALT,
    WAY,
    bare_capture,
    capture,
    finding,
    with_fields,
)
from webadmin.evidence.services import export


def made(given: CapturedPage) -> bytes:
    return bundle.make(given, finding(), made_at=MADE, salt=SALT).content


def said_of(given: CapturedPage) -> dict[str, Any]:
    said = open_bundle(made(given), "bundle").circumstances
    assert said is not None
    return dict(said)


def lacking(said: Mapping[str, Any]) -> list[str]:
    return [each["what"] for each in said["not_recorded"]]


def test_a_bundle_names_the_machine_the_program_and_the_route_of_its_capture() -> None:
    said = said_of(capture())
    (machine,) = said["machines"]
    assert (machine["host"], machine["system"]) == (MACHINE.host, MACHINE.system)
    assert machine["program"]["files_digest"] == MACHINE.program.digest
    assert machine["resolver_file"] == ["nameserver 192.0.2.53"]
    assert machine["hosts_file"] == {"digest": MACHINE.hosts_digest, "bytes": 49}
    assert machine["clock"][0]["offset_s"] == 0.012
    assert machine["clock"][1]["fault"] == "no-answer"
    told = [each["why"]["en"] for each in said["not_recorded"] if each["what"] == "clock"]
    assert told == ["clock offset from away.example: it did not respond"]
    hop, page = said["exchanges"]
    assert (hop["way"], page["machine"]) == (None, 0)
    assert page["way"]["gateway"] == WAY.gateway
    assert page["way"]["hosts_lines"] == ["203.0.113.9 m.daoban.example"]
    assert page["validators"] == []
    assert page["caches"] == {"age": "31", "via": "1.1 b?cher X: y"}


def test_what_could_not_be_recorded_is_said_in_both_languages() -> None:
    said = said_of(capture(machine=replace(MACHINE, clock=(), resolver_lines=None, hosts_digest=None)))
    assert {"clock", "resolver", "hosts file", "route beyond the gateway"} <= set(lacking(said))
    for each in said["not_recorded"]:
        assert each["why"]["en"].isascii()
        assert not each["why"]["zh"].isascii()
        assert not any(reason.startswith(("circumstance.", "clock.")) for reason in each["why"].values())


def test_pages_of_another_release_and_of_archives_say_that_nobody_noted_it() -> None:
    bare = replace(bare_capture().page, way=None)
    old = said_of(with_fields(bare_capture(), exchanges=(bare,), machine=None))
    assert (old["machines"], lacking(old)) == ([], ["machine"])
    archived = said_of(capture(machine=None, source=CaptureSource.ARCHIVE))
    assert "someone else" in archived["not_recorded"][0]["why"]["en"]


def test_a_proxy_is_named_and_what_only_it_knows_is_said() -> None:
    page = replace(capture().page, way=NetworkRoute("192.0.2.2", "eth0", "192.0.2.1", (), "http://proxy.example:8080"))
    said = said_of(capture(exchanges=(page,)))
    assert said["exchanges"][0]["way"]["proxy"] == "http://proxy.example:8080"
    assert "route behind the proxy" in lacking(said)


def changed(said: dict[str, Any]) -> bytes:
    return rebuilt(made(capture()), {bundle.CIRCUMSTANCES: canonical(said)})


@pytest.mark.parametrize(
    ("name", "value"),
    [("validators", ["if-none-match"]), ("validators", None), ("caches", {}), ("machine", 1), ("machine", "0")],
)
def test_what_contradicts_the_recorded_heads_or_names_no_machine_does_not_hold(name: str, value: object) -> None:
    said = said_of(capture())
    said["exchanges"][1][name] = value
    with pytest.raises(DoesNotHold) as caught:
        open_bundle(changed(said), "bundle")
    assert (caught.value.fault, caught.value.part) == (Fault.CONTRADICTS, f"bundle > {bundle.CIRCUMSTANCES}")


def test_the_explanation_tells_them_in_both_languages() -> None:
    profile = BrowserProfile(FETCHED, 3, is_from_cache=False)
    files = exported(made(capture(profile=profile, source=CaptureSource.BROWSER, made_with="Chromium 142")))
    page = unescape(files["README.html"].decode())
    told = ("heading", "host", "clock", "not-recorded", "profile", "in-full", "no-store", "from-cache-no")
    for words in BOTH_LANGUAGES:
        assert all(words(f"explanation.capture-{name}") in page for name in told)
    assert "192.0.2.2 (eth0) → 192.0.2.1 → 203.0.113.9" in page
    assert "+0.012" in page
    assert "away.example" in page


def exported(*contents: bytes) -> dict[str, bytes]:
    material = CaseMaterial(7, {"work": "桂花开得晚"}, [ProvenBundle(each) for each in contents])
    return export.export_files(material, "0.1.0", created=MADE)
