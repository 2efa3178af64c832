"""One case on one screen, whatever the page store has to say about it."""

import re
from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse

from core.errors import ServiceUnavailable
from core.obfuscations import Obfuscation, ObfuscationFound
from core.states import CaseState, Verdict
from tests.support import admin_data, case_texts
from tests.support.admin_data import World
from tests.support.case_texts import Texts
from tests.support.desk import record_url, shown
from webadmin import stores
from webadmin.cases.models import Case, CaseMatch
from webadmin.cases.services.verdicts import decide

CASES = 4

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("texts")]


@pytest.fixture
def case(world: World, texts: Texts) -> Case:
    return world.ours.cases[3]


def test_both_texts_stand_side_by_side_with_their_changes_linked(world: World, reviewer: Client) -> None:
    page = shown(reviewer, world.ours.cases[3])
    for key in ("1-1", "1-2"):
        assert page.count(f'data-changes="{key}"') == 2
    assert "homophone: work “渡”, page “度”" in page
    assert "no longer" not in page


def test_the_author_and_the_time_that_the_page_states_are_shown(case: Case, reviewer: Client) -> None:
    assert "published 2" not in shown(reviewer, case)
    at = datetime(2026, 3, 1, 16, 30, tzinfo=UTC)
    Case.objects.filter(pk=case.pk).update(page_author="<b>搬运工</b>", page_published_at=at)
    page = shown(reviewer, case)
    assert "&lt;b&gt;搬运工&lt;/b&gt;" in page
    assert "published 2026-03-02 00:30" in page


def test_a_page_of_an_archive_was_captured_before_its_case_was_opened(case: Case, reviewer: Client) -> None:
    page = shown(reviewer, case)
    assert "Last seen" in page
    assert "captured" not in page
    captured = datetime(2020, 1, 1, 4, tzinfo=UTC)
    Case.objects.filter(pk=case.pk).update(first_seen_at=captured, last_seen_at=captured)
    page = shown(reviewer, case)
    assert "Last captured <time>2020-01-01 12:00:00 UTC+08:00</time> · Opened" in page
    assert "opened after the page was captured: the page came from an archive" in page
    assert "Last seen" not in page


def test_texts_with_the_same_passages_are_named_or_counted(world: World, case: Case, reviewer: Client) -> None:
    own = admin_data.work(world.ours.holder, "石桥<夜话>", text="石桥下面的水声一夜没有停过。")
    foreign = admin_data.work(world.theirs.holder, "别家的书", text="别家的书里也有这样一段话。")
    ids = [own.chapters.get().text_id, foreign.chapters.get().text_id, "0" * 40]
    CaseMatch.objects.filter(case=case).update(also=ids)
    page = shown(reviewer, case)
    carriers = page.partition("The same passages also appear in")[2].partition("</div>")[0]
    link = reverse("admin:works_work_change", args=[own.pk])
    assert f'<a href="{link}"><bdi>《石桥&lt;夜话&gt;》{own.chapters.get()}</bdi></a>' in carriers
    assert "2 texts that were withdrawn or belong to other rights holders" in carriers
    assert not any(text_id in page for text_id in ids)
    assert "别家的书" not in page


def also_from(world: World, case: Case, estate: admin_data.Estate, title: str, at: list[int]) -> Case:
    """A case of another work on the same page, of which the page has the characters at `at`."""
    other = admin_data.case(case.page, admin_data.work(estate.holder, title), 3)
    match = other.matches.get()
    spans = [{**admin_data.spans(3)[0], "page": at, "changes": []}]
    of_page = {"version_id": case.version_id, "page_text_digest": case.matches.get().page_text_digest}
    CaseMatch.objects.filter(pk=match.pk).update(spans=spans, **of_page)
    return other


def end_of_page(case: Case) -> list[int]:
    """Where the page has text that the case's work does not have: behind the copied passage."""
    (span,) = case.matches.get().spans
    return [span["page"][1] + 1, span["page"][1] + 11]


@pytest.mark.parametrize("has_it", ["another holder's", "both works", "another version"])
def test_text_that_is_not_of_another_own_work_alone_names_none(
    world: World, case: Case, reviewer: Client, has_it: str
) -> None:
    (span,) = case.matches.get().spans
    estate = world.theirs if has_it == "another holder's" else world.ours
    other = also_from(world, case, estate, "别的书", span["page"] if has_it == "both works" else end_of_page(case))
    if has_it == "another version":
        other.matches.update(version_id="another")
    page = shown(reviewer, case)
    assert "zw-taken" not in page
    assert ("别的书" in page) == (estate is world.ours), "another holder's is named nowhere"


def test_the_evidence_of_the_match_is_quoted_where_it_is_folded_away(case: Case, reviewer: Client) -> None:
    match = case.matches.get()
    page = shown(reviewer, case).partition('<details class="zw-technical">')[2].partition("</details>")[0]
    for evidence in (match.raw_digest, match.page_text_digest, match.work_text_digest, match.version_id, match.text_id):
        assert evidence in page
    assert "algorithm 1, corpus revision 1, code 0.1.0" in page


def test_an_absent_store_leaves_the_excerpts(case: Case, reviewer: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    class Down(case_texts.MemoryPageStore):
        def version(self, version_id: object) -> None:
            raise ServiceUnavailable("the page store", "127.0.0.1:27117")

        raw = version

    monkeypatch.setattr(stores, "page_store", Down)
    page = shown(reviewer, case)
    assert "the page store is not responding at 127.0.0.1:27117" in page
    assert "data-changes=" in page
    assert "text that is no longer stored" in page
    raw = reviewer.get(record_url(case) + f"?raw={case.matches.get().pk}")
    assert raw.status_code == 503
    assert raw["Content-Type"].startswith("text/plain")


def test_lost_texts_leave_the_excerpts(case: Case, reviewer: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    CaseMatch.objects.filter(case=case).update(work_text_digest="0" * 64)
    assert "The stored text of the work no longer has the digest of the evidence" in shown(reviewer, case)
    case_texts.use(monkeypatch)
    page = shown(reviewer, case)
    for side in ("page", "work"):
        assert f"The text of the {side} is no longer in the page store; its frozen excerpts are shown." in page
    assert 'data-changes="1-1"' in page
    case.matches.all().delete()
    assert "This case has no match" in shown(reviewer, case)


def test_a_hostile_page_is_inert(case: Case, texts: Texts, reviewer: Client) -> None:
    case_texts.keep_hostile(texts, case)
    page = shown(reviewer, case)
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "\u202e" not in page
    assert "&lt;script&gt;alert(&#x27;script&#x27;)" in page
    assert 'data-mark="RLO"' in page
    assert re.search(r'data-mark="ZWSP×2"', page)


def test_the_link_to_the_page_gives_nothing_away_and_no_script_of_the_page_runs(case: Case, reviewer: Client) -> None:
    response = reviewer.get(record_url(case))
    page = response.content.decode()
    link = re.search(rf'<a[^>]*href="{re.escape(case.page_url)}"[^>]*>', page)
    assert 'rel="noreferrer noopener"' in link.group(0)
    policy = dict(part.strip().split(" ", 1) for part in response["Content-Security-Policy"].split(";"))
    assert "'unsafe-inline'" not in policy["script-src"]
    assert policy["default-src"] == "'none'"
    assert not re.search(r"<script(?![^>]*\bsrc=)|\son(click|load|error|mouseover)=", page)
    Case.objects.filter(pk=case.pk).update(page_url="javascript:alert(1)")
    page = shown(reviewer, case)
    assert "javascript:alert(1)" in page
    assert 'href="javascript' not in page


def test_the_raw_response_is_a_file_of_plain_text(case: Case, reviewer: Client) -> None:
    response = reviewer.get(record_url(case) + f"?raw={case.matches.get().pk}")
    assert response.content.startswith(b"<html><script>")
    assert response["Content-Type"] == "text/plain"
    assert response["Content-Disposition"].startswith("attachment;")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response["Content-Security-Policy"]


@pytest.mark.parametrize("asked", ["", "x", "999999"])
def test_a_raw_response_that_is_not_of_this_case_is_not_there(world: World, reviewer: Client, asked: str) -> None:
    assert reviewer.get(record_url(world.ours.cases[0]) + f"?raw={asked}").status_code == 404


def test_a_verdict_is_taken_and_shown_with_who_when_and_why(case: Case, reviewer: Client) -> None:
    response = reviewer.post(record_url(case), {"verdict": "confirmed", "basis": "0", "note": "<b>同音字</b>"})
    assert response.status_code == 302
    assert f"decided={case.pk}" in response["Location"]
    assert "“infringement” was given to" in reviewer.get(response["Location"]).content.decode()
    page = shown(reviewer, case)
    assert "changhe-reviewer" in page
    assert "&lt;b&gt;同音字&lt;/b&gt;" in page


def test_an_outdated_form_changes_nothing_and_names_who_decided(world: World, case: Case, reviewer: Client) -> None:
    decide(case, Verdict.LICENSED, world.ours.manager)
    response = reviewer.post(record_url(case), {"verdict": "confirmed", "basis": "0", "note": "逐段<照搬>"})
    assert response.status_code == 409
    page = response.content.decode()
    assert "changhe-manager decided “licensed” on this case" in page
    assert ">逐段&lt;照搬&gt;</textarea>" in page  # what was written is not lost
    assert Case.objects.get(pk=case.pk).verdict == Verdict.LICENSED


@pytest.mark.parametrize("form", [{}, {"verdict": "guilty", "basis": "0"}, {"verdict": "confirmed", "basis": "x"}])
def test_a_form_without_a_verdict_changes_nothing(case: Case, reviewer: Client, form: dict[str, str]) -> None:
    assert reviewer.post(record_url(case), form).status_code == 302
    assert Case.objects.get(pk=case.pk).state == CaseState.OPEN


def test_neighbours_are_the_open_cases_of_the_own_rights_holder(world: World, reviewer: Client) -> None:
    newest, oldest = world.ours.cases[0], world.ours.cases[3]
    of_list = "?_changelist_filters=state__exact%3Dopen"
    page = shown(reviewer, newest)
    assert re.findall(r'rel="(next|prev)" href="([^"]*)"', page) == [("next", record_url(oldest) + of_list)]
    page = shown(reviewer, oldest)
    assert re.findall(r'rel="(next|prev)" href="([^"]*)"', page) == [("prev", record_url(newest) + of_list)]


@pytest.mark.parametrize(
    "filters", ["o=5&q=%E7%AB%A0", "o=-5&match_class__exact=identical", "state__exact=guilty", "p=x"]
)
def test_neighbours_are_those_of_the_list_it_was_opened_from(world: World, reviewer: Client, filters: str) -> None:
    response = reviewer.get(reverse("admin:cases_case_changelist") + "?" + filters)
    is_readable = response.status_code == 200
    listed = response.context["cl"].queryset if is_readable else Case.objects.filter(state=CaseState.OPEN)
    keys = [case.pk for case in listed if case.rights_holder_id == world.ours.holder.pk]
    assert keys
    asked = {"_changelist_filters": filters}
    for place, key in enumerate(keys):
        shown = reviewer.get(reverse("admin:cases_case_change", args=[key]), asked).context["listed"]
        before, behind = [None, *keys][place], [*keys, None][place + 1]
        assert (shown.place, shown.count, shown.previous, shown.following) == (place + 1, len(keys), before, behind)
        assert shown.address.endswith(filters if is_readable else "state__exact=open")


def test_a_verdict_goes_on_in_the_list_and_its_undoing_brings_back_what_stood(world: World, reviewer: Client) -> None:
    case = world.ours.cases[0]
    decide(case, Verdict.FAIR_USE, world.ours.manager, "引文")
    basis = str(case.verdicts.first().pk)
    of_list = "?_changelist_filters=o%3D-7"
    told = reviewer.post(record_url(case) + of_list, {"verdict": "confirmed", "basis": basis, "reason": "confirmed-0"})
    following = reviewer.get(record_url(case) + of_list).context["listed"].following
    assert following is not None
    assert told["Location"].startswith(reverse("admin:cases_case_change", args=[following]))
    undo = reviewer.get(told["Location"]).context["just_decided"]
    assert undo["record"].note == "The whole chapter was published without a licence."
    reviewer.post(undo["address"], {"verdict": "undo", "basis": str(undo["record"].pk)})
    decided = Case.objects.get(pk=case.pk)
    assert (decided.verdict, decided.decision and decided.decision.note) == (Verdict.FAIR_USE, "引文")
    assert [record.verdict for record in decided.verdicts.all()] == ["fair_use", "confirmed", "fair_use"]


def test_nobody_undoes_what_somebody_else_decided(world: World, case: Case, reviewer: Client) -> None:
    decide(case, Verdict.CONFIRMED, world.ours.manager)
    record = case.verdicts.first()
    assert reviewer.get(record_url(case), {"decided": case.pk}).context["just_decided"] is None
    response = reviewer.post(record_url(case), {"verdict": "undo", "basis": str(record.pk)})
    assert response.status_code == 409
    assert Case.objects.get(pk=case.pk).verdict == Verdict.CONFIRMED


def test_a_case_with_several_chapters_shows_one_at_a_time(case: Case, reviewer: Client) -> None:
    first = case.matches.get()
    second = CaseMatch.objects.get(pk=first.pk)
    second.pk, second.text_id, second.chapter_title, second.matched_chars = None, "f" * 40, "第2章 大雪", 5
    second.save()
    assert first.page_text_digest in shown(reviewer, case)
    page = shown(reviewer, case, f"?match={second.pk}")
    assert re.search(r'aria-current="page">第2章 大雪', page)
    assert "The text of the work is no longer in the page store" in page


def test_what_was_done_to_the_page_as_a_whole_is_said(case: Case, reviewer: Client) -> None:
    CaseMatch.objects.filter(case=case).update(spans=[{**admin_data.spans(3)[0], "changes": []}])
    same, recognised = "are identical. Punctuation", "recognised from pictures by a program"

    def with_kinds(*kinds: str) -> str:
        found = [{"kind": kind, "count": 4, "example": "清晨的雾 ← /1.png"} for kind in kinds]
        Case.objects.filter(pk=case.pk).update(obfuscations=found)
        return shown(reviewer, case)

    page = with_kinds()
    assert same in page
    assert recognised not in page
    page = with_kinds("rearranged")
    assert same not in page
    assert "in a different order" in page
    page = with_kinds("text_picture")
    assert recognised in page
    assert "pictures of text" in page


@pytest.mark.parametrize("is_stored", [True, False])
def test_why_it_was_found_names_what_the_chips_name_with_the_same_counts(
    world: World, monkeypatch: pytest.MonkeyPatch, reviewer: Client, is_stored: bool
) -> None:
    case, hidden = world.ours.cases[3], ObfuscationFound(Obfuscation.HIDDEN_TEXT, 4, "甲")
    of_match = [{"kind": "homophone", "count": 2, "example": ""}, {"kind": "patchwork", "count": 2, "example": ""}]
    CaseMatch.objects.filter(case=case).update(obfuscations=of_match)
    texts = case_texts.use(monkeypatch)
    if is_stored:
        texts.keep_case(case, admin_data.page_text(3), admin_data.WORK_TEXT, obfuscations=(hidden,))
    else:
        found = [{"kind": "hidden_text", "count": 4, "example": "甲"}, *of_match]
        Case.objects.filter(pk=case.pk).update(obfuscations=found)
    page = shown(reviewer, case)
    chips = re.findall(r'class="zw-kind[^>]*>(?:<span[^>]*>.</span>)? ?([^<]+) <span class="zw-times">(\d+)<', page)
    (said,) = re.findall(r"Alterations found: ([^<]+)\.", page)
    told = re.findall(r"(?:^|, )(.+?) in (\d+) places?", said)
    assert sorted(chips) == sorted(told)
    assert ("hidden text", "4") in chips
    assert ("several works mixed", "2") in chips
    assert [name for name, _ in chips].count("homophone") == 1
    assert "homophones" not in dict(chips), "marked as changes already"
