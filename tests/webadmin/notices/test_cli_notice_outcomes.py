"""`zhuiwen notice`: a confirmed notice on its way out and what comes of it, by the command line."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from core.addressees import AddresseeRole
from core.errors import UnreadableFile
from core.settings import Settings
from tests.support import admin_data, sent_notices
from tests.support.mail_servers import DROP, Mailbox, real_server, scripted
from tests.support.refusals import refused
from tests.support.spoken_verbs import spoken
from webadmin.notices.cli import notice_outcomes as verbs
from webadmin.notices.models import Notice

pytestmark = pytest.mark.django_db
MANAGER, REVIEWER = "changhe-manager", "changhe-reviewer"
today = timezone.localdate  # a suite may run over midnight


@pytest.fixture(autouse=True)
def language(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    sent_notices.kept(monkeypatch)
    with spoken(monkeypatch, verbs) as speak:
        yield speak


@pytest.fixture
def ours() -> admin_data.Estate:
    return sent_notices.estate()


@pytest.fixture
def server() -> Iterator[tuple[Mailbox, str]]:
    with real_server() as made:
        yield made


def through(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Give the verbs settings that name a mail server."""
    inner = verbs.session

    @contextmanager
    def session() -> Iterator[Settings]:
        with inner():
            yield sent_notices.mailing(url)

    monkeypatch.setattr(verbs, "session", session)


@pytest.mark.usefixtures("loopback")
def test_a_notice_goes_out_is_answered_countered_and_sued_over(
    ours: admin_data.Estate,
    server: tuple[Mailbox, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    key = str(sent_notices.confirmed(ours).pk)
    refused("mail is not set up", verbs.send, key, MANAGER)
    through(monkeypatch, server[1])
    refused("only a manager", verbs.send, key, REVIEWER)
    verbs.send(key, MANAGER, is_preview=True)
    previewed = capsys.readouterr().out
    assert ours.addressee.email in previewed
    assert "通知.pdf" in previewed
    assert server[0].contents == []
    verbs.send(key, MANAGER)
    assert f"notice {key} was sent; an answer is due on {today() + timedelta(days=7)}" in capsys.readouterr().out
    assert len(server[0].contents) == 1
    verbs.list_or_settle_mails(key, is_json=True)
    (mail,) = json.loads(capsys.readouterr().out)
    assert (mail["state"], mail["to"]) == ("sent", ours.addressee.email)
    verbs.list_or_settle_mails(key)
    assert mail["message_id"].strip("<>") in capsys.readouterr().out
    paper = tmp_path / "答复.pdf"
    paper.write_bytes(b"%PDF-1.7\n")
    verbs.record_answer(key, MANAGER, str(today()), "要求盖章", [paper])
    assert f"notice {key}: answered" in capsys.readouterr().out
    verbs.list_due(is_json=True)
    assert key not in [str(row["notice"]) for row in json.loads(capsys.readouterr().out)]
    verbs.record_counter_statement(key, on=str(today()), user=MANAGER)
    said = capsys.readouterr().out
    assert "no further notice about these pages" in said
    assert "complain or sue until" in said
    verbs.list_due()
    assert "complain or sue" in capsys.readouterr().out
    verbs.record_legal_action(key, "杭州互联网法院", on=str(today()), user=MANAGER, number="1号", is_suit=True)
    refused("no counter-statement", verbs.record_legal_action, key, "杭州互联网法院", on=str(today()), user=MANAGER)
    verbs.record_refusal(key, MANAGER)
    verbs.record_removal(key, MANAGER, [paper])
    verbs.close(key, MANAGER)
    verbs.take_back_last_event(key, MANAGER)
    assert f"undone; notice {key}: removed" in capsys.readouterr().out
    verbs.close(key, MANAGER)
    notice = Notice.objects.get(pk=key)
    assert notice.state == Notice.State.CLOSED
    assert notice.counters.get().action.kind == "sued"


@pytest.mark.usefixtures("loopback")
def test_what_was_refused_or_may_have_gone_out_is_said_and_decided(
    ours: admin_data.Estate,
    server: tuple[Mailbox, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    key = str(sent_notices.confirmed(ours).pk)
    with scripted(RCPT=b"550 no such user\r\n") as refusing, monkeypatch.context() as patch:
        through(patch, refusing.url)
        refused(r"was not sent: the mail server rejected it \(RCPT\): 550 no such user", verbs.send, key, MANAGER)
    with scripted(after_DATA=DROP) as losing, monkeypatch.context() as patch:
        through(patch, losing.url)
        refused(r"may have been sent at .* look for <notice-", verbs.send, key, MANAGER)
    through(monkeypatch, server[1])
    refused("may already have been sent", verbs.send, key, MANAGER)
    verbs.list_due(is_json=True)
    assert "mail" in [row["what"] for row in json.loads(capsys.readouterr().out)]
    refused("no mail that may have been sent", verbs.list_or_settle_mails, key, MANAGER, went_out=True, send_again=True)
    verbs.list_or_settle_mails(key, MANAGER, send_again=True)
    assert "was sent" in capsys.readouterr().out
    assert len(server[0].contents) == 1


def test_sent_otherwise_and_taken_further(
    ours: admin_data.Estate, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    key, slip = str(sent_notices.confirmed(ours).pk), tmp_path / "快递单.pdf"
    with pytest.raises(UnreadableFile):
        verbs.record_sending(key, "courier", on=str(today()), proof=[slip], user=MANAGER)
    slip.write_bytes(b"%PDF-1.7\n")
    refused(
        "enter the date in the form", verbs.record_sending, key, "courier", on="yesterday", proof=[slip], user=MANAGER
    )
    verbs.record_sending(key, "courier", on=str(today()), proof=[slip], user=MANAGER)
    admin_data.addressee(ours.holder, "某主机商", ours.sites[0], role=AddresseeRole.HOSTS)
    refused("has no addressee", verbs.escalate, key, "nobody", REVIEWER)
    capsys.readouterr()
    verbs.escalate(key, "某主机商", REVIEWER)
    made = Notice.objects.get(escalates=key)
    assert f"notice {made.pk} was drafted with 2 pages" in capsys.readouterr().out
