"""The command `leads` in both languages and for programs, and the export of a lead."""

import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import typer

from bundles.verification import check_file
from core.errors import BadInput, NotFound
from core.matches import RewordedState
from deploy.cli.app import build
from deploy.cli.evidence import export
from tests.support import admin_data
from tests.support.encoders import needs_encoder
from tests.support.reworded_chain import RewordedChain, other_words, reworded_chain
from tests.support.rewritten import INNOCENT
from tests.support.spoken_verbs import spoken
from webadmin import stores
from webadmin.accounts.models import RightsHolder, User
from webadmin.rewrites.cli import leads as leads_verb
from webadmin.rewrites.models import RewordedLead
from webadmin.rewrites.services.verdicts import decide_lead
from webadmin.ui.console import session

pytestmark = [pytest.mark.django_db, needs_encoder]

GIVEN = other_words()


@pytest.fixture
def speak(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    with spoken(monkeypatch, leads_verb, session) as speaking:
        yield speaking


@pytest.fixture
def chain(speak: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> RewordedChain:
    """Two pages with a lead each."""
    made = reworded_chain()
    made.add_work(GIVEN.source)
    for number in (1, 2):
        made.add_page(f"{INNOCENT}\n{GIVEN.text}", f"/{number}", title=f"转载{number}\x1b[31m")
    made.search()
    monkeypatch.setattr(stores, "page_store", lambda: made.ports.pages)
    monkeypatch.setattr(stores, "work_store", lambda: made.ports.works)
    return made


def leads(*given: object) -> None:
    """The verb as it is typed."""
    typer.main.get_command(build(["leads"])).main(["leads", *map(str, given)], standalone_mode=False)


def test_the_list_has_one_holders_leads_or_all(chain: RewordedChain, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = chain.leads()
    leads()
    said = capsys.readouterr()
    rows = [line.split("\t") for line in said.out.splitlines()]
    assert [row[0] for row in rows[1:]] == [str(second.pk), str(first.pk)]
    assert rows[1][2:6] == ["suspected rewrite", "河", "第一章", "pirate.example"]
    assert f"{first.pair_count} of {first.sentence_count}" in said.out
    assert "Suspected rewrites and translations: 2." in said.err
    assert "It does not prove copying" in said.err
    leads("--limit", 1)
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 2
    assert "1 more of 2" in said.err
    RightsHolder.objects.create(name="乙")
    leads("--holder", "乙", "--json")
    assert json.loads(capsys.readouterr().out) == []
    RewordedLead.objects.filter(pk=second.pk).update(lapsed_at=chain.clock.now())
    leads("--holder", chain.holder.pk, "--json")
    (record,) = json.loads(capsys.readouterr().out)
    assert (record["id"], record["class"], record["work"], record["state"]) == (first.pk, "reworded", "河", "waiting")
    assert len(record["pairs"]) == first.pair_count


def test_the_list_is_chinese_and_accuses_nobody(
    chain: RewordedChain, speak: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    speak("zh")
    leads()
    said = "".join(capsys.readouterr())
    assert "改写（线索）" in said
    assert "不能证明存在复制" in said
    assert not any(word in said for word in ("洗稿", "抄袭"))


def test_what_is_not_there_is_named(chain: RewordedChain, tmp_path: Path) -> None:
    for number in ("999", "'x'"):
        with pytest.raises(BadInput, match=f"no suspected rewrite {number}"):
            export(number.strip("'"), tmp_path / "lead.zip", is_lead=True)
    with pytest.raises(NotFound):
        leads("--holder", "丙")


def test_the_evidence_of_a_confirmed_one_is_a_file_that_holds(
    chain: RewordedChain, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lead, out = chain.leads()[0], tmp_path / "lead.zip"
    with pytest.raises(BadInput, match="once a person has confirmed it"):
        export(str(lead.pk), out, is_lead=True)
    decide_lead(lead, RewordedState.CONFIRMED, admin_data.user("li", chain.holder), clock=chain.clock)
    export(str(lead.pk), out, is_lead=True)
    said = capsys.readouterr()
    assert "bundles 1" in said.out
    assert "has no time stamp" in said.err
    assert check_file(out).lead == lead.pk
    for is_named in (False, True):
        export(str(lead.pk), out, is_lead=True, with_names=is_named)
        with zipfile.ZipFile(out) as file:
            (verdict,) = json.loads(file.read("lead.json"))["facts"]["verdicts"]
        assert verdict["by"] == ("li" if is_named else "reviewer")
    for number, given, why in (
        ("999", {}, "no suspected rewrite 999"),
        (str(lead.pk), {"is_removal": True}, "either --lead or"),
    ):
        with pytest.raises(BadInput, match=why):
            export(number, out, is_lead=True, **given)


def test_a_confirmed_lead_stays_in_the_list_and_says_since_when_it_is_not_found(
    chain: RewordedChain, capsys: pytest.CaptureFixture[str]
) -> None:
    lead = chain.leads()[0]
    decide_lead(lead, RewordedState.CONFIRMED, User.objects.create_superuser("管理员"))
    chain.add_page(INNOCENT, urlsplit(lead.page_url).path)
    chain.search()
    leads()
    assert "confirmed by a person, not found since 2026-03-01\t" in capsys.readouterr().out
