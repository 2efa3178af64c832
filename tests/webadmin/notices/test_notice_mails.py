"""Mails of notices: kept before they go out, sent once, and unknown where nobody can know."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from email import message_from_bytes
from email.policy import default

import pytest
from django.db import OperationalError
from django.utils import timezone

from core.ids import Digest, digest
from core.messages import MailRequested
from core.settings import Settings
from tests.support import admin_data, sent_notices
from tests.support.desk import CollectingOutbox
from tests.support.mail_servers import DROP, Mailbox, real_server, scripted
from tests.support.memory_evidence import MemoryEvidenceStore
from tests.support.refusals import refused
from tests.support.sent_notices import SENDER, StandingClock, mailing
from webadmin.notices.models import HolderPaper, Notice, NoticeFile, NoticeMail
from webadmin.notices.services import mails
from webadmin.notices.services.drafting import confirm_notice, draft_notice, withdraw_notice, write_fields
from webadmin.notices.services.kept_files import withdraw_file
from webadmin.notices.services.mail_message import attached_files
from webadmin.notices.services.sending import EventDetails, mark_sent
from webadmin.notices.services.values import notice_cases
from webadmin.sites.models import PageRecord

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_store", "loopback", "processes")]
PDF = b"%PDF-1.7\n"
State = NoticeMail.State


fill = sent_notices.estate


@dataclass
class Post:
    """A confirmed notice, and a server that takes its mail."""

    ours: admin_data.Estate
    mailbox: Mailbox
    settings: Settings
    outbox: CollectingOutbox = field(default_factory=CollectingOutbox)

    def __post_init__(self) -> None:
        self.key = sent_notices.confirmed(self.ours).pk
        self.clock = StandingClock(timezone.now())

    @property
    def notice(self) -> Notice:
        return Notice.objects.get(pk=self.key)

    def request(self) -> NoticeMail:
        """Leave it to a worker."""
        return mails.request_mail(self.notice, self.ours.manager, self.clock.now(), self.outbox, self.settings)

    def deliver(self, mail: NoticeMail) -> NoticeMail:
        """Do what a worker does."""
        mails.deliver_mail(mail.pk, self.settings, self.clock)
        return NoticeMail.objects.get(pk=mail.pk)

    def send(self, through: str = "") -> NoticeMail:
        """By its own server, or through another."""
        settings = mailing(through) if through else self.settings
        return mails.send_now(self.notice, self.ours.manager, self.clock, settings)

    def lose(self) -> NoticeMail:
        """Send it through a server that is gone before it has answered."""
        with scripted(after_DATA=DROP) as losing:
            mail = self.send(losing.url)
        assert (mail.state, len(losing.received)) == (State.UNKNOWN, 1)
        return mail


@pytest.fixture
def post(ours: admin_data.Estate) -> Iterator[Post]:
    with real_server() as (mailbox, url):
        yield Post(ours, mailbox, mailing(url))


def test_a_notice_goes_out_with_its_files_and_its_bytes_are_kept(
    post: Post, evidence_store: MemoryEvidenceStore
) -> None:
    ours, notice, mail = post.ours, post.notice, post.send()
    (content,) = post.mailbox.contents
    assert (mail.state, mail.digest, evidence_store.get(Digest(mail.digest))) == (State.SENT, digest(content), content)
    message = message_from_bytes(content, policy=default)
    assert message["Message-ID"] == mail.message_id
    assert message["Message-ID"].startswith(f"<notice-{notice.pk}-1-")
    assert mail.message_id.endswith("@changhe.example>"), "of the operator's sender"
    assert (mail.sender, message["To"]) == (SENDER, ours.addressee.email)
    assert message["Reply-To"] == ours.identity.email
    attached = {part.get_filename(): digest(part.get_content()) for part in message.iter_attachments()}  # type: ignore[attr-defined]
    assert attached == {file.name: file.digest for file in notice.files.all()}
    for name, content in (("通知.docx", b"PK the same in Word"), ("执照.docx", b"PK only in Word")):
        NoticeFile.objects.create(notice=notice, name=name, digest=digest(content), size=len(content))
    assert [file.name for file in attached_files(notice)] == ["通知.pdf", "比对表.docx", "执照.docx"]
    sent = post.notice
    assert (sent.state, sent.sent_on) == (Notice.State.SENT, timezone.localdate(post.clock.now()))
    assert sent.answer_due == sent.sent_on + timedelta(days=7)  # type: ignore[operator]
    event = sent.events.last()
    assert (event.by, event.way, event.note) == (ours.manager, "mail", mail.message_id)  # type: ignore[union-attr]
    refused("no longer in that state", post.send)
    assert len(post.mailbox.contents) == 1


def test_it_waits_for_a_worker_that_may_be_told_twice(post: Post) -> None:
    mail = post.request()
    assert (mail.state, post.outbox.sent) == (State.PREPARED, [MailRequested(mail.pk)])
    refused("is waiting for the mail server", post.request)
    post.clock.at += mails.EXPIRES_AFTER
    assert post.request() == mail
    assert post.outbox.sent == [MailRequested(mail.pk)] * 2
    for _ in range(2):
        post.deliver(mail)
    assert len(post.mailbox.contents) == 1
    assert post.notice.state == Notice.State.SENT


def test_a_refused_mail_may_be_sent_again(post: Post) -> None:
    with scripted(after_DATA=b"550 not here\r\n") as refusing:
        mail = post.send(refusing.url)
    assert mail.state == State.FAILED
    assert "550 not here" in str(mail.said)
    assert post.notice.state == Notice.State.CONFIRMED
    again = post.send()
    assert (again.state, again.attempt) == (State.SENT, 2)
    assert again.message_id != mail.message_id


def test_what_is_lost_after_the_final_dot_waits_for_a_person(post: Post) -> None:
    mail, notice, now, manager = post.lose(), post.notice, post.clock.now(), post.ours.manager
    proof = EventDetails(files=[("单.pdf", PDF)])
    for meanwhile in (
        post.send,
        post.send,
        lambda: withdraw_notice(notice, manager),
        lambda: mark_sent(notice, "post", proof, manager, now),
    ):
        refused("may already have been sent", meanwhile)
    refused("only a manager", mails.settle_mail, mail, post.ours.reviewer, now, went_out=True)
    mails.settle_mail(mail, manager, now, went_out=False)
    refused("the result of this mail is already known", mails.settle_mail, mail, manager, now, went_out=True)
    assert post.send().attempt == 2
    assert len(post.mailbox.contents) == 1


def test_a_person_says_that_it_went_out(post: Post) -> None:
    mail = post.lose()
    mails.settle_mail(mail, post.ours.manager, post.clock.now(), went_out=True)
    assert (mail.state, mail.settled_by) == (State.SENT, post.ours.manager)
    assert post.notice.state == Notice.State.SENT


def test_a_broken_sending_becomes_unknown_and_one_that_never_began_has_failed(post: Post) -> None:
    failed = post.request()
    mails.record_failure(failed.pk, post.clock.now())
    failed.refresh_from_db()
    assert (failed.state, failed.said.code) == (State.FAILED, "mail.broken-off")  # type: ignore[union-attr]
    mail = post.request()
    NoticeMail.objects.filter(pk=mail.pk).update(state=State.TRYING, began_at=post.clock.now())
    assert post.deliver(mail).state == State.TRYING
    mails.mark_lost_mails(post.clock.now())
    mail.refresh_from_db()
    assert mail.state == State.TRYING
    post.clock.at += mails.LOST_AFTER
    mails.mark_lost_mails(post.clock.now())
    mail.refresh_from_db()
    assert (mail.state, mail.said.code) == (State.UNKNOWN, "mail.may-have-gone")  # type: ignore[union-attr]
    NoticeMail.objects.filter(pk=mail.pk).update(state=State.TRYING)
    mails.record_failure(mail.pk, post.clock.now())
    mail.refresh_from_db()
    assert mail.state == State.UNKNOWN


def test_a_mail_needs_an_address_and_its_size(post: Post) -> None:
    addressee, notice = post.ours.addressee, post.notice
    addressee.max_attachments_mb = 1
    addressee.save()
    notice.files.update(size=800_000)
    refused(r"with its files has 2\.2 MB, but the addressee accepts at most 1 MB", post.send)
    addressee.max_attachments_mb, addressee.email = None, ""
    addressee.save()
    for written in ("", "no address", "a@b.example\r\nBcc: c@d.example"):
        Notice.objects.filter(pk=notice.pk).update(values={**notice.values, "addressee_email": written})
        refused("no valid e-mail address", post.send)
    assert not NoticeMail.objects.exists()


def test_a_page_that_changed_since_it_was_confirmed_keeps_the_notice_at_home(post: Post) -> None:
    waiting = post.request()
    PageRecord.objects.filter(pk=notice_cases(post.notice)[0].page_id).update(version_id="another")
    waiting = post.deliver(waiting)
    assert (waiting.state, waiting.said.code) == (State.FAILED, "notice.pages-unfit")  # type: ignore[union-attr]
    refused("the page has changed since the verdict", post.send)
    assert not post.mailbox.contents


def test_an_ended_authority_keeps_it(post: Post) -> None:
    ours, today = post.ours, timezone.localdate(post.clock.now())
    kind, name = HolderPaper.Kind.AUTHORITY, "授权委托书.pdf"
    paper = admin_data.keep_paper(ours.holder, kind, name, PDF, ours.manager, valid_until=today)
    admin_data.author_alias(ours.holder, "林栖", ours.identity.legal_name)
    notice = draft_notice(notice_cases(post.notice), "article_14", ours.reviewer, ours.addressee).notice  # type: ignore[arg-type]
    write_fields(notice, {"agent_name": "某律师事务所"}, ours.reviewer)
    confirm_notice(notice, ours.manager)
    post.key = notice.pk
    post.clock.at += timedelta(days=1)
    refused(r"授权委托书\.pdf.*is not valid today", post.send)
    post.clock.at -= timedelta(days=1)
    withdraw_file(paper, ours.manager)
    refused("was withdrawn", post.send)
    assert not post.mailbox.contents


def test_a_mail_that_waits_does_not_go_to_an_address_that_was_mended_meanwhile(post: Post) -> None:
    mail, addressee = post.request(), post.ours.addressee
    type(addressee).objects.filter(pk=addressee.pk).update(email="right@luoxia.example.net")
    mail = post.deliver(mail)
    assert (mail.state, mail.said.code, post.mailbox.contents) == (State.FAILED, "mail.other-address", [])  # type: ignore[union-attr]
    again = post.send()
    assert (again.state, again.recipient) == (State.SENT, "right@luoxia.example.net")


def test_a_busy_database_is_asked_again_for_what_came_of_a_mail(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mails, "PAUSES_S", (0.0, 0.0))
    write, busy = mails._write_result, [OperationalError("database is locked")]

    def written(*given: object) -> None:
        if busy:
            raise busy.pop()
        write(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(mails, "_write_result", written)
    assert post.send().state == State.SENT
