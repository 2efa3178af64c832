"""Licences and own domains in the desk: what entering, changing and withdrawing one does to cases, and who did it."""

from datetime import timedelta
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.messages import RightsChanged
from core.states import CaseState, Verdict
from tests.support import admin_data
from tests.support.admin_data import World
from tests.support.desk import CollectingOutbox, add_url, list_url, record_url
from tests.support.memory_pages import MemoryWorkStore
from webadmin.accounts.models import RightsHolder
from webadmin.cases.models import Case, RightsRecord
from webadmin.cases.services import rulings
from webadmin.cases.services.case_repository import DjangoCaseRepository
from webadmin.cases.services.verdicts import VerdictRefused, decide
from webadmin.works.models import Licence, OwnDomain, Unprotected, Work


def licence_form(world: World, **fields: object) -> dict[str, object]:
    host = world.ours.sites[0].domains.get().host
    form = {"rights_holder": world.ours.holder.pk, "work": "", "licensee": "落霞书城", "domain": host, "number": "A-7"}
    return {**form, "valid_from": "2026-01-01", "valid_until": "", **fields}


def of_site(world: World, number: int = 0) -> list[Case]:
    """Its cases, as they are now."""
    cases = Case.objects.filter(pk__in=[case.pk for case in world.ours.cases], page__site=world.ours.sites[number])
    return list(cases.order_by("pk"))


def page_of(client: Any, case: Case) -> str:
    return str(client.get(record_url(case)).content.decode())


def test_a_licence_that_a_manager_enters_sets_open_cases_aside_and_says_so(world: World, manager: Client) -> None:
    before = timezone.now()
    answer: HttpResponse = manager.post(add_url(Licence), licence_form(world), follow=True)
    assert "Cases whose page is now allowed: 3; no longer allowed: 0." in answer.content.decode()
    states = [(CaseState(case.state), case.verdict) for case in of_site(world)]
    assert states == [(CaseState.SET_ASIDE, ""), (CaseState.DISMISSED, Verdict.FALSE_ALARM), (CaseState.SET_ASIDE, "")]
    assert {case.allowed_by for case in of_site(world)} == {"落霞书城 A-7"}
    assert manager.post(add_url(Licence), licence_form(world)).status_code == 302
    assert Licence.objects.filter(number="A-7").count() == 1, "its form was sent twice"
    assert {case.state for case in of_site(world, 1)} == {CaseState.OPEN, CaseState.CONFIRMED}
    for record in RightsRecord.objects.all():
        assert (record.entered_by, record.allowed_as) == (world.ours.manager, "licensed")
        assert before <= record.entered_at <= record.at  # type: ignore[operator]


def test_the_case_shows_what_allows_it_who_entered_that_and_when(world: World, manager: Client) -> None:
    manager.post(add_url(Licence), licence_form(world))
    case = of_site(world)[0]
    shown = page_of(manager, case)
    assert "set aside" in shown
    assert "落霞书城 A-7 allows this page as it was last seen" in shown
    assert "Entered by changhe-manager" in shown
    assert "licensed: 落霞书城 A-7 allows the page" in shown
    assert "The page had the text before the licence began" not in shown


def test_a_page_that_had_the_text_before_its_licence_began_says_so(world: World, manager: Client) -> None:
    case = of_site(world)[0]
    Case.objects.filter(pk=case.pk).update(first_seen_at=case.last_seen_at - timedelta(days=40))
    manager.post(add_url(Licence), licence_form(world, valid_from=(case.last_seen_at - timedelta(days=9)).date()))
    assert "The page had the text before the licence began" in page_of(manager, case)


def test_a_confirmed_case_stays_confirmed_and_shows_the_licence(world: World, manager: Client) -> None:
    manager.post(add_url(Licence), licence_form(world, domain=world.ours.sites[1].domains.get().host))
    case = next(case for case in of_site(world, 1) if case.verdict == Verdict.CONFIRMED)
    assert (case.state, case.allowed_as) == (CaseState.CONFIRMED, "licensed")
    shown = page_of(manager, case)
    assert "The verdict is kept." in shown
    listed = manager.get(list_url(Case), {"allowed_as__exact": "licensed", "state__exact": "confirmed"})
    assert [each.pk for each in listed.context["cl"].result_list] == [case.pk]
    assert "confirmed · licensed" in listed.content.decode()


@pytest.mark.parametrize("way", ["delete", "delete_many", "dates", "domain", "work"])
def test_a_withdrawn_licence_opens_cases_and_says_who(world: World, manager: Client, way: str) -> None:
    manager.post(add_url(Licence), licence_form(world))
    licence, other = Licence.objects.get(number="A-7"), admin_data.work(world.ours.holder, "别的书")
    if way == "delete":
        manager.post(record_url(licence, "delete"), {"post": "yes"})
    elif way == "delete_many":
        chosen = {"action": "delete_selected", "_selected_action": [licence.pk], "post": "yes"}
        manager.post(list_url(Licence), chosen)
    else:
        changed = {
            "dates": {"valid_until": "2026-01-31"},
            "domain": {"domain": "else.example"},
            "work": {"work": other.pk},
        }
        manager.post(record_url(licence), licence_form(world, **changed[way]))
    assert [case.state for case in of_site(world)] == ["open", "dismissed", "open"]
    assert {case.allowed_as for case in of_site(world)} == {""}
    newest = RightsRecord.objects.filter(case=of_site(world)[0]).first()
    assert (newest.allowed_as, newest.entered_by, newest.cause) == ("", world.ours.manager, "rights")
    assert "the page is no longer allowed" in page_of(manager, of_site(world)[0])


def test_an_own_domain_sets_aside_and_its_removal_brings_back(world: World, manager: Client) -> None:
    host = world.ours.sites[0].domains.get().host
    manager.post(add_url(OwnDomain), {"rights_holder": world.ours.holder.pk, "domain": host})
    assert [case.state for case in of_site(world)] == ["set_aside", "dismissed", "set_aside"]
    assert of_site(world)[0].allowed_as == "own_site"
    manager.post(record_url(OwnDomain.objects.get(domain=host), "delete"), {"post": "yes"})
    assert [case.state for case in of_site(world)] == ["open", "dismissed", "open"]


def test_a_verdict_on_a_case_set_aside_decides_and_taken_back_leaves_it_set_aside(world: World) -> None:
    admin_data.licence(world.ours.holder, domain=world.ours.sites[0].domains.get().host)
    case = of_site(world)[0]
    with pytest.raises(VerdictRefused, match="HT-2026-017"):
        decide(case, None, world.ours.reviewer)
    decide(case, Verdict.CONFIRMED, world.ours.reviewer)
    assert case.state == CaseState.CONFIRMED
    decide(case, None, world.ours.reviewer)
    assert case.state == CaseState.SET_ASIDE


def test_lists_tabs_and_the_first_page_count_what_is_set_aside(world: World, manager: Client) -> None:
    admin_data.licence(world.ours.holder, domain=world.ours.sites[0].domains.get().host)
    listed = manager.get(list_url(Case), {"state__exact": "set_aside"})
    assert listed.context["cl"].result_count == 2
    assert "set aside · licensed" in listed.content.decode()
    tiles = {str(tile.label): tile.count for tile in manager.get(reverse("admin:dashboard")).context["case_tiles"]}
    assert (tiles["Set aside"], tiles["Open cases"]) == (2, 2)


class TestManyFindings:
    """More than are ruled within a request."""

    @pytest.fixture(autouse=True)
    def few_at_once(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(rulings, "MAX_AT_ONCE", 3)

    def test_they_are_ruled_by_a_message_which_the_sweeper_repeats_until_it_is_done(
        self, world: World, manager: Client, outbox: CollectingOutbox, django_capture_on_commit_callbacks: Any
    ) -> None:
        with django_capture_on_commit_callbacks(execute=True):
            answer = manager.post(add_url(Licence), licence_form(world), follow=True)
        assert "the new rights are applied to them within minutes" in answer.content.decode()
        holder = world.ours.holder.pk
        assert RightsChanged(holder) in outbox.sent
        assert {case.allowed_as for case in of_site(world)} == {""}
        book = DjangoCaseRepository(MemoryWorkStore())
        assert book.awaiting_rulings() == [holder]
        book.rule_again(holder)
        assert [case.state for case in of_site(world)] == ["set_aside", "dismissed", "set_aside"]
        assert book.awaiting_rulings() == []
        records = RightsRecord.objects.count()
        book.rule_again(holder)
        assert RightsRecord.objects.count() == records

    def test_they_are_ruled_some_at_a_time_and_all_of_them(
        self, world: World, outbox: CollectingOutbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(rulings, "BATCH_CASES", 2)
        for site in world.ours.sites:
            admin_data.licence(world.ours.holder, domain=site.domains.get().host)
        DjangoCaseRepository(MemoryWorkStore()).rule_again(world.ours.holder.pk)
        allowed = {case.allowed_as for number in (0, 1) for case in of_site(world, number)}
        assert allowed == {"licensed"}

    def test_who_withdrew_it_stays_known(self, world: World, manager: Client, outbox: CollectingOutbox) -> None:
        book, holder = DjangoCaseRepository(MemoryWorkStore()), world.ours.holder.pk
        manager.post(add_url(Licence), licence_form(world))
        book.rule_again(holder)
        manager.post(record_url(Licence.objects.get(number="A-7"), "delete"), {"post": "yes"})
        since = RightsHolder.objects.get(pk=holder).unruled_since
        book.rule_again(holder)
        newest = RightsRecord.objects.filter(case=of_site(world)[0]).first()
        assert (newest.entered_by, newest.at, newest.allowed_as) == (world.ours.manager, since, "")


def marked(work: Work, reason: str = "", note: str = "", **fields: object) -> dict[str, object]:
    """The form of a work, with the line that says whether it is protected."""
    mark = Unprotected.objects.filter(work=work).first()
    lines = {"TOTAL_FORMS": 1, "INITIAL_FORMS": 1 if mark else 0, "MIN_NUM_FORMS": 0, "MAX_NUM_FORMS": 1}
    line = {"id": mark.pk if mark else "", "work": work.pk, "reason": reason, "note": note, **fields}
    form = {"rights_holder": work.rights_holder_id, "title": work.title, "author": work.author, "kind": work.kind}
    chapters = {f"chapters-{name}": 0 for name in lines}
    return {
        **form,
        **chapters,
        **{f"unprotected-{name}": value for name, value in lines.items()},
        **{f"unprotected-0-{name}": value for name, value in line.items()},
    }


def test_an_unprotected_work_sets_its_cases_aside(world: World, manager: Client) -> None:
    work = next(case.work for case in of_site(world) if case.state == CaseState.OPEN)
    of_work = Case.objects.filter(work=work)
    undecided = of_work.filter(decision=None)
    before = undecided.count()
    answer = manager.post(record_url(work), marked(work, "mere_facts"), follow=True).content.decode()
    assert f"Cases whose page is now allowed: {of_work.count()}; no longer allowed: 0." in answer
    assert set(undecided.values_list("state", flat=True)) == {CaseState.SET_ASIDE}
    mark = Unprotected.objects.get(work=work)
    assert (mark.reason, mark.entered_by) == ("mere_facts", world.ours.manager)
    shown = page_of(manager, undecided.earliest("pk"))
    assert "The work is marked as not protected. The case is set aside" in shown
    assert "not protected: mere facts" in shown
    assert "Entered by changhe-manager" in shown
    assert "allows the page" not in shown
    assert "not protected: mere facts" in manager.get(list_url(Work)).content.decode()
    manager.post(record_url(work), marked(work, "mere_facts", DELETE="on"))
    assert not Unprotected.objects.exists()
    assert Case.objects.filter(work=work, state=CaseState.OPEN).count() == before
    newest = RightsRecord.objects.filter(case=undecided.earliest("pk")).first()
    assert (newest.allowed_as, newest.entered_by) == ("", world.ours.manager)
