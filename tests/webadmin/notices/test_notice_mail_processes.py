"""Processes that send the same notice: two at once, and one that is killed while the server holds it."""

import sqlite3
from pathlib import Path

import pytest
from django.db import connection

from pagestore.evidence import ObjectEvidenceStore
from pagestore.objects.folder import FolderObjects
from tests.support import sent_notices
from tests.support.mail_servers import STALL, scripted, until
from tests.support.notice_home import environment, started, told
from webadmin import stores

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("processes")]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder with a confirmed notice in its database, as this test's own has it."""
    if connection.vendor != "sqlite":
        pytest.skip("the processes have a database in a file")
    store = ObjectEvidenceStore(FolderObjects(tmp_path / "evidence"))
    monkeypatch.setattr(stores, "evidence_store", lambda: store)
    sent_notices.confirmed(sent_notices.estate())
    connection.ensure_connection()
    with sqlite3.connect(tmp_path / "admin.sqlite3") as copy:
        connection.connection.backup(copy)
    copy.close()
    return tmp_path


def test_two_at_once_send_one(home: Path) -> None:
    with scripted() as server:
        processes = [started("send", environment(home, server.url)) for _ in range(2)]
        said = [told(each) for each in processes]
    assert len(server.received) == 1
    assert {"state": "sent"} in said


def test_who_is_killed_while_sending_leaves_it_unknown_and_nothing_goes_out_twice(home: Path) -> None:
    with scripted(after_DATA=STALL) as holding:
        killed = started("send", environment(home, holding.url))
        until(lambda: holding.received, 60)
        killed.kill()
        killed.communicate()
    with scripted() as server:
        told_after = told(started("after", environment(home, server.url)))
    assert told_after == {"mails": ["unknown"], "said": [{"refused": "mail.under-way"}] * 2}
    assert server.connections == 0
    assert len(holding.received) == 1
