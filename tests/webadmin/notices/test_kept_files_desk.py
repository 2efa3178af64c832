"""The lists of papers and templates say what is in force; a file is taken back from its own page, once asked."""

from collections.abc import Callable
from datetime import date

import pytest
from django.test import Client
from django.urls import reverse

from core.addressees import Paper
from tests.support.admin_data import World, keep_paper
from tests.support.desk import english, list_url, record_url, shown
from webadmin.notices.models import HolderPaper, PaperTemplate
from webadmin.notices.services.kept_files import add_template
from webadmin.notices.services.standard_templates import standard_template

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_store")]
CASES = 2
SUBMITTED = {"_form_submitted": "True"}  # of a dialog


@pytest.fixture
def desk(world: World) -> Callable[[str], Client]:
    def of(role: str) -> Client:
        return english(getattr(world.ours, role))

    return of


def paper(world: World, name: str = "授权委托书.pdf", **given: date) -> HolderPaper:
    content = f"%PDF-1.7\n{name}{given}".encode()
    return keep_paper(world.ours.holder, HolderPaper.Kind.AUTHORITY, name, content, world.ours.manager, **given)


def take_back_address(row: HolderPaper | PaperTemplate) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_take_back_one", args=[row.pk])


def test_a_manager_takes_a_file_back_once(world: World, desk: Callable[[str], Client]) -> None:
    row = paper(world)
    assert take_back_address(row) in shown(desk("manager"), record_url(row))
    assert take_back_address(row) not in shown(desk("reviewer"), record_url(row))
    assert "Withdraw this file?" in shown(desk("manager"), take_back_address(row))
    assert desk("reviewer").post(take_back_address(row), SUBMITTED).status_code == 403
    row.refresh_from_db()
    assert row.withdrawn_at is None
    manager = desk("manager")
    answer = manager.post(take_back_address(row), SUBMITTED, HTTP_HX_REQUEST="true")
    assert answer.headers["HX-Redirect"] == record_url(row)
    row.refresh_from_db()
    assert row.withdrawn_by == world.ours.manager
    page = shown(manager, record_url(row))
    assert take_back_address(row) not in page
    assert "Undone: 1." in page
    again = desk("manager").post(take_back_address(row), SUBMITTED, follow=True).content.decode()
    assert "Undone: 1." not in again


def test_the_list_of_templates_says_which_one_is_used(world: World, desk: Callable[[str], Client]) -> None:
    content = standard_template(Paper.ARTICLE_14)
    for name in ("旧.docx", "新.docx"):
        add_template(world.ours.holder, Paper.ARTICLE_14, name, content, world.ours.manager)
    add_template(world.theirs.holder, Paper.ARTICLE_14, "别家.docx", content, world.theirs.manager)
    rows = shown(desk("reviewer"), list_url(PaperTemplate)).partition('id="result_list"')[2]
    by_name = {name: rows.partition(name)[2].partition("</tr>")[0] for name in ("旧.docx", "新.docx", "模板.docx")}
    assert "replaced by a newer one" in by_name["旧.docx"]
    assert "in use" in by_name["新.docx"]
    assert "permanently withdrawn" in by_name["模板.docx"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"valid_from": date(2026, 1, 1), "valid_until": date(2026, 12, 31)}, "2026-01-01 – 2026-12-31"),
        ({"valid_from": date(2026, 1, 1)}, "from 2026-01-01"),
        ({"valid_until": date(2026, 12, 31)}, "until 2026-12-31"),
        ({}, "no end"),
    ],
)
def test_a_paper_says_from_when_until_when_and_for_which_works(
    world: World, desk: Callable[[str], Client], given: dict[str, date], words: str
) -> None:
    row = paper(world, **given)
    for address in (list_url(HolderPaper), record_url(row)):
        page = shown(desk("reviewer"), address)
        assert words in page
        assert "all works" in page
