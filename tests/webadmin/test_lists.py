"""The admin's lists and forms: what each role may do, what is refused with a sentence, and what a list costs."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models import Model
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from core.messages import CrawlRequested, WorkRemoved
from core.obfuscations import Obfuscation
from core.states import CaseState, Verdict
from tests.support import admin_data
from tests.support.admin_data import World
from tests.support.desk import (
    CollectingOutbox,
    add_url,
    english,
    list_url,
    record_url,
    registered_models,
    signed_in,
    site_form,
)
from webadmin.accounts.models import RightsHolder
from webadmin.accounts.services.access import HOLDER_PATHS
from webadmin.cases.models import Case, Exclusion, VerdictRecord
from webadmin.cases.services.verdicts import decide
from webadmin.notices.models import Addressee
from webadmin.sites.models import CrawlRun, PageRecord, Site, SiteDomain
from webadmin.works.models import AuthorAlias, Chapter, Licence, OwnAccount, OwnDomain, Work

OURS = [model for model in registered_models() if model in HOLDER_PATHS]
KEPT_BY_MANAGERS = [Work, Licence, OwnDomain, OwnAccount, AuthorAlias, Addressee, Site]
WRITTEN_BY_THE_PIPELINE = [CrawlRun, PageRecord, Exclusion, Case]


def shown(client: Client, model: type[Model], **filters: object) -> list[Model]:
    response = client.get(list_url(model), filters)
    assert response.status_code == 200
    return list(response.context["cl"].result_list)


def said(response: object) -> str:
    return " ".join(str(message) for message in response.context["messages"])  # type: ignore[attr-defined]


# Roles


def test_a_reviewer_looks_at_what_managers_keep_and_changes_nothing(world: World) -> None:
    client = signed_in(world.ours.reviewer)
    for model in KEPT_BY_MANAGERS:
        record = model.objects.filter(rights_holder=world.ours.holder).first()
        assert client.get(record_url(record)).status_code == 200, model
        assert client.post(record_url(record), {"name": "x", "title": "x"}).status_code == 403, model
        assert client.get(add_url(model)).status_code == 403, model
        assert client.post(record_url(record, "delete"), {"post": "yes"}).status_code == 403, model


def test_nobody_edits_or_deletes_what_the_pipeline_wrote(world: World) -> None:
    for person in (world.ours.manager, world.administrator):
        client = signed_in(person)
        for model in WRITTEN_BY_THE_PIPELINE:
            record = model.objects.filter(**{HOLDER_PATHS[model]: world.ours.holder.pk}).first()
            assert client.get(add_url(model)).status_code == 403, model
            assert client.post(record_url(record, "delete"), {"post": "yes"}).status_code == 403, model
            if model not in {Case, Exclusion}:  # a case takes a verdict, an exclusion what overrules it
                assert client.post(record_url(record), {}).status_code == 403, model


def test_a_manager_adds_a_site_to_the_own_rights_holder_alone(world: World) -> None:
    client = signed_in(world.ours.manager)
    data = site_form(
        rights_holder=world.ours.holder.pk,
        **{"domains-TOTAL_FORMS": 1, "domains-0-host": "https://WWW.New.example:8080/x"},
    )
    assert client.post(add_url(Site), data).status_code == 302
    made = Site.objects.get(name="新站")
    assert made.rights_holder == world.ours.holder
    assert SiteDomain.objects.get(site=made).host == "www.new.example:8080"
    response = client.post(add_url(Site), site_form(name="另站", rights_holder=world.theirs.holder.pk))
    assert "rights_holder" in response.context["adminform"].form.errors
    assert not Site.objects.filter(name="另站").exists()


def test_a_record_that_stands_never_moves_to_another_rights_holder(world: World) -> None:
    site = world.ours.sites[0]
    data = site_form(name=site.name, rights_holder=world.theirs.holder.pk)
    signed_in(world.administrator).post(record_url(site), data)
    site.refresh_from_db()
    assert site.rights_holder == world.ours.holder


def test_a_licence_for_anothers_work_or_ended_before_it_began_fails(world: World) -> None:
    data = {"rights_holder": world.ours.holder.pk, "licensee": "甲", "domain": "a.example", "valid_from": "2026-02-01"}
    theirs, ended = {"work": world.theirs.works[0].pk}, {"valid_until": "2026-01-01"}
    for person, wrong, field in (
        (world.ours.manager, theirs, "work"),
        (world.administrator, theirs, "work"),
        (world.ours.manager, ended, "__all__"),
    ):
        response = signed_in(person).post(add_url(Licence), data | wrong)
        assert response.status_code == 200
        assert field in response.context["adminform"].form.errors
    assert not Licence.objects.filter(licensee="甲").exists()


def test_administrators_found_holders_and_managers_keep_contacts(world: World) -> None:
    client = signed_in(world.ours.manager)
    assert client.get(add_url(RightsHolder)).status_code == 403
    client.post(record_url(world.ours.holder), {"name": "a different name", "contact": "new@example.cn"})
    world.ours.holder.refresh_from_db()
    assert (world.ours.holder.name, world.ours.holder.contact) == ("changhe 长河文学", "new@example.cn")
    assert signed_in(world.administrator).post(add_url(RightsHolder), {"name": "新权利人"}).status_code == 302


# Sites


@pytest.mark.usefixtures("processes")
def test_a_site_that_cannot_be_crawled_is_refused_at_the_field(world: World, manager: Client) -> None:
    for field, value in (
        ("start_urls", "https://user:pw@a.example/"), ("start_urls", "https://a.example:99999/"),
        ("follow_patterns", "ok\n(unclosed"), ("page_patterns", "["), ("deny_patterns", "*"),
        ("encoding", "klingon"), ("interval_days", 0),
    ):  # fmt: skip
        data = site_form(rights_holder=world.ours.holder.pk, **{field: value})
        response = manager.post(add_url(Site), data)
        assert response.status_code == 200
        assert list(response.context["adminform"].form.errors) == [field]


def test_a_second_site_on_a_host_is_kept_and_the_form_says_which_has_it(world: World, manager: Client) -> None:
    host, taken = world.ours.sites[0].domains.get().host, world.ours.sites[0]
    data = site_form(rights_holder=world.ours.holder.pk, start_urls=f"https://www.{host}/b/")
    added = manager.post(add_url(Site), data, follow=True)
    second = Site.objects.get(name="新站")
    for response in (added, manager.get(record_url(second)), manager.get(record_url(taken))):
        assert f"{host} is also covered by the site" in said(response).replace("www.", "")
    alone = site_form(rights_holder=world.ours.holder.pk, name="另站", start_urls="https://other.example/")
    assert "is also covered by" not in said(manager.post(add_url(Site), alone, follow=True))
    theirs = world.theirs.sites[0].domains.get().host
    foreign = site_form(rights_holder=world.ours.holder.pk, name="又站", start_urls=f"https://{theirs}/")
    assert "is also covered by" not in said(manager.post(add_url(Site), foreign, follow=True))


def crawl_selected(client: Client, *sites: Site) -> HttpResponse:
    data = {"action": "crawl_selected", "_selected_action": [site.pk for site in sites]}
    return client.post(list_url(Site), data, follow=True)


def test_crawl_now_queues_a_run_of_each_idle_site(world: World, outbox: CollectingOutbox, manager: Client) -> None:
    idle, busy = world.ours.sites[:2]
    Site.objects.filter(pk=idle.pk).update(name="<b>站</b>")
    page = crawl_selected(manager, idle, busy).content.decode()
    run = CrawlRun.objects.get(site=idle, state=CrawlRun.State.QUEUED)
    assert run.requested_by == world.ours.manager
    assert outbox.sent == [CrawlRequested(run.pk)]
    for each in (run, CrawlRun.objects.get(site=busy, state__in=CrawlRun.LIVE)):
        assert f'href="{record_url(each)}"' in page
    assert "&lt;b&gt;站&lt;/b&gt;" in page
    assert "<b>站" not in page
    CrawlRun.objects.filter(site=idle).update(state=CrawlRun.State.FINISHED)
    outbox.is_away = True
    assert "Redis" in said(crawl_selected(manager, idle)), "without a queue the run is kept"
    assert CrawlRun.objects.filter(site=idle, state=CrawlRun.State.QUEUED).count() == 1


def test_the_button_on_a_site_crawls_by_post_only_and_leads_to_the_run(
    world: World, outbox: CollectingOutbox, manager: Client, reviewer: Client
) -> None:
    site, sent = world.ours.sites[0], {"_form_submitted": "True"}
    address = reverse("admin:watched_sites_site_crawl_now", args=[site.pk])
    assert manager.get(address).status_code == 200
    assert reviewer.post(address, sent).status_code == 403
    assert outbox.sent == []
    response = manager.post(address, sent, headers={"HX-Request": "true"})
    run = CrawlRun.objects.get(site=site, state=CrawlRun.State.QUEUED)
    assert response["HX-Redirect"] == record_url(run)
    assert manager.post(address, sent)["Location"] == record_url(run), "the crawl that stands in the way is shown"
    assert len(outbox.sent) == 1


def test_a_site_of_archives_is_imported_and_not_crawled(world: World, manager: Client) -> None:
    site, reviewer = world.ours.sites[0], english(world.ours.reviewer)
    assert "Daily at" in reviewer.get(record_url(site)).content.decode()
    Site.objects.filter(pk=site.pk).update(kind="archive")
    read_only = reviewer.get(record_url(site)).content.decode()
    assert "Daily at" not in read_only  # nobody can set it: what its kind does not use is left away
    page = manager.get(list_url(Site), {"kind__exact": "archive"}).content.decode()
    table = page.partition("<tbody")[2].partition("</table>")[0]
    assert "imported, not crawled" in table
    assert "daily at" not in table


def test_a_site_that_is_watched_again_is_crawled_at_once(world: World, outbox: CollectingOutbox) -> None:
    site = world.ours.sites[0]
    Site.objects.filter(pk=site.pk).update(is_active=False)
    signed_in(world.ours.manager).post(record_url(site), site_form(name=site.name))
    assert CrawlRun.objects.filter(site=site, state=CrawlRun.State.QUEUED).count() == 1
    assert len(outbox.sent) == 1


# Works


def test_withdrawing_a_work_takes_only_texts_out_that_no_other_work_carries(
    world: World, outbox: CollectingOutbox, django_capture_on_commit_callbacks: object
) -> None:
    work = admin_data.work(world.ours.holder, "撤下的作品", chapters=2)
    own_text = work.chapters.get(number=2).text_id
    shared = work.chapters.get(number=1).text_id
    assert Chapter.objects.filter(text_id=shared).exclude(work=work).exists()
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[operator]
        signed_in(world.ours.manager).post(record_url(work, "delete"), {"post": "yes"})
    assert not Work.objects.filter(pk=work.pk).exists()
    assert outbox.sent == [WorkRemoved(own_text)]


# Cases


def test_cases_are_filtered_by_state_obfuscation_site_work_and_day(world: World) -> None:
    client = signed_in(world.ours.manager)
    ours = Case.objects.filter(rights_holder=world.ours.holder)
    site, work = world.ours.sites[0], world.ours.works[0]
    assert set(shown(client, Case, state__exact="open")) == set(ours.filter(state=CaseState.OPEN))
    assert set(shown(client, Case, site__id__exact=site.pk)) == set(ours.filter(page__site=site))
    assert set(shown(client, Case, work__id__exact=work.pk)) == set(ours.filter(work=work))
    homophones = [case for case in ours if any(item["kind"] == Obfuscation.HOMOPHONE for item in case.obfuscations)]
    assert set(shown(client, Case, obfuscation="homophone")) == set(homophones)
    assert homophones
    assert set(shown(client, Case, obfuscation="none")) == {case for case in ours if not case.obfuscations}


def test_a_period_includes_its_last_day_in_the_readers_zone(world: World) -> None:
    case = world.ours.cases[0]
    late = admin_data.NOW.replace(hour=15, minute=59)  # a minute before midnight in Shanghai
    Case.objects.filter(pk=case.pk).update(opened_at=late)
    Case.objects.filter(pk=world.ours.cases[1].pk).update(opened_at=late + timedelta(minutes=2))
    client = signed_in(world.ours.manager)
    found = shown(client, Case, opened_at_from="2026-03-10", opened_at_to="2026-03-10")
    assert case in found
    assert world.ours.cases[1] not in found


def test_cases_are_found_by_page_title_url_and_work(world: World) -> None:
    client = signed_in(world.ours.manager)
    case = world.ours.cases[3]
    for words in ("第3章", "book/3.html"):
        assert shown(client, Case, q=words) == [case]
    for words in ("https://yunjian.changhe.example/book/3", "http://www.yunjian.changhe.example/book/3", f"#{case.pk}"):
        assert shown(client, Case, q=words) == [case], words
    assert shown(client, Case, q="https://elsewhere.example/book/3") == []
    for words in ("雪线以北", "雪綫以北", "雪線以北", "林棲"):
        assert case in shown(client, Case, q=words), words
    assert set(shown(client, Case, q="雪线以北")) == {item for item in world.ours.cases if item.work_id == case.work_id}


def test_a_reviewer_gives_one_verdict_to_many_cases(world: World) -> None:
    chosen = admin_data.open_cases(world)[:3]
    client = signed_in(world.ours.reviewer)
    for number, verdict in enumerate(Verdict, 1):
        data = {"action": f"decide_{verdict}", "_selected_action": [case.pk for case in chosen], "note": "看过原文"}
        planned = client.post(list_url(Case), data)
        assert VerdictRecord.objects.filter(case=chosen[0]).count() == number - 1  # what will happen is shown first
        assert [case.pk for case in planned.context["plan"].able] == [case.pk for case in chosen]
        client.post(list_url(Case), {**data, "seen": planned.context["seen"]})
        for case in chosen:
            case.refresh_from_db()
            record = VerdictRecord.objects.filter(case=case).latest("pk")
            assert (case.decision, case.state) == (record, verdict.state)
            assert (record.verdict, record.decided_by, record.note) == (verdict, world.ours.reviewer, "看过原文")


def test_what_changed_is_allowed_or_has_the_verdict_is_left_out_and_told(world: World) -> None:
    able, changed, allowed, decided = world.ours.cases[:4]
    PageRecord.objects.filter(pk=changed.page_id).update(version_id="f" * 40)
    Case.objects.filter(pk__in=[able.pk, changed.pk, allowed.pk, decided.pk]).update(allowed_as="", decision=None)
    Case.objects.filter(pk=allowed.pk).update(allowed_as="licensed")
    decide(decided, Verdict.CONFIRMED, world.ours.manager)
    client = signed_in(world.ours.reviewer)
    data = {"action": "decide_confirmed", "_selected_action": [able.pk, changed.pk, allowed.pk, decided.pk]}
    planned = client.post(list_url(Case), data).context["plan"]
    assert [case.pk for case in planned.able] == [able.pk]
    assert {reason: [case.pk for case in cases] for reason, cases in planned.left_out.items()} == {
        "比对之后网页已变更": [changed.pk],
        "已获准许：已授权": [allowed.pk],
        "已是这一结论": [decided.pk],
    }


def test_a_bulk_verdict_overrules_nothing_that_was_decided_after_the_plan_was_shown(world: World) -> None:
    (case,) = admin_data.open_cases(world)[:1]
    client = signed_in(world.ours.reviewer)
    data = {"action": "decide_confirmed", "_selected_action": [case.pk]}
    seen = client.post(list_url(Case), data).context["seen"]
    decide(case, Verdict.LICENSED, world.ours.manager)
    told = client.post(list_url(Case), {**data, "seen": seen}, follow=True).content.decode()
    assert Case.objects.get(pk=case.pk).verdict == Verdict.LICENSED
    assert "没有线索或案件发生变化。" in told


def levels(response: object) -> list[str]:
    return [message.level_tag for message in response.context["messages"]]  # type: ignore[attr-defined]


def test_taking_verdicts_back_opens_decided_cases_and_names_others(world: World, reviewer: Client) -> None:
    decided, undecided = world.ours.cases[1], admin_data.open_cases(world)[:2]
    for chosen, level in (([decided, undecided[0]], "success"), (undecided, "warning")):
        data = {"action": "reopen", "_selected_action": [case.pk for case in chosen]}
        planned = reviewer.post(list_url(Case), data)
        assert planned.context["plan"].able == [each for each in chosen if each == decided]
        assert ("Do it" in planned.content.decode()) == (decided in chosen)
        response = reviewer.post(list_url(Case), {**data, "seen": planned.context["seen"]}, follow=True)
        assert levels(response) == ["warning", level]
        assert "left out: there is no verdict to undo." in said(response)
    assert said(response).endswith("2 cases left out: there is no verdict to undo. No case was changed.")
    decided.refresh_from_db()
    assert (decided.state, VerdictRecord.objects.filter(case=decided).count()) == (CaseState.OPEN, 2)
    assert not VerdictRecord.objects.filter(case__in=undecided).exists()


def test_a_run_names_its_faults_and_what_was_left_out(world: World, reviewer: Client) -> None:
    detail = reviewer.get(record_url(world.ours.run)).content.decode()
    assert "forbidden by robots.txt × 3" in detail
    assert "did not answer in 30 s" in detail
    assert "&#x27;finished&#x27;" not in detail
    CrawlRun.objects.filter(pk=world.ours.run.pk).update(pages_stored=0, new_versions=0, counts={"unchanged": 457})
    for address in (list_url(CrawlRun), record_url(world.ours.run)):
        assert "457" in reviewer.get(address).content.decode(), "of a run that found nothing changed"


# Cost


def queries_of(client: Client, model: type[Model]) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(list_url(model)).status_code == 200
    return len(queries)


def test_a_list_of_many_rows_takes_no_more_queries_than_one_of_few(world: World) -> None:
    client = signed_in(world.ours.manager)
    few = {model: queries_of(client, model) for model in OURS}
    more_rows(world)
    many = {model: queries_of(client, model) for model in OURS}
    assert {model: count for model, count in many.items() if count > min(few[model], 16)} == {}


def more_rows(world: World) -> None:
    """Add twenty of everything to our estate."""
    estate = world.ours
    for number in range(100, 120):
        record = admin_data.page(estate.sites[0], number)
        made = admin_data.work(estate.holder, f"作品{number}")
        admin_data.case(record, made, number, with_match=False)
        admin_data.exclusion(record, estate.works[0])
        site = admin_data.site(estate.holder, f"站{number}", f"s{number}.example")
        admin_data.run(site)
        admin_data.licence(estate.holder, f"甲{number}", f"l{number}.example", work=made)
        admin_data.own_domain(estate.holder, f"o{number}.example")
        admin_data.user(f"person{number}", estate.holder)


def test_each_row_has_a_box_with_its_key_labelled_in_the_readers_language(world: World) -> None:
    client, labels = signed_in(world.ours.manager), set()
    for language in ("en", "zh-hans", "en"):
        client.cookies["django_language"] = language
        page = client.get(list_url(Case)).content.decode()
        boxes = re.findall(r'<input[^>]*name="_selected_action"[^>]*>', page)
        assert {re.search(r'value="(\d+)"', box)[1] for box in boxes} == {str(case.pk) for case in world.ours.cases}  # type: ignore[index]
        labels.add((language, re.search(r'aria-label="([^"]+)"', boxes[0])[1]))  # type: ignore[index]
    assert len(labels) == len({label for _, label in labels}) == 2


def test_sites_show_pages_and_cases_in_any_order(
    world: World, manager: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webadmin.sites.pages.admin.sites.MAX_PAGES", 4)
    counted = {
        site.pk: (min(5, site.pages.count()), Case.objects.filter(site=site).count()) for site in world.ours.sites
    }
    for order in ({}, {"o": "2"}, {"o": "-2.1"}):
        rows = manager.get(list_url(Site), order).context["cl"].result_list
        assert {row.pk: (row.pages_total, row.cases_total) for row in rows} == counted
