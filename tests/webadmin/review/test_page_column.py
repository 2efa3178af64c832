"""The page of a case as text, as it came, and as a picture."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from core.marks import Mark
from core.text import TextRange
from tests.support import admin_data, case_texts
from tests.support.admin_data import World
from tests.support.case_texts import Texts
from webadmin.cases.models import Case, CaseMatch
from webadmin.evidence.models import EvidenceBundle

CASES = 4

pytestmark = pytest.mark.django_db

WORK = "渡口的灯是在立冬那天熄的。老周把船缆系好。"
CLEAN = "序\n渡口的灯是在立冬那天熄的。老周把船缆系好。"
HIDDEN, ADVERT = "<b>盗</b>", "请记住本站网址"
RAW = f"序\n渡口的{HIDDEN}灯是在立冬那天熄的。{ADVERT}老周把船缆系好。"


def mark(kind: str, taken: str, before: str) -> Mark:
    """Return the mark of what was taken out of RAW."""
    start, place = RAW.index(taken), CLEAN.index(before)
    return Mark(kind, TextRange(start, start + len(taken)), TextRange(place, place))


MARKS = (mark("hidden_text", HIDDEN, "灯是"), mark("site_advertisement", ADVERT, "老周"))


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> Texts:
    return case_texts.use(monkeypatch)


@pytest.fixture
def case(world: World, texts: Texts) -> Case:
    case = world.ours.cases[3]
    texts.keep_case(case, CLEAN, WORK, raw_text=RAW, marks=MARKS)
    span = {"page": [2, len(CLEAN)], "work": [0, len(WORK)], "similarity": 1.0, "changes": [],
            "page_excerpt": WORK, "work_excerpt": WORK}  # fmt: skip
    case.matches.update(spans=[span])
    return case


def column(client: Client, case: Case, view: str, **headers: str) -> str:
    address = reverse("admin:cases_case_change", args=[case.pk])
    page = client.get(address, {"column": view}, headers=headers).content.decode()
    return page[page.index('data-side="page"') :].partition("</article>")[0]


def plain(markup: str) -> str:
    return re.sub("<[^>]*>", "", markup)


def test_the_page_as_it_came_has_all_of_it_and_marks_what_was_hidden_or_mixed_in(reviewer: Client, case: Case) -> None:
    shown = column(reviewer, case, "came")
    assert HIDDEN not in shown
    assert (
        '<span class="zw-came zw-came-hidden_text" role="group" title="hidden text">&lt;b&gt;盗&lt;/b&gt;</span>'
        in shown
    )
    assert f'zw-came-site_advertisement" role="group" title="site advertisements">{ADVERT}<' in shown
    assert "".join(RAW.split()) in "".join(plain(shown).replace("&lt;", "<").replace("&gt;", ">").split())
    assert re.findall(r"<li><span[^>]*>([^<]*)</span>", shown) == ["hidden text", "site advertisements"]


def test_the_passages_of_the_page_as_it_came_are_those_of_its_text(reviewer: Client, case: Case) -> None:
    shown = column(reviewer, case, "came")
    copied = "".join(re.findall(r'data-pair="1">(.*?)</span></span>', shown, re.DOTALL))
    assert plain(copied).startswith("渡口的&lt;b&gt;盗")
    assert plain(copied).endswith("系好。")
    assert "序" not in copied


def test_the_text_is_shown_unless_something_else_is_asked_for(reviewer: Client, case: Case) -> None:
    for asked in ("", "text", "<x>"):
        shown = column(reviewer, case, asked)
        assert 'data-view="text"' in shown
        assert ADVERT not in shown


def test_a_script_gets_the_column_alone(reviewer: Client, case: Case) -> None:
    address = reverse("admin:cases_case_change", args=[case.pk])
    answer = reviewer.get(address, {"column": "came"}, headers={"X-Requested-With": "XMLHttpRequest"})
    page = answer.content.decode()
    assert page.lstrip().startswith("<article")
    assert ADVERT in page
    assert "default-src 'none'" in answer["Content-Security-Policy"]


def test_a_page_on_which_nothing_was_undone_says_so(reviewer: Client, case: Case, texts: Texts) -> None:
    other = f"{CLEAN}完"
    texts.keep_case(case, other, WORK)
    shown = column(reviewer, case, "came")
    assert "Nothing was undone" in shown
    assert "".join(other.split()) in "".join(plain(shown).split())


def test_a_page_that_is_no_longer_stored_says_so(reviewer: Client, case: Case) -> None:
    CaseMatch.objects.filter(case=case).update(page_text_digest="0" * 64)
    assert "no longer in the page store" in column(reviewer, case, "came")


def test_the_picture_is_the_screenshot_of_the_version_that_was_compared(reviewer: Client, case: Case) -> None:
    assert "There is no screenshot of this version of the page yet." in column(reviewer, case, "picture")
    pages = [{"page": 1, "screenshot": True, "pdf": True}, {"page": 2, "screenshot": True, "pdf": False}]
    drawn = admin_data.evidence_bundle(case, kind=EvidenceBundle.Kind.DRAWN, drawn_pages=pages)
    shown = column(reviewer, case, "picture")
    pictures = [f"?bundle={drawn.pk}&amp;shown=screenshot{page}" for page in ("", "-2")]
    assert re.findall(r'<img src="([^"]*)"', shown) == pictures
    EvidenceBundle.objects.filter(pk=drawn.pk).update(version_id="another")
    assert "<img" not in column(reviewer, case, "picture")
    EvidenceBundle.objects.filter(pk=drawn.pk).update(version_id=drawn.version_id)
    admin_data.removal(drawn)
    assert "<img" not in column(reviewer, case, "picture")


def test_the_newest_drawing_with_a_screenshot_is_shown(reviewer: Client, case: Case) -> None:
    with_both = [{"page": 1, "screenshot": True, "pdf": True}, {"page": 2, "screenshot": False, "pdf": True}]
    only_pdf = [{"page": 1, "screenshot": False, "pdf": True}]
    made = []
    for day, pages in enumerate((with_both, with_both, only_pdf)):
        match = case.matches.order_by("pk")[0]
        if day:
            match.pk, match.text_id = None, f"{day}" * 40
            match.save()
        at = admin_data.NOW + timedelta(days=day)
        made.append(
            admin_data.evidence_bundle(
                case, match=match, kind=EvidenceBundle.Kind.DRAWN, drawn_pages=pages, made_at=at, digest=f"{day}" * 64
            )
        )
    older, newer, _ = made
    for shown in (newer, older):
        pictures = re.findall(r'<img src="([^"]*)"', column(reviewer, case, "picture"))
        assert pictures == [f"?bundle={shown.pk}&amp;shown=screenshot"]
        EvidenceBundle.objects.filter(pk=newer.pk).update(state=EvidenceBundle.State.MISSING)


def test_a_page_that_could_not_be_drawn_says_so(reviewer: Client, case: Case) -> None:
    admin_data.evidence_bundle(case, drawing=EvidenceBundle.Drawing.FAILED)
    assert "The page could not be rendered." in column(reviewer, case, "picture")
