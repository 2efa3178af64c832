"""A sending says first what it would change: nothing is written until it is confirmed, and only what was shown is."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.errors import ServiceUnavailable
from core.ids import work_text_id
from fingerprint.fingerprinting import fingerprint_text
from matcher.index.memory import MemoryIndex
from tests.support import admin_data
from tests.support.admin_data import World
from tests.support.desk import CollectingOutbox, add_url, english, signed_in
from tests.support.memory_pages import MemoryWorkStore
from tests.webadmin.works.conftest import FIRST, SECOND
from tests.webadmin.works.conftest import file_of as text
from webadmin import stores
from webadmin.accounts.models import Membership
from webadmin.works.models import Chapter, PlannedUpload, Work
from webadmin.works.services.alike import MOST_NAMED
from webadmin.works.services.catalogue import PlannedChange
from webadmin.works.services.planned_uploads import stored_sending

CASES = 1

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("world", "store", "index", "loopback", "processes")]

THIRD = "第三章 船票\n\n布包里是一叠旧船票，日期都是立冬，最后一张上面写着明天。\n"


@pytest.fixture
def manager(world: World, outbox: CollectingOutbox) -> Client:
    return english(world.ours.manager)


def send(client: Client, world: World, *files: SimpleUploadedFile) -> str:
    """The address of the plan of what was sent."""
    sent = client.post(add_url(Work), {"rights_holder": world.ours.holder.pk, "uploads": list(files)})
    assert sent.status_code == 302, sent.content.decode()
    return str(sent["Location"])


def confirm(client: Client, plan: str) -> HttpResponse:
    return client.post(plan, {"do": "confirm", "basis": client.get(plan).context["plan"].basis})


def add(client: Client, world: World, *files: SimpleUploadedFile) -> None:
    assert confirm(client, send(client, world, *files)).status_code == 200


def chapter_starts(title: str) -> list[tuple[int, str]]:
    return list(Chapter.objects.filter(work__title=title).order_by("number").values_list("number", "text_id"))


def test_nothing_is_written_before_it_is_confirmed(
    manager: Client, world: World, store: MemoryWorkStore, outbox: CollectingOutbox
) -> None:
    plan = send(manager, world, text("夜航.txt", FIRST + SECOND), text("水.txt", THIRD))
    shown = manager.get(plan)
    assert shown.status_code == 200
    assert not Work.objects.filter(title="夜航").exists()
    assert store.text(work_text_id(FIRST)) is None
    assert outbox.sent == []
    answered = confirm(manager, plan)
    assert [(row[1].is_new, row[1].new) for row in answered.context["works"]] == [(True, 2), (True, 1)]
    assert manager.get(f"{plan}?of=1").status_code == 302
    assert [text_id for _, text_id in chapter_starts("夜航")] == [work_text_id(FIRST), work_text_id(SECOND)]
    assert not PlannedUpload.objects.exists()


def test_a_plan_says_what_comes_goes_and_changes(manager: Client, world: World) -> None:
    add(manager, world, text("夜航.txt", FIRST + SECOND + THIRD))
    fourth = "第四章 明天\n\n明天的船票没有人来取，老周把它夹进了账本里。\n"
    edited = SECOND.replace("三下", "五下")
    page = manager.get(send(manager, world, text("夜航.txt", FIRST + edited + fourth)))
    (planned,) = page.context["plan"].works
    change = planned.planned.change
    assert [each.chapter.number for each in change.changed_chapters] == [2, 3]
    html = page.content.decode()
    assert "<del>三</del><ins>五</ins>" in html
    assert "第四章" in html
    shorter = manager.get(send(manager, world, text("夜航.txt", FIRST + SECOND)))
    (planned,) = shorter.context["plan"].works
    assert [row.number for row in planned.planned.change.removed] == [3]
    assert "1 chapter would be removed" in shorter.content.decode()


def test_a_plan_of_nothing_offers_nothing_to_confirm(manager: Client, world: World) -> None:
    add(manager, world, text("夜航.txt", FIRST + SECOND))
    page = manager.get(send(manager, world, text("夜航.txt", FIRST + SECOND)))
    assert page.context["plan"].is_nothing
    assert 'value="confirm"' not in page.content.decode()


def test_an_upload_after_the_plan_shows_a_new_plan(manager: Client, world: World) -> None:
    add(manager, world, text("夜航.txt", FIRST + SECOND))
    plan = send(manager, world, text("夜航.txt", FIRST))
    basis = manager.get(plan).context["plan"].basis
    colleague = signed_in(admin_data.user("colleague", world.ours.holder, Membership.Role.MANAGER))
    add(colleague, world, text("夜航.txt", FIRST + SECOND + THIRD))
    before = chapter_starts("夜航")
    refused = manager.post(plan, {"do": "confirm", "basis": basis}, follow=True)
    assert "Someone else has changed the works" in refused.content.decode()
    assert chapter_starts("夜航") == before
    assert len(refused.context["plan"].works[0].planned.change.removed) == 2
    confirm(manager, plan)
    assert len(chapter_starts("夜航")) == 1


def test_a_late_change_is_refused(manager: Client, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody is faster by the time that the texts take to be stored."""
    add(manager, world, text("夜航.txt", FIRST + SECOND))
    plan = send(manager, world, text("夜航.txt", FIRST))
    kept = stores.work_store()
    put = kept.put_text

    def put_late(content: str) -> object:
        Chapter.objects.filter(work__title="夜航", number=2).update(text_id="f" * 40)
        return put(content)

    monkeypatch.setattr(kept, "put_text", put_late)
    answered = confirm(manager, plan)
    assert "changed by someone else in the meantime" in answered.context["faults"][0]
    assert len(chapter_starts("夜航")) == 2
    assert PlannedUpload.objects.exists()


def test_a_newer_sending_replaces_the_one_before_and_a_discarded_one_is_gone(manager: Client, world: World) -> None:
    first = send(manager, world, text("夜航.txt", FIRST))
    second = send(manager, world, text("夜航.txt", SECOND))
    answered = manager.get(first, follow=True)
    assert "upload the files again" in answered.content.decode()
    assert manager.post(second, {"do": "discard"}).status_code == 302
    assert "upload the files again" in manager.get(second, follow=True).content.decode()
    assert not Work.objects.filter(title="夜航").exists()


def test_a_sending_that_nobody_confirmed_in_time_is_gone(manager: Client, world: World) -> None:
    plan = send(manager, world, text("夜航.txt", FIRST))
    PlannedUpload.objects.update(sent_at=timezone.now() - timedelta(hours=25))
    assert manager.post(plan, {"do": "confirm", "basis": ""}).status_code == 302
    assert not Work.objects.filter(title="夜航").exists()
    send(signed_in(world.administrator), world, text("水.txt", SECOND))
    assert PlannedUpload.objects.count() == 1


def test_nobody_else_sees_confirms_or_discards_it(manager: Client, world: World) -> None:
    plan = send(manager, world, text("夜航.txt", FIRST))
    others = [
        world.theirs.manager,
        world.administrator,
        admin_data.user("c", world.ours.holder, Membership.Role.MANAGER),
    ]
    for other in others:
        client = signed_in(other)
        assert FIRST[:9] not in client.get(plan, follow=True).content.decode()
        client.post(plan, {"do": "confirm", "basis": ""})
        client.post(plan, {"do": "discard"})
    assert signed_in(world.ours.reviewer).get(plan).status_code == 403
    assert PlannedUpload.objects.count() == 1
    assert not Work.objects.filter(title="夜航").exists()


def test_a_manager_who_is_one_no_more_confirms_nothing(manager: Client, world: World) -> None:
    plan = send(manager, world, text("夜航.txt", FIRST))
    basis = manager.get(plan).context["plan"].basis
    Membership.objects.filter(user=world.ours.manager).update(rights_holder=world.theirs.holder)
    assert manager.post(plan, {"do": "confirm", "basis": basis}).status_code == 403
    assert not Work.objects.filter(title="夜航").exists()


@pytest.mark.parametrize("data", [{}, {"do": "all"}])
def test_an_answer_that_is_none_is_named(manager: Client, world: World, data: dict[str, str]) -> None:
    plan = send(manager, world, text("夜航.txt", FIRST))
    assert manager.post(plan, data).status_code == 400
    assert manager.get(f"{plan}?of=7").status_code == 400
    assert manager.get(f"{plan}?page=x").status_code == 400


def test_a_work_that_is_sent_twice_is_taken_once(manager: Client, world: World) -> None:
    page = manager.get(send(manager, world, text("夜航.txt", FIRST), text("夜航.md", SECOND)))
    assert len(page.context["plan"].works) == 1
    assert "was uploaded twice" in page.context["faults"][0]


def test_official_times_of_a_file_are_planned_and_written(manager: Client, world: World) -> None:
    at = "2026-03-01T12:00:00+08:00"
    lines = [
        {"work_id": "a", "title": "夜航", "text": FIRST, "chapter": 1, "published_at": at},
        {"work_id": "a", "title": "夜航", "text": SECOND, "chapter": 2},
    ]
    body = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    page = manager.get(plan := send(manager, world, text("夜航.jsonl", body)))
    assert len(page.context["plan"].works[0].planned.change.timed_chapters) == 1
    confirm(manager, plan)
    times = list(Chapter.objects.filter(work__title="夜航").order_by("number").values_list("published_at", flat=True))
    assert times == [datetime(2026, 3, 1, 4, 0, tzinfo=UTC), None]
    add(manager, world, text("夜航.txt", FIRST + SECOND + THIRD))
    assert Chapter.objects.get(work__title="夜航", number=1).published_at == times[0]


def test_each_of_three_titles_names_those_before_it(manager: Client, world: World) -> None:
    add(manager, world, text("旧航.txt", THIRD))
    files = [text("夜航.txt", FIRST + SECOND), text("灯.txt", SECOND + THIRD), text("水.txt", THIRD + FIRST + SECOND)]
    page = manager.get(send(manager, world, *files))
    assert [[sentence.partition(": ")[2] for sentence in each[2]] for each in page.context["works"]] == [
        [],
        [
            "chapters that are identical in 《旧航》: 1, for example 2 (1 there)",
            "chapters that are identical in 《夜航》: 1, for example 1 (2 there)",
        ],
        [
            "chapters that are identical in 《旧航》: 1, for example 1 (1 there)",
            "chapters that are identical in 《夜航》: 2, for example 2 (1 there)",
            "chapters that are identical in 《灯》: 2, for example 1 (2 there)",
        ],
    ]


def test_a_plan_grows_with_its_works(manager: Client, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """All have one imprint, and are asked for their texts once each; it is named for the first works that have it."""
    asked = list[str]()
    coming = PlannedChange.coming.fget
    assert coming is not None

    def noted(planned: PlannedChange) -> object:
        asked.append(planned.title)
        return coming(planned)

    monkeypatch.setattr(PlannedChange, "coming", property(noted))

    def cost(works: int) -> tuple[int, int, int]:
        lines = [
            {"work_id": str(number), "title": f"夜航{number}", "text": content, "chapter": place}
            for number in range(works)
            for place, content in enumerate([f"第{number}册，{FIRST}", "版权所有，侵权必究；灯火文化出版。"], 1)
        ]
        body = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
        plan = send(manager, world, text("夜航.jsonl", body))
        asked.clear()
        with CaptureQueriesContext(connection) as queries:
            page = manager.get(plan)
        assert len(page.context["works"]) == works
        return len(queries), len(asked), sum(len(each[2]) for each in page.context["works"])

    few, many = cost(20), cost(40)
    assert few[1:] == (20, 0 + 1 + 2 + 3 + 4 + 15 * MOST_NAMED)
    assert many[1:] == (40, 0 + 1 + 2 + 3 + 4 + 35 * MOST_NAMED)
    assert many[0] <= 2 * few[0]


def test_most_of_a_text_is_noticed_in_any_script(manager: Client, world: World, index: MemoryIndex) -> None:
    known = admin_data.work(world.ours.holder, "渡口旧事", text=admin_data.WORK_TEXT)
    index.add(known.chapters.get().text_id, fingerprint_text(admin_data.WORK_TEXT))
    edited = "新的开头。" + admin_data.WORK_TEXT.replace("账", "帐").replace("门", "門")
    page = manager.get(send(manager, world, text("灯.txt", edited)))
    assert "chapters that are mostly contained in 《渡口旧事》: 1" in page.content.decode()
    market = "集市上卖陶罐的女人把最大的一只翻过来，让买主听罐底的声音，又指给他看釉里的一粒沙。\n"
    innocent = manager.get(send(manager, world, text("灯.txt", FIRST + market * 2)))
    assert "渡口旧事" not in innocent.content.decode()


def test_what_another_rights_holder_has_is_never_named(manager: Client, world: World, index: MemoryIndex) -> None:
    theirs = admin_data.work(world.theirs.holder, "他人之作", text=admin_data.WORK_TEXT)
    index.add(theirs.chapters.get().text_id, fingerprint_text(admin_data.WORK_TEXT))
    Chapter.objects.filter(work__rights_holder=world.ours.holder).delete()
    for content in (admin_data.WORK_TEXT, admin_data.WORK_TEXT + "尾声。"):
        page = manager.get(send(manager, world, text("灯.txt", content)))
        assert "他人之作" not in page.content.decode()
        assert page.context["works"][0][2] == []


def test_without_an_index_only_equals_show(manager: Client, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    class Away(MemoryIndex):
        def state(self) -> object:
            raise ServiceUnavailable("Redis", "127.0.0.1:6379")

    monkeypatch.setattr(stores, "index", Away)
    add(manager, world, text("夜航.txt", FIRST))
    page = manager.get(send(manager, world, text("灯.txt", FIRST + SECOND)))
    said = page.context["works"][0][2]
    assert "identical in 《夜航》" in said[0]
    assert "could not be checked" in said[1]


def test_the_plan_lets_a_person_divide_otherwise(manager: Client, world: World) -> None:
    book = "".join(f"第{number}章 渡{number}\n\n{FIRST[6:] * 9}" for number in range(1, 8))
    plan = send(manager, world, text("夜航.txt", book), text("水.txt", THIRD))
    page = manager.get(f"{plan}?of=0")
    assert page.context["division"]["ways"] == [("第N章", "第N章", 7), ("whole", "no chapters", 1)]
    html = page.content.decode()
    assert "7 chapters. Headings: 第N章" in html
    shown = page.context["division"]
    assert (shown["first"][1:], shown["is_cut"], shown["last"]) == (["第2章 渡2", "第3章 渡3"], True, "第7章 渡7")
    basis = page.context["plan"].basis
    assert manager.post(plan, {"do": "divide", "of": "0", "style": "whole"}).status_code == 302
    page = manager.get(f"{plan}?of=0")
    assert "Not divided into chapters." in page.content.decode()
    assert page.context["division"]["ways"] == shown["ways"]
    assert stored_sending(PlannedUpload.objects.get()).works[0].read.ways, "the desk looks for no headings"
    assert manager.post(plan, {"do": "confirm", "basis": basis}).status_code == 302  # another plan than was shown
    confirm(manager, plan)
    assert Chapter.objects.get(work__title="夜航").text_id == work_text_id(book)
    for data in ({"of": "0", "style": "第N回"}, {"of": "7", "style": "whole"}, {}):
        assert manager.post(send(manager, world, text("夜航.txt", book)), {"do": "divide", **data}).status_code == 400


def test_works_without_a_holder_wait_to_be_told_whose(world: World, manager: Client) -> None:
    admin_data.user("both", world.ours.holder, Membership.Role.MANAGER)
    sent = manager.post(add_url(Work), {"uploads": [text("夜航.txt", FIRST)]})
    plan = str(sent["Location"])
    page = manager.get(plan)
    assert "Rights holder of these works" in page.content.decode()
    assert list(page.context["holder_form"].fields) == ["rights_holder"]
    for data in ({"do": "assign"}, {"do": "confirm", "basis": page.context["plan"].basis}):
        assert "Rights holder of these works" in manager.post(plan, data).content.decode()
    assert manager.post(plan, {"do": "assign", "rights_holder": world.theirs.holder.pk}).status_code == 200
    assert not Work.objects.filter(title="夜航").exists()
    assert manager.post(plan, {"do": "assign", "rights_holder": world.ours.holder.pk}).status_code == 302
    confirm(manager, plan)
    assert Work.objects.get(title="夜航").rights_holder == world.ours.holder
