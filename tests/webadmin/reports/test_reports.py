"""Reports out of the admin database: the reader's records, all of them, and nobody else's."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.http import HttpResponse
from django.urls import reverse

from analytics.formats import FORMATS
from core.errors import NotFound
from core.states import CaseState, Rejection
from tests.support import admin_data
from tests.support.admin_data import World
from tests.support.desk import signed_in
from webadmin.accounts.models import Membership, RightsHolder
from webadmin.cases.models import Case, PageCheck
from webadmin.reports.services.report_rows import make_report
from webadmin.rewrites.models import RewordedLead
from webadmin.sites.models import Site
from webadmin.works.models import Chapter, Work

SINCE, UNTIL = date(2026, 3, 1), date(2026, 3, 31)
PERIOD = {"since": "2026-03-01", "until": "2026-03-31", "language": "en"}


def asked(person: object, **fields: object) -> HttpResponse:
    return signed_in(person).get(reverse("webadmin_reports"), {**PERIOD, "format": "json", **fields})  # type: ignore[arg-type]


def test_a_report_counts_every_case_of_the_period_of_its_readers(world: World) -> None:
    report = make_report(world.ours.manager, SINCE, UNTIL)
    assert {row.case_id for row in report.cases} == {case.pk for case in world.ours.cases}
    counts = report.totals.cases
    assert (counts.opened, counts.confirmed, counts.dismissed, counts.open) == (6, 1, 1, 4)
    assert report.totals.pages_checked == len(world.ours.pages)
    assert make_report(world.ours.holder, SINCE, UNTIL).totals == report.totals, "as of its members"
    for part in (report.cases, report.sites, report.works, report.exclusions, report.crawls):
        assert part
        assert "beidou" not in str(part)
    assert any(row.runs_missed for row in report.crawls)
    assert len(make_report(world.administrator, SINCE, UNTIL).cases) == 12


def test_a_report_that_is_of_one_rights_holder_names_it(world: World) -> None:
    ours, both = world.ours, world.administrator
    site = ours.cases[0].page.site
    for reader, chosen, named in (
        (ours.reviewer, {}, ours.holder.name),
        (both, {"work": ours.cases[0].work}, ours.holder.name),
        (both, {"site": site}, ours.holder.name),
        (both, {}, ""),
    ):
        assert make_report(reader, SINCE, UNTIL, **chosen).scope.rights_holder == named


def test_a_foreign_work_or_site_is_not_there_for_a_report(world: World) -> None:
    theirs = world.theirs
    for reader in (world.ours.manager, world.ours.holder):
        for foreign in ({"work": theirs.works[0]}, {"site": theirs.sites[0]}):
            with pytest.raises(NotFound) as caught:
                make_report(reader, SINCE, UNTIL, **foreign)
            assert "beidou" not in str(caught.value)


def test_leads_have_a_chapter_of_their_own_and_are_in_no_figure_of_copies(world: World) -> None:
    with_leads = make_report(world.ours.reviewer, SINCE, UNTIL)
    told = {lead.lead_id: (lead.state, lead.reviewer, lead.pairs, lead.sentences) for lead in with_leads.leads}
    confirmed = RewordedLead.objects.get(rights_holder=world.ours.holder, state="confirmed")
    assert told == {world.ours.lead.pk: ("waiting", "", 4, 6), confirmed.pk: ("confirmed", "changhe-reviewer", 4, 6)}
    assert "beidou" not in str(with_leads.leads)
    RewordedLead.objects.all().delete()
    without = make_report(world.ours.reviewer, SINCE, UNTIL)
    assert without.leads == ()
    assert not without.has_leads, "nobody looks for any"
    at = with_leads.scope.generated_at
    assert replace(with_leads, leads=(), has_leads=False) == replace(
        without, scope=replace(without.scope, generated_at=at)
    )
    RightsHolder.objects.filter(pk=world.ours.holder.pk).update(reworded_kinds=["novel"])
    assert make_report(world.ours.reviewer, SINCE, UNTIL).has_leads
    assert not make_report(world.theirs.reviewer, SINCE, UNTIL).has_leads


def test_leads_of_a_report_are_those_of_its_period_work_and_site_that_stand(world: World) -> None:
    lead = world.ours.lead

    def found(**narrowed: object) -> list[int]:
        made = make_report(world.ours.manager, SINCE, UNTIL, **narrowed)  # type: ignore[arg-type]
        return [each.lead_id for each in made.leads]

    assert found(work=lead.work) == [lead.pk]
    assert found(site=lead.site) == [lead.pk]
    assert lead.pk not in found(site=world.ours.sites[1])
    RewordedLead.objects.filter(pk=lead.pk).update(lapsed_at=admin_data.NOW)
    assert found(work=lead.work) == []
    RewordedLead.objects.filter(pk=lead.pk).update(lapsed_at=None, found_at=admin_data.NOW - timedelta(days=60))
    assert found(work=lead.work) == []


def test_like_names_of_two_sites_and_like_titles_of_two_works_are_told_apart(world: World) -> None:
    Site.objects.filter(pk__in=[world.ours.sites[0].pk, world.theirs.sites[0].pk]).update(name="同名站")
    other = world.ours.works[1]
    Work.objects.filter(pk=other.pk).update(title=world.ours.works[0].title, author="另一位")
    report = make_report(world.administrator, SINCE, UNTIL)
    named = {site.site_name for site in report.sites if "同名站" in site.site_name}
    assert named == {f"同名站 · {holder}" for holder in (world.ours.holder, world.theirs.holder)}
    titles = {work.work_title for work in report.works if work.rights_holder == world.ours.holder.name}
    assert titles == {f"{world.ours.works[0].title} · {author}" for author in ("林栖", "另一位")}
    of_one = make_report(world.ours.manager, SINCE, UNTIL, site=Site.objects.get(pk=world.ours.sites[0].pk))
    assert of_one.scope.sites == ("同名站",)
    assert of_one.cases


def test_taken_characters_are_the_union_of_what_the_work_still_has(world: World) -> None:
    report = make_report(world.ours.manager, SINCE, UNTIL)
    found = [case for case in world.ours.cases if case.state in ("open", "confirmed")]
    by_work = {work.work_title: work for work in report.works}
    for work in world.ours.works:
        measured = by_work[work.title]
        assert measured.chars_taken == admin_data.TAKEN_CHARS, "all pages have the same of the same chapter"
        assert measured.work_chars == work.counted_chars
        assert measured.share_taken == admin_data.TAKEN_CHARS / work.counted_chars
        assert measured.chars_on_pages == sum(case.matched_chars for case in found if case.work == work)
    assert report.totals.chars_taken == 2 * admin_data.TAKEN_CHARS < report.totals.chars_on_pages
    Chapter.objects.filter(work=world.ours.works[1]).update(text_id="0" * 40)
    assert make_report(world.ours.manager, SINCE, UNTIL).totals.chars_taken == admin_data.TAKEN_CHARS


def test_a_page_checked_on_two_days_is_one_page_in_all_and_one_on_each_day(world: World) -> None:
    before = make_report(world.ours.manager, SINCE, UNTIL)
    page = world.ours.pages[0]
    later = page.checked_at + timedelta(days=1)
    PageCheck.objects.create(
        version_id="f" * 40, page=page, algorithm_id=1, corpus_revision=1, checked_at=later, appeared_at=later
    )
    after = make_report(world.ours.manager, SINCE, UNTIL)
    assert after.totals.pages_checked == before.totals.pages_checked
    assert sum(day.pages_checked for day in after.days) == sum(day.pages_checked for day in before.days) + 1


def test_a_case_that_a_licence_sets_aside_is_no_copy_and_counted_once(world: World) -> None:
    before = make_report(world.ours.manager, SINCE, UNTIL)
    site = world.ours.sites[0]
    admin_data.licence(world.ours.holder, "落霞", site.domains.get().host)
    report = make_report(world.ours.manager, SINCE, UNTIL)
    aside = [row for row in report.cases if row.state is CaseState.SET_ASIDE]
    assert {row.site_name for row in aside} == {site.name}
    assert {row.allowed_by for row in aside} == {"落霞 HT-2026-017"}
    counts = report.totals.cases
    assert counts.opened == counts.open + counts.confirmed + counts.dismissed + counts.set_aside
    assert counts.set_aside == len(aside) == before.totals.cases.open - counts.open > 0
    assert report.totals.excluded == before.totals.excluded
    assert report.totals.chars_on_pages == before.totals.chars_on_pages - sum(row.matched_chars for row in aside)


def test_a_report_of_one_work_or_site_has_its_cases_alone(world: World) -> None:
    work, site = world.ours.works[1], world.ours.sites[0]
    of_work = make_report(world.ours.manager, SINCE, UNTIL, work=work)
    assert {row.case_id for row in of_work.cases} == {case.pk for case in world.ours.cases if case.work == work}
    of_site = make_report(world.ours.manager, SINCE, UNTIL, site=site)
    assert {row.site_name for row in of_site.cases} == {site.name}
    assert {row.site_name for row in of_site.crawls} == {site.name}


def test_the_period_ends_with_the_last_day_of_the_readers_calendar(world: World) -> None:
    case = world.ours.cases[0]
    before_midnight = admin_data.NOW.replace(hour=15, minute=59)  # 23:59 in Shanghai
    for moment, is_in in ((before_midnight, True), (before_midnight + timedelta(minutes=1), False)):
        Case.objects.filter(pk=case.pk).update(opened_at=moment)
        report = make_report(world.ours.manager, date(2026, 3, 10), date(2026, 3, 10))
        assert (case.pk in {row.case_id for row in report.cases}) is is_in


def test_a_row_carries_chapter_excerpt_reviewer_and_obfuscations(world: World) -> None:
    report = make_report(world.ours.manager, SINCE, UNTIL)
    decided = world.ours.cases[1]
    row = next(row for row in report.cases if row.case_id == decided.pk)
    assert row.chapter_title == "第1章 立冬"
    assert row.excerpt
    assert admin_data.page_text(1).find(row.excerpt) >= 0
    assert row.reviewer == world.ours.reviewer.username
    assert [str(kind) for kind in row.obfuscations] == [item["kind"] for item in decided.obfuscations]


def test_what_was_left_out_is_counted_by_reason(world: World) -> None:
    PageCheck.objects.filter(version_id=world.ours.pages[-2].version_id).update(rejection=Rejection.NO_MATCH)
    counted = dict(make_report(world.ours.manager, SINCE, UNTIL).exclusions)
    assert counted[Rejection.LICENSED] == 1
    assert counted[Rejection.NO_MATCH] == 1
    assert counted[Rejection.ROBOTS] == 3


def test_new_pages_and_changed_ones_are_counted_on_the_day_they_appeared(world: World) -> None:
    before = make_report(world.ours.manager, SINCE, UNTIL).totals.new_versions
    assert before == len(world.ours.pages)
    PageCheck.objects.create(
        version_id="f" * 40,
        page=world.ours.pages[0],
        algorithm_id=admin_data.ALGORITHM_ID,
        corpus_revision=2,
        appeared_at=admin_data.NOW + timedelta(days=1),
        checked_at=admin_data.NOW + timedelta(days=1),
    )
    assert make_report(world.ours.manager, SINCE, UNTIL).totals.new_versions == before + 1
    PageCheck.objects.update(checked_at=admin_data.NOW + timedelta(days=1))  # what is compared again is not new again
    assert make_report(world.ours.manager, SINCE, UNTIL).totals.new_versions == before + 1


def test_a_manager_downloads_every_format_under_a_safe_name_with_the_own_cases_alone(world: World) -> None:
    for kind in FORMATS:
        response = asked(world.ours.manager, do="download", format=kind)
        name = f"zhuiwen-report-20260301-20260331.{kind}"
        assert response.headers["Content-Disposition"] == f'attachment; filename="{name}"'
        assert response.content
        if kind == "json":
            assert b"changhe" in response.content
            assert b"beidou" not in response.content


def test_a_reviewer_looks_and_does_not_download(world: World) -> None:
    assert asked(world.ours.reviewer, do="preview").status_code == 200
    assert asked(world.ours.reviewer, do="download").status_code == 403


def test_who_manages_one_and_reviews_another_downloads_only_the_first(world: World) -> None:
    both = admin_data.user("both", world.ours.holder, Membership.Role.MANAGER)
    Membership.objects.create(user=both, rights_holder=world.theirs.holder, role=Membership.Role.REVIEWER)
    assert asked(both, do="download").status_code == 403
    assert asked(both, do="download", holder=world.theirs.holder.pk).status_code == 403
    assert asked(both, do="download", holder=world.ours.holder.pk).status_code == 200


def test_the_preview_runs_no_script_and_stands_in_no_foreign_frame(world: World) -> None:
    Case.objects.update(page_title="<script>alert(1)</script>")
    response = asked(world.ours.reviewer, do="preview")
    policy = response.headers["Content-Security-Policy"]
    assert "sandbox" in policy
    assert "default-src 'none'" in policy
    assert response.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert "<script>alert" not in response.content.decode()


def test_the_page_offers_only_ones_own_works_and_sites(world: World) -> None:
    shown = signed_in(world.ours.reviewer).get(reverse("webadmin_reports")).content.decode()
    assert "changhe·渡口夜灯" in shown
    assert "beidou" not in shown
    assert 'name="holder"' not in shown
    assert 'name="holder"' in signed_in(world.administrator).get(reverse("webadmin_reports")).content.decode()


def test_a_person_without_a_role_gets_an_empty_report_and_a_stranger_the_login(world: World) -> None:
    outsider = admin_data.user("outsider")
    assert make_report(outsider, SINCE, UNTIL).cases == ()
    assert asked(outsider, do="download").status_code == 403
    outsider.is_staff = False
    outsider.save()
    assert asked(outsider, do="preview").status_code == 302
