"""The page of a confirmed notice: sent, answered, countered, taken further; what is due; who may do what."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from core.addressees import AddresseeRole
from core.messages import MailRequested
from core.settings import MailSettings
from tests.support import admin_data, sent_notices
from tests.support.desk import CollectingOutbox, english, forms_with_files, record_url, signed_in
from tests.support.mail_servers import DROP, real_server, scripted
from webadmin.notices.models import EventPaper, Notice, NoticeMail
from webadmin.notices.services import mails
from webadmin.notices.services.counters import enter_counter_statement
from webadmin.notices.services.outcomes import note_outcome
from webadmin.notices.services.sending import EventDetails
from webadmin.sites.models import PageRecord

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_store", "loopback", "processes")]
PDF = b"%PDF-1.7\n"
today = timezone.localdate  # a suite may run over midnight
HOSTILE = "<script>x</script>\u202e"


fill = sent_notices.estate


@pytest.fixture
def mailing(settings: LazySettings) -> None:
    """A server is set; nobody answers there."""
    mail = MailSettings(smtp_url="smtp://127.0.0.1:9", sender=sent_notices.SENDER)
    settings.ZHUIWEN = replace(settings.ZHUIWEN, mail=mail)


def page_of(client: Client, notice: Notice) -> str:
    return client.get(record_url(notice)).content.decode()


def asked(client: Client, notice: Notice, do: str, **given: object) -> str:
    return client.post(record_url(notice), {"do": do, **given}, follow=True).content.decode()


def seen_of(client: Client, notice: Notice) -> str:
    """Return what the button on the preview of the mail sends."""
    page = client.get(record_url(notice), {"mail": "preview"}).content.decode()
    return page.partition('name="seen" value="')[2].partition('"')[0]


def proof() -> SimpleUploadedFile:
    return SimpleUploadedFile("回执.pdf", PDF)


@pytest.mark.usefixtures("mailing")
def test_a_manager_sends_a_worker_carries_it_out_and_the_page_says_so(
    ours: admin_data.Estate, outbox: CollectingOutbox, settings: LazySettings
) -> None:
    notice, manager = sent_notices.confirmed(ours), english(ours.manager)
    assert "?mail=preview" not in page_of(english(ours.reviewer), notice)
    assert ours.addressee.email in page_of(manager, notice)
    assert "only a manager" in asked(english(ours.reviewer), notice, "send")
    assert "review the mail" in asked(manager, notice, "send")
    assert not NoticeMail.objects.exists()
    preview = manager.get(record_url(notice), {"mail": "preview"}).content.decode()
    for shown in (ours.addressee.email, "要求删除或断开链接的通知：《", "附件及其 SHA-256", "通知.pdf</a>"):
        assert shown in preview
    seen = seen_of(manager, notice)
    ours.addressee.email = "other@luoxia.example.net"
    ours.addressee.save()
    assert "review the mail" in asked(manager, notice, "send", seen=seen), "another recipient than was looked at"
    assert not NoticeMail.objects.exists()
    assert "is waiting for the mail server" in asked(manager, notice, "send", seen=seen_of(manager, notice))
    mail = NoticeMail.objects.get()
    assert outbox.sent == [MailRequested(mail.pk)]
    waiting = page_of(manager, notice)
    assert 'http-equiv="refresh"' in waiting
    assert 'value="send"' not in waiting
    assert "is waiting for the mail server; check again" in asked(manager, notice, "send")
    NoticeMail.objects.update(asked_at=timezone.now() - mails.EXPIRES_AFTER)
    assert "no worker has picked it up" in page_of(manager, notice)
    asked(manager, notice, "send")
    assert outbox.sent == [MailRequested(mail.pk)] * 2
    with real_server() as (mailbox, url):
        of_worker = replace(settings.ZHUIWEN, mail=replace(settings.ZHUIWEN.mail, smtp_url=url))
        mails.deliver_mail(mail.pk, of_worker, sent_notices.StandingClock(timezone.now()))
    shown = page_of(manager, notice)
    assert f"an answer is due on {today() + timedelta(days=7)}" in shown
    assert "the mail server accepted it" in shown
    assert 'http-equiv="refresh"' not in shown
    sent = manager.get(record_url(notice), {"file": f"mail-{mail.pk}"})
    assert sent.content == mailbox.contents[0]
    assert sent["Content-Disposition"].endswith('.eml"')
    assert manager.get(record_url(notice), {"file": f"mail-{mail.pk + 1}"}).status_code == 404


@pytest.mark.usefixtures("mailing")
def test_a_broker_that_is_away_is_said_and_nothing_waits(ours: admin_data.Estate, outbox: CollectingOutbox) -> None:
    notice, outbox.is_away = sent_notices.confirmed(ours), True
    manager = english(ours.manager)
    assert "broker" in asked(manager, notice, "send", seen=seen_of(manager, notice))
    assert NoticeMail.objects.get().state == NoticeMail.State.FAILED
    assert "?mail=preview" in page_of(manager, notice)


@pytest.mark.usefixtures("mailing")
def test_what_may_have_gone_out_is_shown_and_decided(ours: admin_data.Estate, settings: LazySettings) -> None:
    notice, manager = sent_notices.confirmed(ours), english(ours.manager)
    with scripted(after_DATA=DROP) as losing:
        lost = replace(settings.ZHUIWEN, mail=replace(settings.ZHUIWEN.mail, smtp_url=losing.url))
        mail = mails.send_now(notice, ours.manager, sent_notices.StandingClock(timezone.now()), lost)
    shown = page_of(manager, notice)
    assert "It may have been sent at" in shown
    assert mail.message_id.strip("<>") in shown
    assert "?mail=preview" not in shown
    assert 'value="went-out"' not in page_of(english(ours.reviewer), notice)
    assert "only a manager" in asked(english(ours.reviewer), notice, "went-out")
    assert "can be sent again" in asked(manager, notice, "not-out")
    assert "?mail=preview" in page_of(manager, notice)
    assert "the result of this mail is already known" in asked(manager, notice, "went-out")


def test_without_a_server_it_is_noted_how_it_was_sent(ours: admin_data.Estate) -> None:
    notice, manager = sent_notices.confirmed(ours), english(ours.manager)
    page = page_of(manager, notice)
    assert "mail is not set up" in page
    assert ["multipart/form-data" in form for form in forms_with_files(page)] == [True]
    assert "mail is not set up" in asked(manager, notice, "send")
    assert manager.get(record_url(notice), {"mail": "preview"}).status_code == 302
    assert "proof of sending" in asked(manager, notice, "sent", way="post", day=str(today()))
    assert "enter the date in the form" in asked(manager, notice, "sent", way="post", day="x", file=proof())
    assert "only a manager" in asked(english(ours.reviewer), notice, "sent", way="post", file=proof())
    shown = asked(manager, notice, "sent", way="courier", day=str(today()), note=HOSTILE, file=proof())
    assert "Marked as sent" in shown
    assert "<script>x" not in shown
    paper = EventPaper.objects.get()
    assert manager.get(record_url(notice), {"file": f"paper-{paper.pk}"}).content == PDF
    other = sent_notices.confirmed(ours)
    assert manager.get(record_url(other), {"file": f"paper-{paper.pk}"}).status_code == 404


def test_what_came_of_it_a_counter_statement_and_the_suit(ours: admin_data.Estate) -> None:
    notice, manager = sent_notices.sent(ours, today() - timedelta(days=2)), english(ours.manager)
    reviewer = english(ours.reviewer)
    assert 'value="outcome"' not in page_of(reviewer, notice)
    forms = forms_with_files(page_of(manager, notice))
    assert forms
    assert all("multipart/form-data" in form for form in forms)
    for deed, given in (("outcome", {"to": "answered"}), ("counter", {})):
        assert "only a manager" in asked(reviewer, notice, deed, **given)
    shown = asked(manager, notice, "outcome", to="answered", day=str(today()), note="要求盖章", file=proof())
    assert "要求盖章" in shown
    assert "an answer is due" not in shown
    first = notice.pages.order_by("pk")[0].case_id
    shown = asked(manager, notice, "counter", day=str(today()), case=[first], file=proof())
    for words in ("about 1 page: no further notice", "Complain or sue until", "20 working days: Civil Code art. 1196"):
        assert words in shown
    counter = notice.counters.get()
    given = {"counter": counter.pk, "kind": "sued", "day": str(today()), "place": HOSTILE, "number": "1"}
    assert "only a manager" in asked(reviewer, notice, "action", **given)
    shown = asked(manager, notice, "action", **given)
    assert "on time" in shown
    assert "<script>x" not in shown
    assert manager.post(record_url(notice), {"do": "action", "counter": "x"}).status_code == 404
    assert manager.post(record_url(notice), {"do": "nonsense"}).status_code == 404
    assert manager.post(record_url(notice), {"do": "counter", "case": "x"}).status_code == 404


def test_a_removal_is_noted_with_proof_and_taken_back(ours: admin_data.Estate) -> None:
    notice, manager = sent_notices.sent(ours, today() - timedelta(days=2)), english(ours.manager)
    page = page_of(manager, notice)
    assert '<input type="file" name="file" required multiple>' in page.partition("The pages were removed")[2]
    assert "proof that the pages were removed" in asked(manager, notice, "outcome", to="removed", day=str(today()))
    PageRecord.objects.filter(pk=notice.pages.all()[0].case.page_id).update(last_seen=timezone.now())
    assert 'name="certain"' in page_of(manager, notice)
    given = {"to": "removed", "day": str(today())}
    assert "still saw the passages" in asked(manager, notice, "outcome", **given, file=proof())
    assert "Recorded." in asked(manager, notice, "outcome", **given, file=proof(), certain="1")
    assert Notice.objects.get(pk=notice.pk).state == Notice.State.REMOVED
    assert "Recorded by mistake" not in page_of(english(ours.reviewer), notice)
    assert "only a manager" in asked(english(ours.reviewer), notice, "take-back")
    shown = asked(manager, notice, "take-back", note=HOSTILE)
    assert "undone: removed" in shown
    assert "<script>x" not in shown
    assert Notice.objects.get(pk=notice.pk).state == Notice.State.SENT


def test_it_is_taken_further_by_a_reviewers_draft(ours: admin_data.Estate) -> None:
    notice, reviewer = sent_notices.sent(ours, today()), english(ours.reviewer)
    host = admin_data.addressee(ours.holder, "某主机商", ours.sites[0], role=AddresseeRole.HOSTS)
    assert f'<option value="{host.pk}">某主机商' in page_of(reviewer, notice)
    shown = asked(reviewer, notice, "escalate", to=host.pk)
    made = Notice.objects.get(escalates=notice)
    assert f"#{notice.pk}" in shown
    assert made.addressee == host
    theirs = admin_data.addressee(admin_data.holder("别家"), "别家主机")
    assert reviewer.post(record_url(notice), {"do": "escalate", "to": theirs.pk}).status_code == 404


@pytest.mark.parametrize("language", ["zh-hans", "en"])
def test_what_is_due_stands_in_inbox_page_and_matter(ours: admin_data.Estate, language: str) -> None:
    reviewer, manager = signed_in(ours.reviewer, language), signed_in(ours.manager, language)
    confirmed = sent_notices.confirmed(ours)
    late, countered = (sent_notices.sent(ours, today() - timedelta(days=30)) for _ in range(2))
    enter_counter_statement(countered, EventDetails(today()), ours.manager, timezone.now())
    page, inbox = reverse("admin:notices_notice_due"), reverse("admin:index")
    words = ("应答复", "投诉或起诉", "已逾期") if language != "en" else ("answer due", "complain or sue", "overdue")
    shown = reviewer.get(page).content.decode()
    for each in words:
        assert each in shown
    assert shown.index(f"#{late.pk}") < shown.index(f"#{countered.pk}")
    assert record_url(late) in reviewer.get(inbox).content.decode()
    matter = reverse("webadmin_matter", args=[late.pages.first().case.matter_id])  # type: ignore[union-attr]
    assert record_url(countered) in reviewer.get(matter).content.decode()
    stranger = signed_in(admin_data.user("stranger", admin_data.holder("别家")))
    for address in (page, inbox):
        assert record_url(late) not in stranger.get(address).content.decode()
    note_outcome(late, Notice.State.CLOSED, ours.manager, timezone.now())
    assert f"#{late.pk}" not in manager.get(page).content.decode()
    for notice in (late, countered, confirmed):
        assert manager.get(record_url(notice)).status_code == 200
