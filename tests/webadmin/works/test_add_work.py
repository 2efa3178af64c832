"""Works sent through the desk: for one's own rights holders only, told about one by one, searched for by messages."""

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.http import HttpResponse
from django.test import Client

from core.errors import ServiceUnavailable
from core.messages import WorkAdded
from tests.support import admin_data
from tests.support.admin_data import World
from tests.support.desk import CollectingOutbox, add_url, list_url, signed_in
from tests.support.memory_pages import MemoryWorkStore
from tests.webadmin.works.conftest import FIRST, SECOND
from tests.webadmin.works.conftest import file_of as text
from webadmin import stores
from webadmin.accounts.models import Membership
from webadmin.ui.services.upload_limits import MAX_REQUEST_BYTES
from webadmin.works.models import Work

CASES = 1

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("world", "store", "index", "processes")]


@pytest.fixture(autouse=True)
def commits_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The transaction of a test is never committed: what waits for that is done at once."""
    monkeypatch.setattr(transaction, "on_commit", lambda do: do())


def send(client: Client, holder: object, *files: SimpleUploadedFile, **fields: object) -> HttpResponse:
    """Send files, and confirm what they would change if that is asked."""
    sent = client.post(add_url(Work), {"rights_holder": holder, "uploads": list(files), **fields})
    if sent.status_code != 302:
        return sent
    return client.post(sent["Location"], {"do": "confirm", "basis": client.get(sent["Location"]).context["plan"].basis})


def test_a_manager_sends_two_works(world: World, store: MemoryWorkStore, outbox: CollectingOutbox) -> None:
    client = signed_in(world.ours.manager)
    files = [text("《夜航》作者：闻笛.txt", FIRST + SECOND), text("水.md", "渡口无灯，江上有雾。")]
    response = send(client, world.ours.holder.pk, *files, kind="story")
    assert response.status_code == 200
    added = [row[1] for row in response.context["works"]]
    assert [(each.is_new, each.new) for each in added] == [(True, 2), (True, 1)]
    work = Work.objects.get(title="夜航")
    assert (work.rights_holder, work.author, work.kind) == (world.ours.holder, "闻笛", "story")
    texts = [chapter.text_id for chapter in work.chapters.all()]
    assert all(store.text(key) is not None for key in texts)
    assert {message for message in outbox.sent if isinstance(message, WorkAdded)} >= {WorkAdded(key) for key in texts}
    assert all(chapter.indexed_at is None for chapter in work.chapters.all())
    shown = response.content.decode()
    assert "《夜航》" in shown
    assert LogEntry.objects.filter(user=world.ours.manager, object_id=work.pk).exists()


def test_bad_files_are_told_beside_the_good_ones(world: World, outbox: CollectingOutbox) -> None:
    client = signed_in(world.ours.manager, "zh-hans")
    files = [text("夜航.txt", FIRST), text("书.mobi", b"%PDF"), text("空.txt", b" "), text("x\u202e.txt", "no Chinese")]
    response = send(client, world.ours.holder.pk, *files)
    assert len(response.context["works"]) == 1
    faults = response.context["faults"]
    assert faults[0].startswith("书.mobi：不支持此类文件")
    assert faults[1] == "空.txt：没有中文内容"
    assert len(faults) == 3
    assert "\u202e" not in response.content.decode()


def test_a_form_without_files_or_with_an_unknown_kind_says_so(world: World) -> None:
    client, holder = signed_in(world.ours.manager), world.ours.holder.pk
    for field, response in (
        ("uploads", send(client, holder)),
        ("kind", send(client, holder, text("a.txt", FIRST), kind="poem")),
    ):
        assert response.status_code == 200
        assert list(response.context["form"].errors) == [field]
        assert response.context["works"] == []


def test_without_a_queue_the_works_are_kept(world: World, outbox: CollectingOutbox) -> None:
    outbox.is_away = True
    response = send(signed_in(world.ours.manager), world.ours.holder.pk, text("夜航.txt", FIRST + SECOND))
    (row,) = response.context["works"]
    assert row[1].new == 2
    assert "Redis" in " ".join(str(message) for message in response.context["messages"])


def test_without_stores_nothing_is_added(
    world: World, outbox: CollectingOutbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Down(MemoryWorkStore):
        asked = 0

        def put_text(self, text: str) -> object:
            Down.asked += 1
            raise ServiceUnavailable("the page store", "127.0.0.1:27017")

    monkeypatch.setattr(stores, "work_store", Down)
    works = Work.objects.count()
    response = send(signed_in(world.ours.manager), world.ours.holder.pk, text("甲.txt", FIRST), text("乙.txt", SECOND))
    assert response.status_code == 200
    assert [fault.partition(".")[0] for fault in response.context["faults"]] == ["甲", "乙"]
    assert Down.asked == 1
    assert Work.objects.count() == works


# Isolation


def test_a_reviewer_sees_no_way_to_add_and_has_none(world: World) -> None:
    client = signed_in(world.ours.reviewer)
    assert client.get(add_url(Work)).status_code == 403
    assert send(client, world.ours.holder.pk, text("夜航.txt", FIRST)).status_code == 403
    assert add_url(Work) not in client.get(list_url(Work)).content.decode()
    assert add_url(Work) in signed_in(world.ours.manager).get(list_url(Work)).content.decode()
    assert not Work.objects.filter(title="夜航").exists()


def test_a_manager_adds_nothing_where_they_only_review(world: World, outbox: CollectingOutbox) -> None:
    both = admin_data.user("both", world.ours.holder, Membership.Role.MANAGER)
    Membership.objects.create(user=both, rights_holder=world.theirs.holder, role=Membership.Role.REVIEWER)
    client = signed_in(both)
    assert world.theirs.holder.name not in client.get(add_url(Work)).content.decode()
    response = send(client, world.theirs.holder.pk, text("夜航.txt", FIRST))
    assert list(response.context["form"].errors) == ["rights_holder"]
    assert not Work.objects.filter(title="夜航").exists()
    assert outbox.sent == []


def test_an_administrator_chooses_among_all_holders(world: World, outbox: CollectingOutbox) -> None:
    typed = {"title": "渡口", "author": "林栖", "kind": "essay"}
    send(signed_in(world.administrator), world.theirs.holder.pk, text("夜航.txt", FIRST), **typed)
    work = Work.objects.get(title="渡口")
    assert (work.rights_holder, work.author, work.kind) == (world.theirs.holder, "林栖", "essay")
    assert len(outbox.sent) == 1


# Size


def test_a_request_that_is_too_large_is_refused_before_its_body_is_read(world: World) -> None:
    class Unread:
        def read(self, *_: object) -> bytes:
            raise AssertionError("the body was read")

        readline = read

    client = signed_in(world.ours.manager)
    sent = {"CONTENT_LENGTH": str(MAX_REQUEST_BYTES + 1), "wsgi.input": Unread()}
    for path in (add_url(Work), "/admin/login/"):
        response = client.generic("POST", path, b"", "multipart/form-data; boundary=x", **sent)
        assert response.status_code == 413
        assert "32 MB" in response.content.decode()


def test_files_too_large_together_are_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webadmin.works.pages.work_form.MAX_UPLOAD_BYTES", 100)
    response = send(signed_in(world.ours.manager), world.ours.holder.pk, text("a.txt", FIRST), text("b.txt", SECOND))
    assert "32 MB" in str(response.context["form"].errors["uploads"])
