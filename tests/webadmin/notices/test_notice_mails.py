"""Mails of notices: kept before they go out, sent once, and unknown where nobody can know."""

from collections.abc import Iterator
from datetime import timedelta
from email import message_from_bytes
from email.policy import default

import pytest
from django.db import OperationalError
from django.utils import timezone

from core.errors import BadInput
from core.ids import Digest, digest
from core.messages import MailRequested
from tests.support import admin_data, sent_notices
from tests.support.desk import CollectingOutbox
from tests.support.mail_servers import DROP, Mailbox, real_server, scripted
from tests.support.memory_evidence import MemoryEvidenceStore
from tests.support.sent_notices import SENDER, StandingClock, mailing
from webadmin.notices.models import HolderPaper, Notice, NoticeFile, NoticeMail
from webadmin.notices.services import mails
from webadmin.notices.services.drafting import confirm, draft, withdraw, write_fields
from webadmin.notices.services.kept_files import withdraw_file
from webadmin.notices.services.mail_message import attached_files
from webadmin.notices.services.sending import EventDetails, mark_sent
from webadmin.notices.services.values import notice_cases
from webadmin.sites.models import PageRecord

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_store", "loopback", "processes")]
PDF = b"%PDF-1.7\n"
State = NoticeMail.State


fill = sent_notices.estate


@pytest.fixture
def notice(ours: admin_data.Estate) -> Notice:
    return sent_notices.confirmed(ours)


@pytest.fixture
def server() -> Iterator[tuple[Mailbox, str]]:
    with real_server() as made:
        yield made


@pytest.fixture
def clock() -> StandingClock:
    return StandingClock(timezone.now())


def reloaded(notice: Notice) -> Notice:
    return Notice.objects.get(pk=notice.pk)


def test_a_notice_goes_out_with_its_files_and_its_bytes_are_kept(
    ours: admin_data.Estate,
    notice: Notice,
    server: tuple[Mailbox, str],
    clock: StandingClock,
    evidence_store: MemoryEvidenceStore,
) -> None:
    mailbox, url = server
    mail = mails.send_now(notice, ours.manager, clock, mailing(url))
    (content,) = mailbox.contents
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
    sent = reloaded(notice)
    assert (sent.state, sent.sent_on) == (Notice.State.SENT, timezone.localdate(clock.now()))
    assert sent.answer_due == sent.sent_on + timedelta(days=7)  # type: ignore[operator]
    event = sent.events.last()
    assert (event.by, event.way, event.note) == (ours.manager, "mail", mail.message_id)  # type: ignore[union-attr]
    with pytest.raises(BadInput, match="no longer in that state"):
        mails.send_now(notice, ours.manager, clock, mailing(url))
    assert len(mailbox.contents) == 1


def test_it_waits_for_a_worker_that_may_be_told_twice(
    ours: admin_data.Estate, notice: Notice, server: tuple[Mailbox, str], clock: StandingClock
) -> None:
    outbox, settings = CollectingOutbox(), mailing(server[1])
    mail = mails.request_mail(notice, ours.manager, clock.now(), outbox, settings)
    assert (mail.state, outbox.sent) == (State.PREPARED, [MailRequested(mail.pk)])
    with pytest.raises(BadInput, match="is waiting for the mail server"):
        mails.request_mail(notice, ours.manager, clock.now(), outbox, settings)
    clock.at += mails.EXPIRES_AFTER
    assert mails.request_mail(notice, ours.manager, clock.now(), outbox, settings) == mail
    for message in outbox.sent:
        mails.deliver(message.mail_id, settings, clock)
    assert len(outbox.sent) == 2
    assert len(server[0].contents) == 1
    assert reloaded(notice).state == Notice.State.SENT


def test_a_refused_mail_may_be_sent_again(
    ours: admin_data.Estate, notice: Notice, server: tuple[Mailbox, str], clock: StandingClock
) -> None:
    with scripted(after_DATA=b"550 not here\r\n") as refusing:
        mail = mails.send_now(notice, ours.manager, clock, mailing(refusing.url))
    assert mail.state == State.FAILED
    assert mail.said is not None
    assert "550 not here" in str(mail.said)
    assert reloaded(notice).state == Notice.State.CONFIRMED
    again = mails.send_now(notice, ours.manager, clock, mailing(server[1]))
    assert (again.state, again.attempt) == (State.SENT, 2)
    assert again.message_id != mail.message_id


def test_what_is_lost_after_the_final_dot_waits_for_a_person(
    ours: admin_data.Estate, notice: Notice, server: tuple[Mailbox, str], clock: StandingClock
) -> None:
    with scripted(after_DATA=DROP) as losing:
        mail = mails.send_now(notice, ours.manager, clock, mailing(losing.url))
        assert (mail.state, len(losing.received)) == (State.UNKNOWN, 1)
    for _ in range(2):
        with pytest.raises(BadInput, match="may already have been sent"):
            mails.send_now(notice, ours.manager, clock, mailing(server[1]))
    with pytest.raises(BadInput, match="may already have been sent"):
        withdraw(notice, ours.manager)
    with pytest.raises(BadInput, match="may already have been sent"):
        mark_sent(notice, "post", EventDetails(files=[("单.pdf", PDF)]), ours.manager, clock.now())
    with pytest.raises(BadInput, match="only a manager"):
        mails.settle_mail(mail, ours.reviewer, clock.now(), went_out=True)
    mails.settle_mail(mail, ours.manager, clock.now(), went_out=False)
    with pytest.raises(BadInput, match="the result of this mail is already known"):
        mails.settle_mail(mail, ours.manager, clock.now(), went_out=True)
    assert mails.send_now(notice, ours.manager, clock, mailing(server[1])).attempt == 2
    assert len(server[0].contents) == 1


def test_a_person_says_that_it_went_out(ours: admin_data.Estate, notice: Notice, clock: StandingClock) -> None:
    with scripted(after_DATA=DROP) as losing:
        mail = mails.send_now(notice, ours.manager, clock, mailing(losing.url))
    mails.settle_mail(mail, ours.manager, clock.now(), went_out=True)
    assert (mail.state, mail.settled_by) == (State.SENT, ours.manager)
    assert reloaded(notice).state == Notice.State.SENT


def test_a_broken_sending_becomes_unknown(ours: admin_data.Estate, notice: Notice, clock: StandingClock) -> None:
    settings = mailing("smtp://127.0.0.1:9")
    mail = mails.request_mail(notice, ours.manager, clock.now(), CollectingOutbox(), settings)
    NoticeMail.objects.filter(pk=mail.pk).update(state=State.TRYING, began_at=clock.now())
    mails.deliver(mail.pk, settings, clock)
    mails.mark_lost_mails(clock.now())
    mail.refresh_from_db()
    assert mail.state == State.TRYING
    clock.at += mails.LOST_AFTER
    mails.mark_lost_mails(clock.now())
    mail.refresh_from_db()
    assert (mail.state, mail.said.code) == (State.UNKNOWN, "mail.may-have-gone")  # type: ignore[union-attr]


def test_what_failed_for_good_is_said(ours: admin_data.Estate, notice: Notice, clock: StandingClock) -> None:
    settings = mailing("smtp://127.0.0.1:9")
    mail = mails.request_mail(notice, ours.manager, clock.now(), CollectingOutbox(), settings)
    mails.give_up(mail.pk, clock.now())
    mail.refresh_from_db()
    assert (mail.state, mail.said.code) == (State.FAILED, "mail.broken-off")  # type: ignore[union-attr]
    mail = mails.request_mail(notice, ours.manager, clock.now(), CollectingOutbox(), settings)
    NoticeMail.objects.filter(pk=mail.pk).update(state=State.TRYING, began_at=clock.now())
    mails.give_up(mail.pk, clock.now())
    mail.refresh_from_db()
    assert mail.state == State.UNKNOWN


def test_a_mail_needs_an_address_and_its_size(ours: admin_data.Estate, notice: Notice, clock: StandingClock) -> None:
    settings = mailing("smtp://127.0.0.1:9")
    ours.addressee.max_attachments_mb = 1
    ours.addressee.save()
    notice.files.update(size=800_000)
    with pytest.raises(BadInput, match=r"with its files has 2\.2 MB, but the addressee accepts at most 1 MB"):
        mails.send_now(notice, ours.manager, clock, settings)
    ours.addressee.max_attachments_mb, ours.addressee.email = None, ""
    ours.addressee.save()
    for written in ("", "no address", "a@b.example\r\nBcc: c@d.example"):
        Notice.objects.filter(pk=notice.pk).update(values={**notice.values, "addressee_email": written})
        with pytest.raises(BadInput, match="no valid e-mail address"):
            mails.send_now(notice, ours.manager, clock, settings)
    assert not NoticeMail.objects.exists()


def test_a_page_that_changed_since_it_was_confirmed_keeps_the_notice_at_home(
    ours: admin_data.Estate, notice: Notice, server: tuple[Mailbox, str], clock: StandingClock
) -> None:
    waiting = mails.request_mail(notice, ours.manager, clock.now(), CollectingOutbox(), mailing(server[1]))
    page = notice_cases(notice)[0].page
    PageRecord.objects.filter(pk=page.pk).update(version_id="another")
    mails.deliver(waiting.pk, mailing(server[1]), clock)
    waiting.refresh_from_db()
    assert (waiting.state, waiting.said.code) == (State.FAILED, "notice.pages-unfit")  # type: ignore[union-attr]
    with pytest.raises(BadInput, match="the page has changed since the verdict"):
        mails.send_now(notice, ours.manager, clock, mailing(server[1]))
    assert not server[0].contents


def test_an_ended_authority_keeps_it(
    ours: admin_data.Estate, server: tuple[Mailbox, str], clock: StandingClock
) -> None:
    today = timezone.localdate(clock.now())
    paper = admin_data.keep_paper(
        ours.holder, HolderPaper.Kind.AUTHORITY, "授权委托书.pdf", PDF, ours.manager, valid_until=today
    )
    cases = notice_cases(sent_notices.confirmed(ours))
    admin_data.author_alias(ours.holder, "林栖", ours.identity.legal_name)
    notice = draft(cases, "article_14", ours.reviewer, ours.addressee).notice  # type: ignore[arg-type]
    write_fields(notice, {"agent_name": "某律师事务所"}, ours.reviewer)
    confirm(notice, ours.manager)
    clock.at += timedelta(days=1)
    with pytest.raises(BadInput, match=r"授权委托书\.pdf.*is not valid today"):
        mails.send_now(notice, ours.manager, clock, mailing(server[1]))
    clock.at -= timedelta(days=1)
    withdraw_file(paper, ours.manager)
    with pytest.raises(BadInput, match="was taken back"):
        mails.send_now(notice, ours.manager, clock, mailing(server[1]))
    assert not server[0].contents


def test_a_mail_that_waits_is_taken_back_with_its_notice(
    ours: admin_data.Estate, notice: Notice, server: tuple[Mailbox, str], clock: StandingClock
) -> None:
    waiting = mails.request_mail(notice, ours.manager, clock.now(), CollectingOutbox(), mailing(server[1]))
    withdraw(notice, ours.manager)
    mails.deliver(waiting.pk, mailing(server[1]), clock)
    waiting.refresh_from_db()
    assert (waiting.state, server[0].contents) == (State.FAILED, [])


def test_a_mail_that_waits_does_not_go_to_an_address_that_was_mended_meanwhile(
    ours: admin_data.Estate, notice: Notice, server: tuple[Mailbox, str], clock: StandingClock
) -> None:
    outbox, settings = CollectingOutbox(), mailing(server[1])
    mail = mails.request_mail(notice, ours.manager, clock.now(), outbox, settings)
    type(ours.addressee).objects.filter(pk=ours.addressee.pk).update(email="right@luoxia.example.net")
    mails.deliver(mail.pk, settings, clock)
    mail.refresh_from_db()
    assert (mail.state, mail.said.code, server[0].contents) == (State.FAILED, "mail.other-address", [])
    again = mails.send_now(reloaded(notice), ours.manager, clock, settings)
    assert (again.state, again.recipient) == (State.SENT, "right@luoxia.example.net")


def test_a_busy_database_is_asked_again_for_what_came_of_a_mail(
    ours: admin_data.Estate,
    notice: Notice,
    server: tuple[Mailbox, str],
    clock: StandingClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mails, "PAUSES_S", (0.0, 0.0))
    write, busy = mails._write_result, [OperationalError("database is locked")]

    def written(*given: object) -> None:
        if busy:
            raise busy.pop()
        write(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(mails, "_write_result", written)
    assert mails.send_now(notice, ours.manager, clock, mailing(server[1])).state == State.SENT
