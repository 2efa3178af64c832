"""The verb `leads`: the list, one with its sentences, in both languages and for programs."""

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
    leads(second.pk)
    assert "no longer found since" in capsys.readouterr().out


def test_a_lead_is_shown_safely_side_by_side_and_in_chinese(
    chain: RewordedChain, speak: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    lead = chain.leads()[0]
    leads(lead.pk)
    said = capsys.readouterr().out
    page, work = lead.pairs[-1][:2], lead.pairs[-1][2:4]
    text = f"{INNOCENT}\n{GIVEN.text}"
    assert "A statistical comparison of meaning." in said
    assert "of 20,486 unrelated passages" in said
    assert text[page[0] : page[1]].split(maxsplit=1)[0] in said
    assert GIVEN.source[work[0] : work[1]].split()[0] in said
    assert "\x1b" not in said
    leads("show", lead.pk, "--json")
    record = json.loads(capsys.readouterr().out)
    assert len(record["sentences"]) == len(record["pairs"]) == lead.pair_count
    speak("zh")
    leads()
    leads(lead.pk)
    said = "".join(capsys.readouterr())
    assert "改写（线索）" in said
    assert "不能证明存在复制" in said
    assert not any(word in said for word in ("洗稿", "抄袭"))


def test_what_is_not_there_is_named(chain: RewordedChain) -> None:
    with pytest.raises(BadInput, match="no suspected rewrite 999"):
        leads("999")
    with pytest.raises(BadInput, match="no suspected rewrite 'x'"):
        leads("x")
    with pytest.raises(NotFound):
        leads("--holder", "丙")
    RewordedLead.objects.update(work_text_digest="0" * 64)
    with pytest.raises(BadInput, match="the compared text of the work of suspected rewrite"):
        leads(chain.leads()[0].pk)


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


def test_a_letter_is_written_and_the_lead_says_whether_it_still_stands(
    chain: RewordedChain, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lead, out = chain.leads()[0], tmp_path / "letter.txt"
    with pytest.raises(BadInput, match="once a person has confirmed"):
        leads("letter", lead.pk, "--out", out)
    decide_lead(lead, RewordedState.CONFIRMED, User.objects.create_superuser("管理员"))
    leads("letter", lead.pk, "--out", out)
    assert str(out) in capsys.readouterr().out
    assert "作品：" in out.read_text("utf-8")
    leads("letter", lead.pk, "--out", tmp_path / "letter.DOCX", "--language", "en")
    assert (tmp_path / "letter.DOCX").read_bytes().startswith(b"PK")
    with pytest.raises(BadInput, match="docx or txt"):
        leads("letter", lead.pk, "--out", tmp_path / "letter.pdf")
    capsys.readouterr()
    leads(lead.pk)
    assert "last found on 2026-03-01" in capsys.readouterr().out
    chain.add_page(INNOCENT, urlsplit(lead.page_url).path)
    chain.search()
    leads(lead.pk)
    assert "not found in the newest version" in capsys.readouterr().out
    leads()
    assert "confirmed by a person, not found since 2026-03-01\t" in capsys.readouterr().out
    with pytest.raises(BadInput, match="newest version of the page since 2026-03-01"):
        leads("letter", lead.pk, "--out", out)
