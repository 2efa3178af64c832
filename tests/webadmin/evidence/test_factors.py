"""The sheet says of each factor what is there and what is missing; never that anything is proved."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from core.clock import ManualClock
from core.ids import Digest, VersionId
from core.wording import Message
from tests.support import admin_data, case_texts
from tests.support.admin_data import World
from tests.support.memory_evidence import MemoryEvidenceStore
from webadmin import stores
from webadmin.evidence.models import EvidenceBundle, Stamp
from webadmin.evidence.services import making as evidence
from webadmin.evidence.services.bundles import CheckTotals, close_days, note_check
from webadmin.evidence.services.factor_facts import gather_facts
from webadmin.evidence.services.factors import Factor, Facts, Regulation, describe_source, factor_sheet
from webadmin.evidence.services.making import EvidencePorts
from webadmin.evidence.services.subject import Subject
from webadmin.evidence.services.third_party import ProofDetails, add_proof
from webadmin.evidence.services.third_party_tasks import request_capture

NOW = datetime(2026, 3, 12, tzinfo=UTC)
RICH = Facts(
    holder="长河文学", cases=2, bundles=5, unbundled_matches=1,
    damaged=1, removed=1, checked=4, last_check=NOW, drawn=3,
    first_fetched=NOW - timedelta(days=2), last_fetched=NOW - timedelta(days=1), treed=4, stamped=3,
    authorities=("http://tsa.example/",), latest_stamp_after=timedelta(hours=20, seconds=1), looked_into=5,
    unreadable=1,
    sources={"connection": 2, "browser": 1, "archive": 1, "unknown": 1}, circumstances=2, certificates=4,
    through_proxy=1, programs=("0.1.0",), deeds=1, time_stamps=1, chains=1, platforms=("某存证平台",),
    stamped_by_others=1, named_by_others=2, tasks=2, overdue=1,
)  # fmt: skip
SHEETS = [Facts(holder="长河文学"), RICH]


def by_key(facts: Facts) -> dict[str, Factor]:
    return {each.key: each for each in factor_sheet(facts)}


def codes(messages: Any) -> set[str]:
    return {each.code.removeprefix("factor.") for each in messages}


def test_each_factor_of_both_laws_has_its_line() -> None:
    told = factor_sheet(RICH)
    assert [str(each.article) for each in told if each.law is Regulation.INTERNET_COURTS] == [
        f"11 ({n})" for n in range(1, 7)
    ]
    others = [str(each.article) for each in told if each.law is Regulation.ONLINE_LITIGATION]
    assert others == ["16", "17 (1)", "17 (2)", "17 (3)", "17 (4)", "18", "19"]
    assert "第十一条第（一）项" in describe_source(told[0]).in_language("zh")


@pytest.mark.parametrize("facts", SHEETS)
def test_nothing_is_called_proved_and_every_gap_says_more_than_that_it_is_one(facts: Facts) -> None:
    for factor in factor_sheet(facts):
        assert factor.missing or factor.key in {"verification", "integrity"}
        for message in (*factor.there, *factor.missing, factor.title, describe_source(factor)):
            for language, forbidden in (("en", ("proved", "proven")), ("zh", ("证明了", "足以证明", "已证明"))):
                words = message.in_language(language)
                assert not any(each in words for each in forbidden), words
                assert not words.startswith("factor."), "a code without words"
    [said] = [each for each in by_key(facts)["interest"].missing if each.code == "factor.own-interest"]
    assert "长河文学" in said.in_language("zh")
    assert "有利害关系" in said.in_language("zh")


def test_figures_stand_in_the_lines() -> None:
    told = by_key(RICH)
    assert codes(told["environment"].there) == {"circumstances"}
    assert codes(told["environment"].missing) == {"no-circumstances", "through-proxy", "own-computer"}
    assert Message("factor.stamp-after", hours=21) in told["origin"].there
    assert Message("factor.unstamped", count=2, waiting=1) in told["origin"].missing
    assert codes(told["keeping"].missing) == {"unchecked", "removed", "own-keeping"}
    assert codes(told["extraction"].missing) == {"by-archive", "by-nobody", "page-changes"}
    assert {"damaged", "unreadable", "withheld", "unstamped"} == codes(told["integrity"].missing)
    assert "stamped-by-others" in codes(told["verification"].there)
    assert "overdue" in codes(told["interest"].missing)
    assert "nobody-else" not in codes(told["interest"].missing)
    line = told["keeping"].as_dict()
    words = "bundles in a store that keeps each one under its digest and never overwrites it: 5"
    assert line["law"] == "internet-courts-2018"
    assert line["there"][0] == {"code": "factor.kept", "params": {"count": 5}, "text": words}
    bare = by_key(Facts(holder="长河文学"))
    assert codes(bare["environment"].missing) == codes(bare["verification"].missing) == {"no-bundle"}
    assert codes(bare["interest"].missing) == {"own-interest", "nobody-else"}
    assert not any(each.there for each in bare.values())


@pytest.mark.django_db
class TestGathered:
    @pytest.fixture
    def store(self, monkeypatch: pytest.MonkeyPatch) -> MemoryEvidenceStore:
        kept = MemoryEvidenceStore()
        monkeypatch.setattr(stores, "evidence_store", lambda: kept)
        return kept

    @pytest.fixture
    def world(self, store: MemoryEvidenceStore, monkeypatch: pytest.MonkeyPatch) -> World:
        texts = case_texts.use(monkeypatch)
        ports = EvidencePorts(texts.pages, texts.works, store, ManualClock(NOW))
        world = admin_data.fill_world(2)
        case_texts.keep_estate(texts, world.ours)
        for case in world.ours.cases:
            evidence.create_bundles(VersionId(case.version_id), ports)
        return world

    def test_of_a_case_from_its_bundles(self, world: World, store: MemoryEvidenceStore) -> None:
        case = world.ours.cases[0]
        found = gather_facts(Subject(case=case), NOW)
        assert (found.cases, found.bundles, found.unbundled_matches) == (1, 1, 0)
        assert (found.looked_into, found.unreadable) == (1, 0)
        assert (found.treed, found.stamped, found.checked, found.latest_stamp_after) == (0, 0, 0, None)
        assert sum(found.sources.values()) == 1
        assert found.programs == ("0.1.0",)
        of_matter = gather_facts(Subject(matter=case.matter), NOW)
        assert of_matter.bundles == EvidenceBundle.objects.filter(case__matter=case.matter).count() == 1
        assert of_matter.holder == world.ours.holder.name
        row = EvidenceBundle.objects.get(case=case)
        store.damage(Digest(row.digest), lambda content: content[:-1])
        assert gather_facts(Subject(case=case), NOW).unreadable == 1

    def test_stamps_trees_checks_and_others(self, world: World) -> None:
        case = world.ours.cases[0]
        row = EvidenceBundle.objects.get(case=case)
        trees = {tree.day: tree for tree in close_days(NOW.date(), NOW)}
        at = row.fetched_at + timedelta(hours=30)
        Stamp.objects.create(
            tree=trees[row.day], authority="http://tsa.example/", query=b"q", response=b"r", ca_pem=b"c",
            stamped_at=at, received_at=at,
        )  # fmt: skip
        note_check((), NOW, NOW, CheckTotals(2, 10))
        EvidenceBundle.objects.update(made_at=NOW - timedelta(days=1))
        subject = Subject(case=case)
        paper = ProofDetails("chain", "某中心", "0x1", date(2026, 3, 11), platform="某存证平台")
        file = ("存证.txt", row.digest.encode())
        add_proof(subject, paper, file, by=world.ours.manager, now=NOW)
        request_capture(subject, "公证处", date(2026, 3, 13), by=world.ours.reviewer, now=NOW)
        found = gather_facts(subject, NOW + timedelta(days=5))
        assert (found.treed, found.stamped, found.authorities) == (1, 1, ("http://tsa.example/",))
        assert found.latest_stamp_after == timedelta(hours=30)
        assert (found.chains, found.platforms, found.named_by_others) == (1, ("某存证平台",), 1)
        assert (found.tasks, found.overdue) == (1, 1)
