"""`zhuiwen notice`: lists, files, what goes out and what is due, by the command line."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from core.errors import NotFound, UnreadableFile
from core.settings import Settings
from deploy.cli.app import run
from tests.support import admin_data, sent_notices
from tests.support.mail_servers import DROP, Mailbox, real_server, scripted
from tests.support.refusals import refused
from tests.support.spoken_verbs import spoken
from webadmin.notices.cli import notices as verbs
from webadmin.notices.models import Notice
from webadmin.notices.services.counters import enter_counter_statement
from webadmin.notices.services.drafting import withdraw_notice
from webadmin.notices.services.sending import EventDetails

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
def test_a_notice_goes_out_and_what_is_due_is_listed(
    ours: admin_data.Estate,
    server: tuple[Mailbox, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
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
    verbs.list_due(is_json=True)
    assert [row["what"] for row in json.loads(capsys.readouterr().out) if str(row["notice"]) == key] == ["answer"]
    enter_counter_statement(Notice.objects.get(pk=key), EventDetails(today()), ours.manager, timezone.now())
    verbs.list_due()
    assert "complain or sue" in capsys.readouterr().out


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


def test_a_notice_that_was_sent_otherwise_is_recorded_with_its_proof(
    ours: admin_data.Estate, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    key, slip = str(sent_notices.confirmed(ours).pk), tmp_path / "快递单.pdf"
    with pytest.raises(UnreadableFile):
        verbs.record_sending(key, "courier", on=str(today()), proof=[slip], user=MANAGER)
    slip.write_bytes(b"%PDF-1.7\n")
    refused("yesterday is not a date", verbs.record_sending, key, "fax", on="yesterday", proof=[slip], user=MANAGER)
    with pytest.raises(NotFound):
        verbs.record_sending(key, "courier", on=str(today()), proof=[slip], user="stranger")
    verbs.record_sending(key, "courier", on=str(today()), proof=[slip], user=MANAGER)
    assert f"notice {key} was sent" in capsys.readouterr().out
    assert Notice.objects.get(pk=key).sent_on == today()


def test_files_are_written_and_notices_listed(
    ours: admin_data.Estate, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    notice = sent_notices.confirmed(ours)
    verbs.write_files(str(notice.pk), tmp_path / "kept")
    assert {path.name for path in (tmp_path / "kept").iterdir()} == {file.name for file in notice.files.all()}
    capsys.readouterr()
    withdraw_notice(notice, ours.manager, "对方已删除")
    verbs.list_notices(is_json=True)
    (shown,) = [row for row in json.loads(capsys.readouterr().out) if row["id"] == notice.pk]
    assert (shown["state"], len(shown["files"])) == ("withdrawn", notice.files.count())
    refused("there is no notice 999", verbs.write_files, "999", tmp_path)
    (tmp_path / "file").write_text("x")
    for place in (tmp_path / "file", tmp_path / "none" / "deeper"):
        with pytest.raises(UnreadableFile):
            verbs.write_files(str(notice.pk), place)


def test_the_verbs_are_read_in_both_languages(
    ours: admin_data.Estate, capsys: pytest.CaptureFixture[str], language: Callable[[str], None]
) -> None:
    notice = sent_notices.confirmed(ours)
    language("zh")
    verbs.list_notices()
    assert notice.get_kind_display() in capsys.readouterr().out
    assert run(["notice", "--help"]) == 0
    assert "将通知的文件写入文件夹" in capsys.readouterr().out
