"""The task that hands the mail of a notice over."""

from typing import Any

import pytest
from django.utils import timezone

from core.messages import MailRequested, as_dict
from pipeline import outbox
from pipeline.app import STEP_LIMIT_S, app
from tests.support import sent_notices
from tests.support.desk import CollectingOutbox
from tests.support.mail_servers import scripted
from tests.support.sent_notices import mailing
from webadmin.notices import tasks as notices_tasks
from webadmin.notices.models import NoticeMail
from webadmin.notices.services import mails
from webadmin.notices.services.smtp import SESSION_S

pytestmark = pytest.mark.django_db


@pytest.fixture
def mail(monkeypatch: pytest.MonkeyPatch) -> NoticeMail:
    sent_notices.kept(monkeypatch)
    ours = sent_notices.estate()
    notice, settings = sent_notices.confirmed(ours), mailing("smtp://127.0.0.1:9")
    return mails.request_mail(notice, ours.manager, timezone.now(), CollectingOutbox(), settings)


@pytest.mark.usefixtures("loopback")
def test_the_task_of_a_mail_sends_once(mail: NoticeMail, monkeypatch: pytest.MonkeyPatch) -> None:
    assert outbox.TASKS[MailRequested] == notices_tasks.send_mail.name
    assert notices_tasks.send_mail.name in app.conf.task_routes
    with scripted() as server:
        monkeypatch.setattr(notices_tasks, "SETTINGS", mailing(server.url))
        for _ in range(2):
            notices_tasks.send_mail(**as_dict(MailRequested(mail.pk)))
    mail.refresh_from_db()
    assert (mail.state, len(server.received)) == (NoticeMail.State.SENT, 1)


def test_a_session_ends_before_its_worker_is_ended_and_what_failed_for_good_is_said(mail: NoticeMail) -> None:
    assert SESSION_S < STEP_LIMIT_S < mails.LOST_AFTER.total_seconds()
    given: dict[str, Any] = {"mail_id": mail.pk}
    notices_tasks.send_mail.on_failure(RuntimeError("broken"), "id", (), given, None)
    mail.refresh_from_db()
    assert mail.state == NoticeMail.State.FAILED
