"""Sends the mails of notices. Each mail is stored before its only attempt and never sent again automatically.

A mail is `prepared`, then `trying`, then `sent`, `failed` or `unknown`. The state `trying` is committed before the
first byte is sent. If the process dies then, the mail stays in that state. After LOST_AFTER it counts as unknown, and a
user checks the mailbox and decides.
"""

import time
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils.timezone import localtime

from core.errors import BadInput, RetryLater
from core.ids import Digest, digest
from core.mail_servers import parse_mail_server
from core.messages import MailRequested
from core.ports import Clock, Outbox
from core.settings import Settings
from core.wording import Message
from webadmin import stores
from webadmin.accounts.models import User
from webadmin.database import AWAY, is_outage, refresh_connections
from webadmin.notices.models import Notice, NoticeEvent, NoticeMail
from webadmin.notices.services.events import lock_notice
from webadmin.notices.services.fitness import require_fit
from webadmin.notices.services.kept_files import require_manager
from webadmin.notices.services.mail_message import (
    compose_mail,
    mail_bytes,
    preview_mail,
    recipient_address,
    require_size,
)
from webadmin.notices.services.sending import local_day, note_sent
from webadmin.notices.services.smtp import Letter, Outcome, SendResult, send_letter

State = NoticeMail.State
# As in webadmin.sites.services.look_ups: a request this old was lost, and a second one does no harm.
EXPIRES_AFTER = timedelta(minutes=15)
# Longer than the hard limit of a worker's task (six minutes) and of an SMTP session (webadmin.notices.services.smtp),
# so that the process must have died.
LOST_AFTER = timedelta(minutes=7)
PAUSES_S = (1.0, 3.0, 9.0)  # Chosen: a database that takes longer is not merely busy.


def request_mail(
    notice: Notice, by: User, now: datetime, outbox: Outbox, settings: Settings, *, seen: str | None = None
) -> NoticeMail:
    """Queue the mail of a confirmed notice for a worker, and return it.

    seen: the digest of the preview that the user saw, or None. Raises BadInput if the notice cannot be sent or the mail
    has changed since the preview, and ServiceUnavailable if the broker is unreachable; then the mail is marked as
    failed.
    """
    mail, is_new = _prepare_mail(notice, by, now, settings, seen)
    if not is_new and not _renew_mail(mail, now):
        raise BadInput("mail.waits")
    try:
        outbox.send(MailRequested(mail.pk))
    except RetryLater as error:
        _change_state(mail.pk, State.PREPARED, State.FAILED, now, error.message)
        raise
    return mail


def send_now(notice: Notice, by: User, clock: Clock, settings: Settings) -> NoticeMail:
    """Send a confirmed notice in this process, even if its mail waits for a worker, and return the mail.

    Raises BadInput if the notice cannot be sent, RetryLater if a store is unreachable.
    """
    mail, _ = _prepare_mail(notice, by, clock.now(), settings)
    deliver_mail(mail.pk, settings, clock)
    mail.refresh_from_db()
    return mail


def deliver_mail(mail_id: int, settings: Settings, clock: Clock) -> None:
    """Send a prepared mail and record the outcome. A mail that was attempted before is not sent again."""
    mail = NoticeMail.objects.select_related("notice").filter(pk=mail_id, state=State.PREPARED).first()
    if mail is None:
        return
    try:
        content = _read_message(mail)
        if not _claim_mail(mail, settings, clock.now()):
            return
    except BadInput as error:
        _change_state(mail.pk, State.PREPARED, State.FAILED, clock.now(), error.message)
        return
    letter = Letter(mail.sender, mail.recipient, content)
    handed = send_letter(parse_mail_server(settings.mail.smtp_url), letter, settings.mail.timeout_s)
    _note_result(mail, handed, clock.now())


def record_failure(mail_id: int, now: datetime) -> None:
    """Record the outcome of a mail whose task failed permanently: failed, or unknown if sending had begun."""
    _change_state(mail_id, State.PREPARED, State.FAILED, now, Message("mail.broken-off"))
    for mail in NoticeMail.objects.filter(pk=mail_id, state=State.TRYING):
        _change_state(mail_id, State.TRYING, State.UNKNOWN, now, _uncertain_message(mail))


def mark_lost_mails(now: datetime) -> None:
    """Mark the mails whose process died while sending as possibly sent."""
    for mail in NoticeMail.objects.filter(state=State.TRYING, began_at__lte=now - LOST_AFTER):
        _change_state(mail.pk, State.TRYING, State.UNKNOWN, now, _uncertain_message(mail))


def settle_mail(mail: NoticeMail, by: User, now: datetime, *, went_out: bool) -> None:
    """Record whether a user found the mail in the mailbox. If not, the notice may be sent again.

    Raises BadInput if the user is not a manager or the outcome of the mail is known.
    """
    require_manager(mail.notice, by)
    mark_lost_mails(now)
    with transaction.atomic():
        row = lock_notice(mail.notice, Notice.State.CONFIRMED)
        unknown = NoticeMail.objects.filter(pk=mail.pk, state=State.UNKNOWN, settled_at=None)
        changed = {"state": State.SENT} if went_out else {}
        if not unknown.update(settled_by=by, settled_at=now, **changed):
            raise BadInput("mail.not-unknown")
        if went_out:
            began = mail.began_at or mail.asked_at
            note_sent(row, by, now, NoticeEvent.Way.MAIL, local_day(began), note=mail.message_id)
    mail.refresh_from_db()


def is_stuck(mail: NoticeMail, now: datetime) -> bool:
    """Return True if a mail has waited for a worker so long that it may be requested again."""
    return mail.state == State.PREPARED and mail.asked_at <= now - EXPIRES_AFTER


def _prepare_mail(
    notice: Notice, by: User, now: datetime, settings: Settings, seen: str | None = None
) -> tuple[NoticeMail, bool]:
    """Return the mail that waits to be sent, and whether this call created it.

    Raises BadInput if the notice cannot be sent, RetryLater if a store is unreachable.
    """
    require_manager(notice, by)
    if not settings.mail.is_enabled:
        raise BadInput("mail.off")
    mark_lost_mails(now)
    waiting = NoticeMail.objects.filter(notice=notice.pk, state=State.PREPARED).first()
    if waiting is not None:
        return waiting, False
    try:
        with transaction.atomic():
            row = lock_notice(notice, Notice.State.CONFIRMED)
            if seen is not None and seen != preview_mail(row, settings.mail.sender).digest:
                raise BadInput("mail.look-first")
            return _create_mail(row, by, now, settings), True
    except IntegrityError as error:  # Another request was faster.
        raise BadInput("mail.under-way") from error


def _create_mail(row: Notice, by: User, now: datetime, settings: Settings) -> NoticeMail:
    """Create and return the mail of a locked notice, and store its bytes in the evidence store."""
    recipient = recipient_address(row)
    require_size(row)
    require_fit(row, local_day(now))
    before = NoticeMail.objects.filter(notice=row)
    if before.exclude(state=State.FAILED).exclude(state=State.UNKNOWN, settled_at__isnull=False).exists():
        raise BadInput("mail.under-way")
    attempt = before.count() + 1
    # It contains the notice and the attempt, so that the mail can be found in a mailbox, and the time, because another
    # installation with the same sender may have the same keys.
    sender = settings.mail.sender
    message_id = f"<notice-{row.pk}-{attempt}-{now:%Y%m%d%H%M%S}@{sender.rpartition('@')[2]}>"
    content = mail_bytes(compose_mail(row, sender, recipient, message_id, now))
    stores.evidence_store().put(digest(content), content)
    return NoticeMail.objects.create(
        notice=row,
        attempt=attempt,
        sender=sender,
        recipient=recipient,
        message_id=message_id,
        digest=digest(content),
        size=len(content),
        asked_by=by,
        asked_at=now,
    )


def _renew_mail(mail: NoticeMail, now: datetime) -> bool:
    """Restart the wait of a mail whose request was lost. Return False if it was not lost."""
    old = NoticeMail.objects.filter(pk=mail.pk, state=State.PREPARED, asked_at__lte=now - EXPIRES_AFTER)
    return bool(old.update(asked_at=now))


def _read_message(mail: NoticeMail) -> bytes:
    content = stores.evidence_store().get(Digest(mail.digest))
    if content is None:
        raise BadInput("paper.file-missing", name=mail.message_id)
    return content


def _claim_mail(mail: NoticeMail, settings: Settings, now: datetime) -> bool:
    """Claim the mail for this process, and return whether that succeeded.

    Raises BadInput if the mail may no longer be sent.
    """
    if not settings.mail.is_enabled:
        raise BadInput("mail.off")
    with transaction.atomic():
        row = lock_notice(mail.notice, Notice.State.CONFIRMED)
        require_fit(row, local_day(now))  # The mail may have waited for a long time.
        if recipient_address(row) != mail.recipient:
            raise BadInput("mail.other-address", recipient=mail.recipient)
        waiting = NoticeMail.objects.filter(pk=mail.pk, state=State.PREPARED)
        return bool(waiting.update(state=State.TRYING, began_at=now))


def _note_result(mail: NoticeMail, handed: SendResult, now: datetime) -> None:
    """Record the result of an attempt. Retry while the database is down, because nothing else records the result."""
    for pause_s in PAUSES_S:
        try:
            _write_result(mail, handed, now)
        except AWAY as error:
            if not is_outage(error):
                raise
            time.sleep(pause_s)
            refresh_connections()
        else:
            return
    _write_result(mail, handed, now)


def _write_result(mail: NoticeMail, handed: SendResult, now: datetime) -> None:
    with transaction.atomic():
        row = Notice.objects.select_for_update(no_key=True).get(pk=mail.notice_id)
        if not _change_state(mail.pk, State.TRYING, State(handed.outcome), now, handed.message):
            return  # A user has settled it meanwhile.
        if handed.outcome is Outcome.SENT:
            note_sent(row, mail.asked_by, now, NoticeEvent.Way.MAIL, local_day(now), note=mail.message_id)


def _change_state(mail_id: int, state: str, to: str, now: datetime, said: Message) -> bool:
    """Move a mail from `state` to state `to`, and return whether it was in `state`."""
    return bool(NoticeMail.objects.filter(pk=mail_id, state=state).update(state=to, ended_at=now, said=said))


def _uncertain_message(mail: NoticeMail) -> Message:
    return Message("mail.may-have-gone", at=f"{localtime(mail.began_at or mail.asked_at):%Y-%m-%d %H:%M}")
