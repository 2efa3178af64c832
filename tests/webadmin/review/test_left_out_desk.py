"""The desk of excluded text: exclusions opened and overruled, passages left out, noise, ignored texts."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from core.shares import format_percentage
from core.states import CaseState, Rejection
from tests.support import admin_data
from tests.support.corpus_texts import story
from tests.support.desk import english, list_url, record_url, shown
from tests.support.desk_chain import DeskChain
from webadmin.cases.models import Case, CaseMatch, ExcludedPassage, Exclusion, IgnoredText, Overruling
from webadmin.cases.services import ignoring
from webadmin.evidence.services.case_export import case_facts

pytestmark = pytest.mark.django_db
CHAPTER = story(3)
ADVERT = "请收藏<b>本站新网址免费阅读最新章节"
ADVERTS = "".join(CHAPTER[start : start + 150] + ADVERT for start in range(0, len(CHAPTER), 150))
QUOTING = story(91, 30) + "书中说：“" + CHAPTER[40:75] + "”" + story(92, 30)


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> DeskChain:
    return DeskChain(monkeypatch, CHAPTER)


def posted(client: Client, case: Case, **fields: object) -> str:
    """Return what the case page says after one of its forms was sent."""
    address = reverse("admin:cases_case_passages", args=[case.pk])
    response = client.post(f"{address}?_changelist_filters=q%3D1", fields, follow=True)
    assert response.status_code == 200
    assert response.redirect_chain[0][0].endswith("?_changelist_filters=q%3D1#zw-left-out")
    return response.content.decode()


def test_an_exclusion_opens_with_its_reason_and_both_texts(desk: DeskChain) -> None:
    desk.compare(QUOTING)
    page = shown(english(desk.reviewer), desk.exclusion)
    assert page.partition("<h1>")[2].startswith(f"{desk.exclusion.work} · quotation</h1>")
    assert "Excluded because the page has only short or quoted passages" in page
    assert page.count('data-passages="1"') == 2
    assert CHAPTER[40:75] in page


def test_every_reason_is_said_in_one_sentence(desk: DeskChain) -> None:
    desk.compare(QUOTING)
    client, reasons = english(desk.reviewer), [each for each in Rejection if each.leaves_out == "finding"]
    assert reasons
    for reason in reasons:
        Exclusion.objects.update(reason=reason, detail="青檐<b>书城")
        why = shown(client, desk.exclusion).partition('class="zw-why">')[2].partition("</p>")[0]
        assert why.startswith("Excluded because"), reason
        assert "<b>" not in why


def test_an_exclusion_without_kept_passages_or_with_other_texts_says_so(desk: DeskChain) -> None:
    desk.compare(QUOTING)
    client, kept = english(desk.reviewer), desk.exclusion.found
    Exclusion.objects.update(found=[])
    assert "The passages of this match were not stored" in shown(client, desk.exclusion)
    kept[0]["page_text_digest"] = "0" * 64
    Exclusion.objects.update(found=kept)
    page = shown(client, desk.exclusion)
    assert "no longer has the digest" in page
    assert "data-passages" not in page


def test_a_reviewer_overrules_with_a_note_and_the_exclusion_says_who(desk: DeskChain) -> None:
    desk.compare(QUOTING)
    client, address = english(desk.reviewer), record_url(desk.exclusion)
    refused = client.post(address, {"do": "overrule", "note": " "})
    assert (refused.status_code, Overruling.objects.count()) == (400, 0)
    assert "give a reason" in refused.content.decode()
    taken = client.post(address, {"do": "overrule", "note": "这是<照搬>"}, follow=True)
    assert "its case opens in a minute or two" in taken.content.decode()
    page = shown(client, desk.exclusion)
    assert "li overruled this on" in page
    assert "这是&lt;照搬&gt;" in page
    client.post(address, {"do": "take-back"})
    assert Overruling.objects.get().withdrawn_by == desk.reviewer


def test_the_case_names_who_overruled_and_takes_it_back(desk: DeskChain) -> None:
    version = desk.compare(QUOTING)
    client = english(desk.reviewer)
    client.post(record_url(desk.exclusion), {"do": "overrule", "note": "照搬"})
    desk.again(version)
    assert "li overruled that on" in shown(client, desk.case)
    page = posted(client, desk.case, do="overruling-back", key=Overruling.objects.get().pk)
    assert "The overruling was withdrawn." in page
    assert desk.case.state == CaseState.SET_ASIDE
    assert "The case is set aside and reopens if that is undone" in page


def test_a_passage_is_left_out_listed_tinted_and_taken_back(desk: DeskChain) -> None:
    desk.compare(CHAPTER[:400] + story(92, 30) + CHAPTER[900:1500])
    client, match = english(desk.reviewer), CaseMatch.objects.get()
    before = desk.case.taken_chars
    page = posted(client, desk.case, do="passage", match=match.pk, passage="2", reason="set_wording", note="公版<i>")
    assert "Excluded; the figures" in page
    assert 'data-out="2"' in page
    assert f"of which {desk.case.taken_chars:,} count" in page
    assert "公版&lt;i&gt;" in page
    assert desk.case.taken_chars < before
    (share,) = re.findall(r"of which [\d,]+ count: ([\d.]+%) of the chapter", page)
    assert f"<dd>{share}</dd>" in page, "the bar has the figure of what counts"
    assert share != format_percentage(match.work_containment)
    assert "Parts have been excluded since" in page
    page = posted(client, desk.case, do="passage-back", key=ExcludedPassage.objects.get().pk)
    assert 'data-out=""' in page
    assert "Withdrawn by li" in page
    assert "Parts have been excluded since" not in page
    assert f"<dd>{format_percentage(match.work_containment)}</dd>" in page
    assert desk.case.taken_chars == before


def test_a_chapter_is_left_out_and_what_is_refused_is_said(desk: DeskChain) -> None:
    desk.compare(CHAPTER)
    client, match = english(desk.reviewer), CaseMatch.objects.get()
    assert "choose a reason" in posted(client, desk.case, do="chapter", match=match.pk)
    assert "at least 4 readable characters" in posted(
        client, desk.case, do="passage", match=match.pk, reason="quotation"
    )
    assert "Nothing was chosen" in posted(client, desk.case, do="erase")
    posted(client, desk.case, do="chapter", match=match.pk, reason="public_domain")
    assert desk.case.state == CaseState.SET_ASIDE


def test_noise_is_offered_marked_listed_and_taken_back(desk: DeskChain) -> None:
    desk.compare(ADVERTS)
    client = english(desk.reviewer)
    assert "本站新网址" in shown(client, desk.case).partition('name="noise" value="')[2].partition('"')[0]
    before = desk.case.similarity
    page = posted(client, desk.case, do="noise", noise=ADVERT)
    assert "Marked as noise of the site" in page
    assert desk.case.similarity > before
    listed = client.get(list_url(IgnoredText)).content.decode()
    assert "请收藏&lt;b&gt;本站新网址" in listed
    posted(client, desk.case, do="noise-back", key=IgnoredText.objects.get().pk)
    assert IgnoredText.objects.get().withdrawn_by == desk.reviewer


def test_the_list_takes_back_what_the_user_may(desk: DeskChain) -> None:
    desk.compare(ADVERTS)
    ignored = ignoring.mark_noise(desk.case, ADVERT, desk.manager)
    asked = {"action": "take_back", "_selected_action": [ignored.pk]}
    said = english(desk.reviewer).post(list_url(IgnoredText), asked, follow=True).content.decode()
    assert "only a manager" in said
    english(desk.manager).post(list_url(IgnoredText), asked)
    ignored.refresh_from_db()
    assert ignored.withdrawn_by == desk.manager


def test_a_manager_sees_what_a_text_would_change_before_it_is_saved(desk: DeskChain) -> None:
    desk.compare(CHAPTER)
    client, add = english(desk.manager), reverse("admin:cases_ignoredtext_add")
    given = {"holder": desk.holder.pk, "text": CHAPTER[:600], "reason": "notice", "note": "声明"}
    looked = client.post(add, {**given, "do": "look"}).content.decode()
    assert "1 open case would change" in looked
    assert not IgnoredText.objects.exists()
    before = desk.case.taken_chars
    saved = client.post(add, {**given, "do": "save"}, follow=True).content.decode()
    assert "1 open cases recalculated" in saved
    assert desk.case.taken_chars < before
    assert IgnoredText.objects.get().entered_by == desk.manager


def test_what_is_refused_is_said_in_the_form_and_kept_there(desk: DeskChain) -> None:
    client, add = english(desk.manager), reverse("admin:cases_ignoredtext_add")
    given = {"holder": desk.holder.pk, "text": "短", "reason": "notice", "do": "save"}
    response = client.post(add, given)
    assert response.status_code == 400
    assert "at least 8 readable characters" in response.content.decode()
    assert ">短</textarea>" in response.content.decode()
    chapter = client.post(add, {**given, "text": CHAPTER[:2000]}).content.decode()
    assert "a whole chapter cannot be ignored" in chapter


def test_nothing_of_another_rights_holder_can_be_named(desk: DeskChain) -> None:
    desk.compare(ADVERTS)
    other = admin_data.holder("别家")
    stranger, manager = admin_data.user("zhao", other), admin_data.user("qian", other, "manager")
    address = reverse("admin:cases_case_passages", args=[desk.case.pk])
    assert english(stranger).post(address, {"do": "noise", "noise": ADVERT}).status_code == 404
    add = reverse("admin:cases_ignoredtext_add")
    given = {"holder": desk.holder.pk, "text": CHAPTER[:600], "reason": "notice", "do": "save"}
    assert english(manager).post(add, given).status_code == 403
    assert not IgnoredText.objects.exists()


def test_a_match_or_entry_of_another_case_is_not_there(desk: DeskChain) -> None:
    desk.compare(CHAPTER)
    first = desk.case
    desk.compare(CHAPTER + "完", "https://luoxia.example.net/2.html")
    other = Case.objects.exclude(pk=first.pk).get()
    client = english(desk.reviewer)
    address = reverse("admin:cases_case_passages", args=[first.pk])
    foreign = {"do": "chapter", "match": other.matches.get().pk, "reason": "quotation"}
    assert client.post(address, foreign).status_code == 404
    assert client.post(address, {"do": "passage-back", "key": "9" * 18}).status_code == 404
    assert client.get(address).status_code == 405


def test_what_belongs_to_another_site_or_work_is_not_taken_back_here(desk: DeskChain) -> None:
    desk.compare(ADVERTS)
    case, client = desk.case, english(desk.reviewer)
    address = reverse("admin:cases_case_passages", args=[case.pk])
    site = admin_data.site(desk.holder, "云笺阁", "yunjian.example.net")
    ignored = admin_data.ignored_text(site, desk.reviewer, "别站的广告词")
    assert client.post(address, {"do": "noise-back", "key": ignored.pk}).status_code == 404
    of_other_work = Overruling.objects.create(
        page=case.page, work=admin_data.work(desk.holder, "另一部"), reason=Rejection.QUOTATION, note="照搬",
        entered_by=desk.reviewer, entered_at=admin_data.NOW,
    )  # fmt: skip
    assert client.post(address, {"do": "overruling-back", "key": of_other_work.pk}).status_code == 404
    for record in (ignored, of_other_work):
        record.refresh_from_db()
        assert record.withdrawn_at is None


def test_what_is_no_number_is_nothing_of_the_case(desk: DeskChain) -> None:
    desk.compare(CHAPTER)
    client, match = english(desk.reviewer), CaseMatch.objects.get()
    address = reverse("admin:cases_case_passages", args=[desk.case.pk])
    for key in ("", "x", "-1", "9" * 30, "１"):
        assert client.post(address, {"do": "chapter", "match": key, "reason": "quotation"}).status_code == 404, key
        assert client.post(address, {"do": "passage-back", "key": key}).status_code == 404, key
        said = posted(client, desk.case, do="passage", match=match.pk, passage=key, reason="quotation")
        assert "at least 4 readable characters" in said, "a passage that there is not is none that was chosen"
    assert not ExcludedPassage.objects.exists()


def test_an_older_version_of_the_page_offers_its_passages_as_they_were_found(desk: DeskChain) -> None:
    """Everything left out belongs to the version that the case shows now."""
    desk.compare(CHAPTER)
    first = CaseMatch.objects.get()
    desk.compare(story(92, 30) + CHAPTER)
    client = english(desk.reviewer)
    newest = CaseMatch.objects.exclude(pk=first.pk).get()
    posted(client, desk.case, do="chapter", match=newest.pk, reason="quotation")
    assert 'data-out="1"' in shown(client, desk.case, f"?match={newest.pk}")
    assert 'data-out=""' in shown(client, desk.case, f"?match={first.pk}")


def test_the_history_and_the_export_of_a_case_say_what_was_left_out(desk: DeskChain) -> None:
    desk.compare(CHAPTER)
    client, match = english(desk.reviewer), CaseMatch.objects.get()
    posted(client, desk.case, do="chapter", match=match.pk, reason="public_domain")
    page = posted(client, desk.case, do="passage-back", key=ExcludedPassage.objects.get().pk)
    history = page.partition("Case history")[2]
    assert "only passages that do not count" in history
    assert "the match counts again" in history
    (said,) = case_facts(desk.case)["left_out"]
    assert (said["reason"], said["by"], said["taken_back_by"]) == ("public_domain", "li", "li")
