"""The desk of notices: drafted from a matter, filled, looked at, confirmed; papers and templates sent up."""

import io
import re

import docx
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.addressees import Paper
from core.contacts import ContactKind
from tests.support import admin_data, sent_notices
from tests.support.admin_data import World
from tests.support.desk import add_url, english, list_url, record_url
from webadmin.cases.models import Case, Matter
from webadmin.notices.models import HolderPaper, Notice, PaperTemplate
from webadmin.notices.services.counters import enter_counter_statement
from webadmin.notices.services.sending import EventDetails
from webadmin.notices.services.standard_templates import standard_template
from webadmin.sites.models import PageRecord

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_store", "processes")]
PDF = b"%PDF-1.7\n"


def fill() -> World:
    made = admin_data.fill_world(cases=4)
    admin_data.author_alias(made.ours.holder, "林栖", made.ours.identity.legal_name)
    for case in made.ours.cases:
        admin_data.decided(case, made.ours.reviewer)
    return made


def first_matter(world: World) -> Matter:
    matter = world.ours.cases[0].matter
    assert matter is not None
    return matter


def drafted(client: Client, matter: Matter, kind: Paper = Paper.ARTICLE_14) -> Notice:
    response = client.post(reverse("admin:notices_notice_draft"), {"matter": matter.pk, "to": str(kind)})
    notice = Notice.objects.latest("pk")
    assert response["Location"] == record_url(notice)
    return notice


def page_of(client: Client, notice: Notice) -> str:
    response = client.get(record_url(notice))
    assert response.status_code == 200
    return response.content.decode()


def test_the_matter_offers_a_draft_which_opens_filled_in(world: World) -> None:
    client, matter = english(world.ours.reviewer), first_matter(world)
    shown = client.get(reverse("webadmin_matter", args=[matter.pk])).content.decode()
    assert "Draft a notice" in shown
    notice = drafted(client, matter)
    page = page_of(client, notice)
    assert f'value="{world.ours.identity.legal_name}"' in page
    assert "Still to be filled in:" in page
    assert "article 14 (1)" in page
    assert "A manager of the rights holder confirms it." in page
    cases = Case.objects.filter(matter=matter)
    for case in cases:
        assert case.page_url in page
    assert f"No third party has captured {len(cases)} pages" in page


def test_a_draft_is_saved_looked_at_confirmed_and_handed_out(world: World) -> None:
    client, manager = english(world.ours.reviewer), english(world.ours.manager)
    notice = drafted(client, first_matter(world))
    assert client.get(record_url(notice), {"file": "pdf"}).status_code == 302, "it lacks the addressee"
    client.post(record_url(notice), {"do": "save", "addressee_name": "墨香云<b>公司"})
    assert Notice.objects.latest("pk").values["addressee_name"] == "墨香云<b>公司"
    assert "墨香云&lt;b&gt;公司" in page_of(client, notice)
    looked_at = client.get(record_url(notice), {"file": "docx"})
    assert looked_at["Content-Disposition"].startswith("attachment")
    assert any("墨香云<b>公司" in each.text for each in docx.Document(io.BytesIO(looked_at.content)).paragraphs)
    assert client.get(record_url(notice), {"file": "pdf"}).content.startswith(b"%PDF")
    refused = client.post(record_url(notice), {"do": "confirm"}, follow=True).content.decode()
    assert "only a manager" in refused
    assert Notice.objects.latest("pk").state == Notice.State.DRAFTED
    done = manager.post(record_url(notice), {"do": "confirm", "demands": "立即删除"}, follow=True).content.decode()
    assert "nothing was sent" in done
    file = Notice.objects.latest("pk").files.all()[0]
    response = client.get(record_url(notice), {"file": file.pk})
    assert response["X-Content-Type-Options"] == "nosniff"
    assert any("立即删除" in each.text for each in docx.Document(io.BytesIO(response.content)).paragraphs)
    assert client.get(record_url(notice), {"file": "pdf"}).status_code == 404
    assert client.get(record_url(notice), {"file": file.pk + 999}).status_code == 404
    manager.post(record_url(notice), {"do": "withdraw", "note": "撤回"})
    assert Notice.objects.latest("pk").state == Notice.State.WITHDRAWN
    assert "撤回" in page_of(client, notice)


def test_unfit_pages_are_said_and_an_unconfirmed_matter_has_no_notice(world: World) -> None:
    client, matter, draft = english(world.ours.reviewer), first_matter(world), reverse("admin:notices_notice_draft")
    first = Case.objects.filter(matter=matter)[0]
    PageRecord.objects.filter(pk=first.page_id).update(version_id="another")
    notice = drafted(client, matter)
    assert "decide again first" in page_of(client, notice)
    Case.objects.filter(matter=matter).update(state="open", decision=None, decided_as="")
    response = client.post(draft, {"matter": matter.pk, "to": "article_14"}, follow=True)
    assert "no case is confirmed" in response.content.decode()
    assert Notice.objects.latest("pk") == notice


def test_an_addressee_that_was_entered_fills_the_notice_and_decides_the_paper(world: World) -> None:
    client, matter = english(world.ours.reviewer), first_matter(world)
    entered = admin_data.addressee(world.ours.holder, "墨香云", matter.site, legal_name="墨香云存储公司", phone="010-1")
    admin_data.contact(matter.site, ContactKind.ICP, "沪ICP备12345678号-1")
    shown = client.get(reverse("webadmin_matter", args=[matter.pk])).content.decode()
    assert f'<option value="to-{entered.pk}">墨香云 · notice to remove' in shown
    draft = reverse("admin:notices_notice_draft")
    client.post(draft, {"matter": matter.pk, "to": f"to-{entered.pk}"})
    notice = Notice.objects.latest("pk")
    assert (notice.addressee, notice.kind) == (entered, Paper.ARTICLE_14)
    wanted = {"addressee_name": "墨香云存储公司", "addressee_phone": "010-1", "site_record": "沪ICP备12345678号-1"}
    assert wanted.items() <= notice.values.items()
    theirs = admin_data.addressee(world.theirs.holder, "别家")
    for to in (f"to-{theirs.pk}", "to-x", str(entered.pk), "to-"):
        assert client.post(draft, {"matter": matter.pk, "to": to}).status_code == 404


def test_nothing_of_another_rights_holder_can_be_named(world: World) -> None:
    theirs, stranger = world.theirs, english(world.theirs.manager)
    notice = drafted(english(world.ours.reviewer), first_matter(world))
    assert stranger.get(record_url(notice)).status_code == 404
    assert stranger.post(record_url(notice), {"do": "withdraw"}).status_code == 404
    draft = reverse("admin:notices_notice_draft")
    assert stranger.post(draft, {"matter": first_matter(world).pk, "to": "article_14"}).status_code == 404
    for values in ({"matter": "x", "to": "article_14"}, {"matter": first_matter(world).pk, "to": "x"}):
        assert english(world.ours.reviewer).post(draft, values).status_code == 404
    assert english(world.ours.reviewer).get(draft).status_code == 404
    paper = admin_data.keep_paper(theirs.holder, HolderPaper.Kind.IDENTITY, "执照.pdf", PDF, theirs.manager)
    address = reverse("admin:notices_holderpaper_file", args=[paper.pk])
    assert english(world.ours.manager).get(address).status_code == 404
    assert stranger.get(address).content == PDF


def test_a_manager_sends_papers_up_and_takes_them_back(world: World) -> None:
    manager, holder = english(world.ours.manager), world.ours.holder
    given = {"rights_holder": holder.pk, "kind": "authority", "valid_from": "2026-01-01", "valid_until": "2026-12-31"}
    refused = manager.post(add_url(HolderPaper), {**given, "file": SimpleUploadedFile("x.pdf", b"MZ")})
    assert "not a PDF" in refused.content.decode()
    wrong = {**given, "valid_until": "2025-01-01", "work": world.theirs.works[0].pk}
    refused = manager.post(add_url(HolderPaper), {**wrong, "file": SimpleUploadedFile("x.pdf", PDF)})
    assert "before it begins" in refused.content.decode()
    assert not HolderPaper.objects.filter(withdrawn_at=None).exists()
    manager.post(add_url(HolderPaper), {**given, "file": SimpleUploadedFile("委托书.pdf", PDF)})
    paper = HolderPaper.objects.get(withdrawn_at=None)
    assert (paper.name, paper.added_by, str(paper.valid_until)) == ("委托书.pdf", world.ours.manager, "2026-12-31")
    assert paper.digest in manager.get(record_url(paper)).content.decode()
    assert english(world.ours.reviewer).get(add_url(HolderPaper)).status_code == 403
    manager.post(list_url(HolderPaper), {"action": "take_back", "_selected_action": [paper.pk]})
    paper.refresh_from_db()
    assert paper.withdrawn_by == world.ours.manager


@pytest.mark.usefixtures("processes")
def test_a_template_is_taken_down_tried_and_kept(world: World) -> None:
    manager, holder = english(world.ours.manager), world.ours.holder
    form = manager.get(add_url(PaperTemplate)).content.decode()
    (address, *_) = re.findall(r'href="(/admin/notices/papertemplate/standard/article_14/)"', form)
    standard = manager.get(address).content
    assert docx.Document(io.BytesIO(standard)).paragraphs
    assert manager.get(address.replace("article_14", "nonsense")).status_code == 404
    given = {"rights_holder": holder.pk, "kind": "article_14"}
    dmca = SimpleUploadedFile("x.docx", standard_template(Paper.DMCA))
    refused = manager.post(add_url(PaperTemplate), {**given, "file": dmca}).content.decode()
    assert "the template lacks {{权利人身份证明}}" in refused
    manager.post(add_url(PaperTemplate), {**given, "file": SimpleUploadedFile("own.docx", standard)})
    assert PaperTemplate.objects.get(withdrawn_at=None).name == "own.docx"


def test_how_the_addressee_answered_so_far_stands_where_the_next_notice_is_written(world: World) -> None:
    ours = world.ours
    type(ours.addressee).objects.filter(pk=ours.addressee.pk).update(asks_for_seal=True)
    client = english(ours.reviewer)
    response = client.post(
        reverse("admin:notices_notice_draft"), {"matter": first_matter(world).pk, "to": f"to-{ours.addressee.pk}"}
    )
    page = client.get(response["Location"]).content.decode()
    assert "So far:" in page
    assert "asks for the seal" in page
    assert "So far:" not in page_of(client, drafted(client, first_matter(world)))


def test_a_counter_statement_entered_by_mistake_is_taken_back_by_a_manager(world: World) -> None:
    notice = sent_notices.sent(world.ours, timezone.localdate())
    counter = enter_counter_statement(notice, EventDetails(), world.ours.manager, timezone.now())
    client, back = english(world.ours.manager), {"do": "counter-back", "counter": counter.pk, "note": "记错了"}
    assert "Entered by mistake" in page_of(client, notice)
    assert "Entered by mistake" not in page_of(english(world.ours.reviewer), notice)
    english(world.ours.reviewer).post(record_url(notice), back)
    assert Notice.objects.get(pk=notice.pk).state == Notice.State.COUNTERED
    client.post(record_url(notice), back)
    assert Notice.objects.get(pk=notice.pk).state == Notice.State.SENT
    shown = page_of(client, notice)
    assert ": withdrawn." in shown
    assert "Entered by mistake" not in shown
    assert client.post(record_url(notice), {**back, "counter": "0"}).status_code == 404
