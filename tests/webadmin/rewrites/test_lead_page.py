"""Leads on the desk: their list, their page, and what people say of them; hostile text stays text."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone
from lxml import html as markup

from core.matches import RewordedState
from tests.support import admin_data, case_texts
from tests.support.admin_data import World
from tests.support.case_texts import Texts
from tests.support.desk import english, list_url, record_url, signed_in
from webadmin.rewrites.models import RewordedLead, RewordedVerdict
from webadmin.rewrites.services.verdicts import decide_lead

CASES = 2
# What says more than a comparison of meaning can.
NEVER = ("洗稿", "抄袭", "剽窃", "plagiari", "theft", "stolen")


@pytest.fixture
def texts(world: World, monkeypatch: pytest.MonkeyPatch) -> Texts:
    kept = case_texts.use(monkeypatch)
    for lead in RewordedLead.objects.all():
        kept.keep_lead(lead, admin_data.REWORDED_TEXT, admin_data.WORK_TEXT)
    world.ours.lead.refresh_from_db()
    return kept


def shown(world: World, address: str, language: str = "en", **given: str) -> Any:
    client = signed_in(world.ours.reviewer, language)
    response = client.get(address, given)
    assert response.status_code == 200
    return markup.fromstring(response.content.decode())


def page_of(world: World, language: str = "en") -> Any:
    return shown(world, record_url(world.ours.lead), language)


def said(page: Any, selector: str) -> list[str]:
    return [" ".join(each.text_content().split()) for each in page.cssselect(selector)]


def listed(page: Any) -> list[str]:
    """The keys of the records of a list, in its order."""
    return re.findall(r"rewordedlead/(\d+)/change", "".join(page.xpath("//table[@id='result_list']//th//a/@href")))


def others(world: World) -> Iterator[RewordedLead]:
    estate = world.ours
    for number, score in enumerate((90.0, 50.0)):
        yield admin_data.lead(admin_data.page(estate.sites[1], 300 + number), estate.works[1], score=score)


class TestList:
    def test_waiting_ones_come_first_by_score_and_lapsed_ones_for_who_asks(self, world: World) -> None:
        first, last = others(world)
        lapsed = admin_data.lead(
            admin_data.page(world.ours.sites[1], 400), world.ours.works[1], score=99.0, lapsed_at=timezone.now()
        )
        confirmed = RewordedLead.objects.get(rights_holder=world.ours.holder, state="confirmed")
        RewordedLead.objects.filter(pk=confirmed.pk).update(score=120.0)
        keys = [str(each.pk) for each in (first, world.ours.lead, last, confirmed)]
        assert listed(shown(world, list_url(RewordedLead))) == keys
        assert listed(shown(world, list_url(RewordedLead), lapsed="1")) == [str(lapsed.pk)]

    def test_it_is_filtered_and_searched(self, world: World) -> None:
        for given, count in (
            ({"state__exact": "confirmed"}, 1), ({"found_as__exact": "reworded"}, 1), ({"band": "middle"}, 1),
            ({"band": "high"}, 0), ({"q": "书评"}, 1),
        ):  # fmt: skip
            assert len(listed(shown(world, list_url(RewordedLead), **given))) == count, given


class TestPage:
    def test_it_says_what_it_is_and_is_not(self, world: World, texts: Texts) -> None:
        page = page_of(world)
        assert said(page, ".lead-caution") == [
            "A statistical comparison of meaning. It does not prove copying: a common source, a quotation, or facts "
            "told independently give the same picture."
        ]
        assert said(page, ".lead-count") == ["4 of 6 sentences have a counterpart, 3 in the same order"]
        assert said(page, ".lead-badges .zw-badge")[0] == "suspected rewrite"
        assert "11 of 10,461 unrelated passages" in said(page, ".lead-head")[0]
        for language in ("en", "zh-hans"):
            main = said(page_of(world, language), "main")[0]
            assert not [word for word in (*NEVER, "%") if word in main.lower()]

    def test_sentences_stand_side_by_side_in_the_order_of_the_page(self, world: World, texts: Texts) -> None:
        page = page_of(world)
        rows = said(page, ".lead-rows > li")
        assert rows[0] == "江上的老渡口，许多人只在梦里还见过。"
        assert rows[1].startswith("Page: 货舱里还剩 17 袋米")
        assert "Work: 老周把船缆系在第三根桩上，数了数舱里的米袋，一共十七袋，比上个月少了两袋。" in rows[1]
        assert "no. 2 other order" in rows[1]
        assert "no. 1" in rows[2]
        assert rows[-1] == "后来的人都说，那一夜什么也没有发生。"
        assert len(page.cssselect(".lead-gap")) == 2
        assert [each.get("aria-label") for each in page.cssselect(".lead-dots")] == [
            f"strength {step} of 4" for step in (3, 4, 2, 1)
        ]
        assert [len(page.cssselect(f".lead-order line{which}")) for which in ("", ".is-moved")] == [4, 1]
        assert {"17", "老周", "第三根桩"} <= set(said(page, ".lead-page mark")), "what both have is marked"
        assert {"十七", "老周", "第三根桩"} <= set(said(page, ".lead-work mark"))

    def test_hostile_text_is_text(self, world: World, texts: Texts) -> None:
        lead = world.ours.lead
        start = case_texts.HOSTILE.index("老周")
        RewordedLead.objects.filter(pk=lead.pk).update(
            pairs=[[start, len(case_texts.HOSTILE), 0, 22, 0.9]],
            page_title="<b>\u202e</b>", page_url="javascript:alert(1)",
        )  # fmt: skip
        texts.keep_lead(lead, case_texts.HOSTILE, f"<script>work</script>\u202e{admin_data.WORK_TEXT}")
        page = page_of(world)
        main = page.cssselect("main")[0]
        assert main.cssselect("script, img, b[onmouseover], [x-init]") == []
        assert "<script>alert('script')</script>渡口的灯" in main.text_content()
        assert "<script>work</script>" in main.text_content()
        assert "{{ 7|add:7 }}" in main.text_content()
        assert not set(main.text_content()) & set("\u202e\u200b\ue123\x07")
        assert len(main.cssselect(".lead-gap")) == 1, "what has no counterpart is as hostile"
        assert len(main.cssselect('.lead-rows [data-mark="RLO"]')) >= 2
        assert not [each for each in main.xpath(".//a/@href") if each.startswith("javascript")]

    def test_where_a_text_is_gone_it_is_said(self, world: World, texts: Texts) -> None:
        for field in ("version_id", "text_id", "page_text_digest"):
            before = getattr(world.ours.lead, field)
            RewordedLead.objects.filter(pk=world.ours.lead.pk).update(**{field: "0" * 40})
            page = page_of(world)
            assert "cannot be shown" in said(page, ".zw-note")[1]
            assert page.cssselect(".lead-rows") == []
            assert page.cssselect(".lead-order line"), "places were kept"
            RewordedLead.objects.filter(pk=world.ours.lead.pk).update(**{field: before})

    def test_the_response_is_handed_out_as_a_file(self, world: World, texts: Texts) -> None:
        response = signed_in(world.ours.reviewer).get(record_url(world.ours.lead), {"raw": "1"})
        assert response["Content-Disposition"].startswith("attachment")
        assert response.content == f"<html>{admin_data.REWORDED_TEXT}</html>".encode()


class TestVerdict:
    def send(self, world: World, **form: str) -> Any:
        client = english(world.ours.reviewer)
        given = {"basis": "0", "seen": world.ours.lead.version_id, "verdict": "confirmed", **form}
        return client.post(record_url(world.ours.lead), given, follow=True)

    def test_it_is_given_with_a_note_and_leads_on(self, world: World, texts: Texts) -> None:
        before = page_of(world)
        assert before.cssselect("#lead-next") == [], "nothing is to be done before a person has confirmed it"
        answer = self.send(world, note="逐句改写")
        page = markup.fromstring(answer.content.decode())
        assert said(page, ".desk-messages li") == ["The rewrite was confirmed."]
        assert "逐句改写" in said(page, ".lead-history li")[0]
        assert "Contact at the site" in said(page, ".lead-links li")
        given = RewordedVerdict.objects.get(lead=world.ours.lead)
        assert (given.verdict, given.note) == ("confirmed", "逐句改写")

    def test_it_is_asked_for_again_once_the_page_was_compared_anew(self, world: World, texts: Texts) -> None:
        lead = world.ours.lead
        decide_lead(lead, RewordedState.CONFIRMED, world.ours.reviewer)
        assert said(page_of(world), ".lead-choices button") == ["Dismiss the rewrite", "Reopen"]
        RewordedLead.objects.filter(pk=lead.pk).update(version_id="another")
        lead.refresh_from_db()
        assert said(page_of(world), ".lead-choices button")[0] == "Confirm the rewrite"
        decide_lead(lead, RewordedState.CONFIRMED, world.ours.reviewer)
        assert "Confirm the rewrite" not in said(page_of(world), ".lead-choices button")

    def test_what_is_refused_keeps_its_note(self, world: World, texts: Texts) -> None:
        assert self.send(world).status_code == 200
        answer = self.send(world, verdict="dismissed", note="同一来源")
        assert answer.status_code == 409
        assert "同一来源" in answer.content.decode()
        assert "decided on this suspected rewrite" in answer.content.decode()
        assert RewordedVerdict.objects.filter(lead=world.ours.lead).count() == 1


class TestLetter:
    def test_a_confirmed_lead_says_whether_it_still_stands(self, world: World, texts: Texts) -> None:
        page = page_of(world)
        assert said(page, ".lead-standing") == []
        assert said(page, "#lead-letter ~ p") == [
            "A letter can be drafted once a person has confirmed the suspected rewrite"
        ]
        decide_lead(world.ours.lead, RewordedState.CONFIRMED, world.ours.reviewer)
        page = page_of(world, "zh-hans")
        assert said(page, ".lead-standing")[0].startswith("最近一次见于 ")
        names = said(page, "#lead-letter ~ ul a")
        assert names == ["Word，中文", "纯文本，中文", "Word，英文", "纯文本，英文"]
        client = signed_in(world.ours.reviewer)
        for address in page.xpath("//*[@id='lead-letter']/following-sibling::ul//a/@href"):
            response = client.get(record_url(world.ours.lead) + address)
            assert response["Content-Disposition"].startswith("attachment")
            assert response.content.startswith((b"PK", "沟通函".encode(), b"Letter of enquiry"))

    def test_nobody_has_one_about_a_lead_of_another_holder(self, world: World) -> None:
        decide_lead(world.theirs.lead, RewordedState.CONFIRMED, world.theirs.reviewer)
        response = signed_in(world.ours.manager).get(record_url(world.theirs.lead), {"letter": "txt"})
        assert response.status_code == 404
