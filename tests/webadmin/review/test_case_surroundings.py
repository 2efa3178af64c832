"""Test what stands around the texts of a case: bar, changes since the verdict, proof, other pages and copies."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from core.errors import ServiceUnavailable
from core.shares import format_percentage
from core.states import Verdict
from core.taken import Places
from tests.support import admin_data
from tests.support.admin_data import World
from tests.support.case_texts import Texts
from tests.support.desk import record_url, shown
from webadmin.cases.models import Case, CaseMatch, TakenText
from webadmin.cases.services.verdicts import decide
from webadmin.evidence.models import DayTree, EvidenceBundle, Stamp
from webadmin.notices.models import Notice
from webadmin.sites.models import PageRecord, Site

CASES = 4

pytestmark = pytest.mark.django_db


@pytest.fixture
def case(world: World, texts: Texts) -> Case:
    return world.ours.cases[3]


def bar(client: Client, case: Case) -> str:
    return shown(client, case).partition('class="zw-card zw-bar"')[2].partition("</header>")[0]


def warnings(client: Client, case: Case) -> list[str]:
    return re.findall(r'zw-badge (?:zw-warned|zw-allowed)"[^>]*>([^<]*)<', bar(client, case))


def section(page: str, heading: str) -> str:
    return page.partition(f'aria-labelledby="{heading}"')[2].partition("</section>")[0]


def test_the_bar_names_place_state_work_and_page_and_how_much_of_each_is_copied(reviewer: Client, case: Case) -> None:
    said = bar(reviewer, case)
    assert "2 / 2" in said
    assert f"《{case.work}》" in said
    assert case.page_title in said
    assert f'zw-state-{case.state}">{case.state}' in said
    figures = dict(re.findall(r"<dt[^>]*>([^<]*)</dt><dd>([^<]*)</dd>", said))
    match = case.matches.get()
    assert list(figures) == ["Similarity", "Share of the chapter", "Share of the work", "Share of the page"]
    assert [figures[name] for name in ("Share of the chapter", "Share of the page")] == ["80.0%", "90.0%"]
    assert match.work_containment == pytest.approx(0.8)


def test_the_bar_warns_of_what_a_verdict_has_to_mind(reviewer: Client, case: Case) -> None:
    assert warnings(reviewer, case) == ["no time stamp yet"]
    PageRecord.objects.filter(pk=case.page_id).update(version_id="another")
    assert warnings(reviewer, case) == ["page changed since", "no time stamp yet"]
    PageRecord.objects.filter(pk=case.page_id).update(gone_since=timezone.now())
    assert warnings(reviewer, case) == ["page gone", "no time stamp yet"]
    stamped(case)
    assert warnings(reviewer, case) == ["page gone"]
    Case.objects.filter(pk=case.pk).update(allowed_as="licensed", allowed_by="青檐书城")
    assert warnings(reviewer, case)[0] == "licensed"


def stamped(case: Case) -> None:
    bundle = admin_data.evidence_bundle(case)
    tree = DayTree.objects.create(day=bundle.day, root="r" * 64, leaves=[bundle.digest], made_at=timezone.now())
    Stamp.objects.create(
        tree=tree,
        authority="tsa.example",
        query=b"",
        response=b"",
        ca_pem=b"",
        stamped_at=admin_data.NOW,
        received_at=admin_data.NOW,
    )


def changed(case: Case, texts: Texts, text: str) -> str:
    """Let the page show another text from now on."""
    version = texts.keep(case.page, text, text.encode())
    PageRecord.objects.filter(pk=case.page_id).update(version_id=version)
    return version


def test_changes_since_the_verdict_are_shown(world: World, reviewer: Client, case: Case, texts: Texts) -> None:
    decide(case, Verdict.CONFIRMED, world.ours.manager)
    assert "changed since" not in bar(reviewer, case)
    newer = changed(case, texts, admin_data.page_text(3).replace("十七袋", "<b>十九袋</b>"))
    link = re.search(r'href="([^"]*)">changed since the verdict: show the difference<', bar(reviewer, case))
    page = shown(reviewer, case, link[1].replace("&amp;", "&"))
    assert "<del>七</del><ins>&lt;b&gt;十九</ins>" in page or "<ins>&lt;b&gt;" in page
    assert "The verdict “infringement” is based on" in page
    # the next comparison makes the newer version that of the case, and the verdict is as old as before
    first = case.matches.get()
    later = CaseMatch.objects.get(pk=first.pk)
    later.pk, later.version_id, later.found_at = None, newer, timezone.now() + timedelta(minutes=1)
    later.save()
    Case.objects.filter(pk=case.pk).update(version_id=newer)
    assert "changed since the verdict: show the difference" in bar(reviewer, case)
    PageRecord.objects.filter(pk=case.page_id).update(version_id=first.version_id)
    assert "changed since" not in bar(reviewer, case)


def another(case: Case, site: Site, number: int, *, taken: range | None = None) -> Case:
    """A case of the same work on a further page of a site."""
    made = admin_data.case(admin_data.page(site, number), case.work, 3)
    made.matches.update(text_id=case.matches.get().text_id)
    TakenText.objects.filter(case=made).update(text_id=case.matches.get().text_id)
    if taken is not None:
        TakenText.objects.filter(case=made).update(places=Places.from_starts(taken).pack())
        Case.objects.filter(pk=made.pk).update(taken_chars=len(taken))
    return made


def test_other_pages_of_the_site_are_links_with_their_share(world: World, reviewer: Client, case: Case) -> None:
    Notice.objects.all().delete()
    Case.objects.exclude(pk=case.pk).delete()
    assert "No other page of this site" in section(shown(reviewer, case), "zw-of-site")
    small = another(case, case.page.site, 71, taken=range(50))
    large = another(case, case.page.site, 72, taken=range(150))
    another(case, admin_data.site(world.ours.holder, "别站", "bie.example.net"), 73)
    said = section(shown(reviewer, case), "zw-of-site")
    assert re.findall(r'href="([^"]*)"', said) == [record_url(large), record_url(small)]
    share = Case.objects.select_related("work").get(pk=large.pk).work_share
    assert f"{format_percentage(share)} of the work" in said


def test_the_list_has_all_pages_of_a_site(monkeypatch: pytest.MonkeyPatch, reviewer: Client, case: Case) -> None:
    monkeypatch.setattr("webadmin.review.pages.case_page.other_sources.MAX_SHOWN", 1)
    others = [another(case, case.page.site, number) for number in (71, 72)]
    link = re.findall(r'href="([^"]*)"', section(shown(reviewer, case), "zw-of-site"))[-1].replace("&amp;", "&")
    response = reviewer.get(link)
    assert response.status_code == 200
    listed = {each.pk for each in response.context["cl"].queryset}
    assert {case.pk, *(other.pk for other in others)} <= listed
    assert all(each.page.site_id == case.page.site_id and each.work_id == case.work_id for each in
               response.context["cl"].queryset)  # fmt: skip


def test_other_copies_have_the_same_passages_elsewhere(world: World, reviewer: Client, case: Case) -> None:
    TakenText.objects.filter(case=case).update(
        text_id=case.matches.get().text_id, places=Places.from_starts(range(100)).pack()
    )
    site = admin_data.site(world.ours.holder, "别<站>", "bie.example.net")
    Notice.objects.all().delete()
    Case.objects.exclude(pk=case.pk).delete()
    assert "No other site" in section(shown(reviewer, case), "zw-copies")
    half = another(case, site, 71, taken=range(50, 300))
    all_of_it = another(case, site, 72, taken=range(200))
    another(case, site, 73, taken=range(100, 200))  # other passages of the chapter
    another(case, case.page.site, 74, taken=range(200))  # of the same site
    said = section(shown(reviewer, case), "zw-copies")
    assert re.findall(r'href="([^"]*)"', said) == [record_url(all_of_it), record_url(half)]
    assert re.findall(r"([0-9.]+%) of these passages", said) == ["100%", "50.0%"]
    assert "别&lt;站&gt;" in said


def test_of_texts_that_are_there_nothing_is_said_and_of_a_store_that_is_away_once(
    reviewer: Client, case: Case, texts: Texts, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert reviewer.get(record_url(case)).context["notes"] == []

    def away(key: str) -> None:
        raise ServiceUnavailable("MongoDB", "127.0.0.1:27017")

    monkeypatch.setattr(texts.pages, "version", away)
    (note,) = reviewer.get(record_url(case)).context["notes"]
    assert "the frozen evidence is shown instead" in note
    assert "MongoDB is not responding at 127.0.0.1:27017" in shown(reviewer, case, "?difference=1")


def test_of_more_copies_than_are_shown_or_looked_at_it_is_said_that_there_are_more(
    world: World, reviewer: Client, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    Notice.objects.all().delete()
    Case.objects.exclude(pk=case.pk).delete()
    TakenText.objects.filter(case=case).update(text_id=case.matches.get().text_id)
    site = admin_data.site(world.ours.holder, "别站", "bie.example.net")
    found = [another(case, site, number) for number in (71, 72)]
    whole = reviewer.get(record_url(case)).context["other_copies"]
    assert ([each.case for each in whole.shown], whole.is_cut) == (found, False)
    for name in ("MAX_SHOWN", "MAX_LOOKED_AT"):
        with monkeypatch.context() as patch:
            patch.setattr(f"webadmin.review.pages.case_page.other_sources.{name}", 1)
            cut = reviewer.get(record_url(case)).context["other_copies"]
            assert (len(cut.shown), cut.is_cut) == (1, True)


def test_copies_of_another_rights_holder_are_not_named(world: World, reviewer: Client, case: Case) -> None:
    theirs = world.theirs.cases[0]
    TakenText.objects.filter(case__in=(case, theirs)).update(text_id=case.matches.get().text_id)
    theirs.matches.update(text_id=case.matches.get().text_id)
    assert record_url(theirs) not in shown(reviewer, case)


def test_the_proof_shows_picture_poster_stamp_and_last_check(reviewer: Client, case: Case) -> None:
    said = section(shown(reviewer, case), "zw-bundles")
    for words in ("none found on the page", "the page states no time", "none yet", "not checked yet"):
        assert words in said
    stamped(case)
    bundle = case.bundles.get()
    EvidenceBundle.objects.filter(pk=bundle.pk).update(kind="drawn", checked_at=admin_data.NOW + timedelta(days=1))
    Case.objects.filter(pk=case.pk).update(
        page_author="<i>墨香客</i>", page_poster="搬运工", page_published_at=admin_data.NOW
    )
    said = section(shown(reviewer, case), "zw-bundles")
    assert f'<img src="?bundle={bundle.pk}&amp;shown=screenshot"' in said
    facts = dict(re.findall(r"<dt>([^<]*)</dt><dd>(.*?)</dd>", said))
    assert facts["Posted by"] == "<bdi>搬运工</bdi>"
    assert facts["Author stated by the page"] == "<bdi>&lt;i&gt;墨香客&lt;/i&gt;</bdi>"
    assert "Poster and author" not in facts
    assert facts["Time stamp"].startswith("2026-03-10 12:00:00")
    assert "tsa.example" in facts["Time stamp"]
    assert facts["Last evidence check"].startswith("2026-03-11 12:00:00")
