"""What a measurement of speed holds, on texts of a few thousand characters; never how fast anything was."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import redis

from core.errors import BadInput, BrokenInvariant, ServiceUnavailable
from laboratory.cases.folder import sources
from laboratory.measures.quality import Listener
from laboratory.speed import fingerprints, matching
from laboratory.speed.clock import Taken, best
from laboratory.speed.figures import notes, tables
from laboratory.speed.machine import machine
from laboratory.speed.matching import MEMORY, REDIS, SNAPSHOT
from laboratory.speed.parts import MATCHING, PARTS, Plan, SpeedResults, as_dict, measure
from laboratory.speed.peers import PRODUCT, contenders
from laboratory.speed.redis_server import measured_redis
from laboratory.speed.targets import Target, Verdict
from laboratory.speed.texts import MIX, Material, material, slices
from tests.support.redis_server import redis_url

__all__ = ["redis_url"]

TEXTS = Path(__file__).parents[2] / "quality" / "texts"
WORKS_CHARS, PAGES = 40_000, 20


def quiet(_: object) -> None:
    pass


def plan(tmp_path: Path, url: str | None = None) -> Plan:
    return Plan(
        corpora=tmp_path,
        texts=TEXTS,
        seed=7,
        works_chars=WORKS_CHARS,
        pages=PAGES,
        long_chars=2_000,
        rounds=2,
        redis_url=url,
        without_redis="" if url else "there is none",
        parts=("fingerprints", "matching"),
    )


def measured(plan: Plan) -> tuple[SpeedResults, list[tuple[str, int, int]]]:
    seen: list[tuple[str, int, int]] = []
    listener = Listener(quiet, lambda label: lambda done, total: seen.append((label, done, total)))
    return measure(plan, listener), seen


@pytest.fixture(scope="module")
def prepared() -> Material:
    return material(sources(TEXTS, 7), WORKS_CHARS, PAGES, 7, quiet)


def test_the_works_have_exactly_the_size_asked_for_and_the_pages_one_length(prepared: Material) -> None:
    assert prepared.works_chars == WORKS_CHARS > prepared.real_chars > 5_000
    assert len(set(prepared.works)) == len(prepared.works)
    assert {len(page) for page in prepared.pages} == {2_500}
    assert len(prepared.pages) == PAGES == sum(prepared.mix.values())
    assert set(prepared.mix) <= set(MIX)
    assert 1 <= prepared.mix["negative"] <= round(MIX["negative"] * PAGES)


def test_the_same_seed_makes_the_same_material(prepared: Material) -> None:
    assert material(sources(TEXTS, 7), WORKS_CHARS, PAGES, 7, quiet) == prepared


def test_too_little_to_measure_on_is_refused() -> None:
    for works_chars, pages in ((10, 5), (WORKS_CHARS, 0)):
        with pytest.raises(BadInput):
            material(sources(TEXTS, 7), works_chars, pages, 7, quiet)


def test_slices_are_of_one_length_unless_there_is_less_than_one() -> None:
    assert slices(["一" * 7, "二" * 4], 5, 9) == ["一" * 5, "一一\n二二"]
    assert slices(["一" * 7], 5, 1) == ["一" * 5]
    assert slices(["一二"], 5, 3) == ["一二"]


def test_the_best_of_rounds_is_the_least_of_each_clock() -> None:
    assert best([Taken(1.0, 5.0), Taken(2.0, 3.0)]) == Taken(1.0, 3.0)
    assert Taken(1.0, 2.0) + Taken(0.5, 0.25) == Taken(1.5, 2.25)


def test_every_peer_makes_something_of_a_text() -> None:
    present, absent = contenders()
    assert {"datasketch", "rensa", "gaoya", "simhash"} == {each.package for each in present if each.package} | {
        each.package for each in absent
    }
    assert present[0].name == PRODUCT
    for contender in present:
        made = contender.make("家里来了客人，泡的是超市里论斤称的炒青。")
        assert made is not None or contender.package == "gaoya", contender.name  # which keeps what it makes


@pytest.mark.usefixtures("processes")
def test_a_peer_that_is_not_there_is_named_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> object:
        raise ModuleNotFoundError(f"No module named '{name}'")

    monkeypatch.setattr("laboratory.speed.peers.import_module", absent)
    kinds = {"short": ["家里来了客人，泡的是炒青。" * 20]}
    speeds = fingerprints.measured(kinds, 1, lambda *_: None)
    assert [each.package for each in speeds.absent] == ["datasketch", "rensa", "gaoya", "simhash"]
    assert "No module named 'rensa'" in speeds.absent[1].reason
    assert speeds.fastest_of("rensa", "short") is None
    results = SpeedResults(machine(0.0, ""), 1, 1, {}, speeds, None, ())
    assert any(line.startswith("gaoya is not installed") for line in notes(results))
    assert [target.unit for target in results.targets] == ["M characters/s"]


def test_all_indexes_are_measured_on_the_same_pages_and_agree(tmp_path: Path, redis_url: str) -> None:
    results, seen = measured(plan(tmp_path, redis_url))
    assert results.matching is not None
    assert [each.index for each in results.matching.speeds] == [MEMORY, REDIS, SNAPSHOT]
    for each in results.matching.speeds:
        assert (each.pages, each.rounds) == (PAGES, 2)
        assert 0 < each.median_ms <= each.p99_ms <= each.slowest_ms
        assert each.taken.processor_s > 0 < each.taken.wall_s
        assert results.mix["full"] < each.matched_pages <= PAGES
    held = results.matching.memory
    assert held.redis_bytes is not None
    assert held.snapshot_bytes is not None
    assert 1 < held.redis_bytes / WORKS_CHARS < 20  # a small index is mostly what keys cost
    assert held.snapshot_bytes > 2 * 0.8 * WORKS_CHARS
    assert held.texts_bytes > 2 * WORKS_CHARS
    assert results.machine.redis.startswith(("6", "7", "8"))
    for label in ("fingerprints", "matching"):
        own = [(done, total) for name, done, total in seen if name == label]
        assert own == [(number + 1, len(own)) for number in range(len(own))]
    assert redis.Redis.from_url(redis_url).dbsize() == 0  # as empty as it was


@pytest.mark.usefixtures("processes")
def test_tables_and_json_tell_every_figure(tmp_path: Path) -> None:
    results, _ = measured(plan(tmp_path))
    assert results.fingerprints is not None
    by_title = {each.title.split(",")[0].split(" in ")[0]: each for each in tables(results)}
    assert list(by_title) == ["Fingerprints", "Matching", "Memory", "Targets"]
    shown = by_title["Fingerprints"]
    assert all(len(row) == len(each.columns) for each in tables(results) for row in each.rows)
    assert [row[-1] for row in shown.rows if row[1] == PRODUCT] == ["1.0", "1.0"]
    assert len(shown.rows) == len(results.fingerprints.speeds) == 2 * len(contenders()[0])
    assert ("Redis, everything included", "-", "-") in by_title["Memory"].rows
    assert any("without Redis and snapshot: there is none" in line for line in notes(results))
    read = json.loads(json.dumps(as_dict(results)))
    assert read["matching"]["speeds"][0]["index"] == MEMORY
    assert {target["verdict"] for target in read["targets"]} <= set(Verdict)
    assert read["works_chars"] == WORKS_CHARS


def test_a_database_that_holds_something_is_refused_and_left_alone(redis_url: str) -> None:
    client = redis.Redis.from_url(redis_url)
    client.set("somebody's", "value")
    try:
        with pytest.raises(BadInput, match="holds 1 keys"), measured_redis(redis_url):
            pass
        assert client.get("somebody's") == b"value"
    finally:
        client.delete("somebody's")


@pytest.mark.usefixtures("loopback")
def test_no_server_and_no_address_are_one_sentence() -> None:
    with pytest.raises(ServiceUnavailable), measured_redis("redis://127.0.0.1:1/0"):
        pass
    with pytest.raises(BadInput, match="no address"), measured_redis("http://127.0.0.1"):
        pass


def test_an_unknown_part_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no part nothing; choose of"):
        measure(replace(plan(tmp_path), parts=(MATCHING, "nothing")), Listener(quiet, lambda _: lambda *_: None))
    assert PARTS == ("fingerprints", "matching", "long")


def test_indexes_that_disagree_are_no_measurement(
    prepared: Material, monkeypatch: pytest.MonkeyPatch, redis_url: str
) -> None:
    monkeypatch.setattr(matching, "_in_redis", _with_nothing)
    with measured_redis(redis_url) as server, pytest.raises(BrokenInvariant):
        matching.measured(prepared, 1, server, quiet, lambda *_: None)


def _with_nothing(_: object, server: matching.MeasuredRedis) -> object:
    server.index.clear()
    return matching._entrant(REDIS, server.index, matching.MemoryCorpus(), Taken(0, 0), server)


@pytest.mark.parametrize(
    ("target", "verdict"),
    [
        (Target("of", "pages/s", 400, 500, 450), Verdict.MET),
        (Target("of", "pages/s", 400, 500, 300), Verdict.BY_PROCESSOR),
        (Target("of", "pages/s", 400, 300, 200), Verdict.MISSED),
        (Target("of", "bytes", 3, 2.9, None, is_most=True), Verdict.MET),
        (Target("of", "bytes", 3, 3.1, None, is_most=True), Verdict.MISSED),
    ],
)
def test_a_target_is_met_by_the_clock_or_by_the_processor_alone_or_not(target: Target, verdict: Verdict) -> None:
    assert target.verdict is verdict
