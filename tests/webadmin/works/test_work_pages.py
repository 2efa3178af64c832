"""The pages of a work: its chapters to read, its official times, and the whole book beside a site."""

import csv
import io
from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from openpyxl import load_workbook

from core.errors import ServiceUnavailable
from tests.support.admin_data import World
from tests.support.book_copies import CHARS, book, carry
from tests.support.desk import record_url, signed_in
from tests.support.memory_pages import MemoryWorkStore
from webadmin import stores
from webadmin.sites.models import PageRecord, Site
from webadmin.works.models import Chapter, Work
from webadmin.works.pages.read_chapter import CHUNK_CHARS, text_chunks

CASES = 1
BEGUN = datetime(2026, 3, 1, 4, 0, tzinfo=UTC)  # noon in Shanghai
WHOLE = range(CHARS)


@pytest.fixture
def work(world: World) -> Work:
    return book(world.ours.holder, 6, published_from=BEGUN)


@pytest.fixture
def site(world: World) -> Site:
    return world.ours.sites[0]


def read_url(work: Work, number: int | str) -> str:
    return reverse("admin:works_work_read", args=[work.pk, number])


def times_url(work: Work) -> str:
    return reverse("admin:works_work_times", args=[work.pk])


def book_url(work: Work, site: Site, query: str = "") -> str:
    return reverse("admin:works_work_book", args=[work.pk, site.pk]) + query


def numbers(response: HttpResponse) -> list[int]:
    return [row["chapter"].number for row in response.context["rows"]]


# To read


def test_a_chapter_leads_to_its_neighbours(reviewer: Client, world: World, store: MemoryWorkStore) -> None:
    work = world.ours.works[0]
    texts = [f"第{n}章\n　　灯<b>{n}</b>\u202e\n\n水" for n in (1, 2, 3)]
    for number, text in enumerate(texts, 1):
        work.chapters.filter(number=number).update(text_id=store.put_text(text))
    page = reviewer.get(read_url(work, 2))
    html = page.content.decode()
    assert page.status_code == 200
    assert "灯&lt;b&gt;2&lt;/b&gt;" in html
    assert "\u202e" not in html
    assert read_url(work, 1) in html
    assert read_url(work, 3) in html
    assert read_url(work, 2) in reviewer.get(record_url(work)).content.decode()


def test_portions_lose_nothing(reviewer: Client, world: World, store: MemoryWorkStore) -> None:
    work = world.ours.works[1]
    text = "\n".join(f"{n}" + "灯" * 990 for n in range(50))
    work.chapters.update(text_id=store.put_text(text))
    first = reviewer.get(read_url(work, 1))
    last = reviewer.get(read_url(work, 1) + "?page=3")
    assert first.context["page"].paginator.num_pages == 3
    assert "0灯" in first.content.decode()
    assert "49灯" in last.content.decode()
    assert len(last.content) < 200_000
    assert "".join(text_chunks(text)) == text
    assert "".join(text_chunks("灯" * 50_001)) == "灯" * 50_001
    assert max(map(len, text_chunks("灯" * 50_001))) == CHUNK_CHARS


def test_a_text_that_cannot_be_had_is_a_sentence(
    reviewer: Client, world: World, store: MemoryWorkStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = world.ours.works[0]
    assert "not in the store" in reviewer.get(read_url(work, 1)).content.decode()

    def down() -> object:
        raise ServiceUnavailable("the page store", "127.0.0.1:27017")

    monkeypatch.setattr(stores, "work_store", down)
    answered = reviewer.get(read_url(work, 1))
    assert (answered.status_code, "is not responding" in answered.content.decode()) == (503, True)


@pytest.mark.parametrize("number", ["0", "99", "x", "9" * 30, "-1"])
def test_a_chapter_that_there_is_not_is_not_found(reviewer: Client, world: World, number: str) -> None:
    assert reviewer.get(read_url(world.ours.works[0], number)).status_code == 404


# Official times


def test_a_manager_pastes_times_of_their_own_zone_or_sends_a_file_of_them(manager: Client, work: Work) -> None:
    listed = "章,时间\n1,2026-04-01 12:00\n2，2026-04-02 12:00\n9,2026-04-03"
    answered = manager.post(times_url(work), {"do": "listed", "pasted": listed}, follow=True)
    html = answered.content.decode()
    assert "The official times of 2 chapters change." in html
    assert "no chapters with these numbers: 9" in html
    assert work.chapters.get(number=1).published_at == datetime(2026, 4, 1, 4, 0, tzinfo=UTC)
    assert 'value="2026-04-02 12:00"' in html
    sent = SimpleUploadedFile("times.csv", "第一章,2026-04-03 12:00\r\n".encode("gb18030"))
    manager.post(times_url(work), {"do": "listed", "list": sent, "pasted": ""})
    assert work.chapters.get(number=1).published_at == datetime(2026, 4, 3, 4, 0, tzinfo=UTC)


def test_single_times_change_and_others_keep_their_seconds(manager: Client, work: Work) -> None:
    exact = BEGUN + timedelta(seconds=17)
    Chapter.objects.filter(work=work, number=3).update(published_at=exact)
    typed = {"do": "typed", "at-1": "", "at-2": "2026-05-01 08:00", "at-3": "2026-03-01 12:00"}
    manager.post(times_url(work), typed)
    times = [work.chapters.get(number=number).published_at for number in (1, 2, 3)]
    assert times == [None, datetime(2026, 5, 1, 0, 0, tzinfo=UTC), exact]


def test_a_series_is_reckoned(manager: Client, work: Work) -> None:
    given = {"do": "series", "from": "5", "first": "2026-06-01 12:00", "hours": "12", "at_once": "1"}
    manager.post(times_url(work), given)
    assert work.chapters.get(number=6).published_at == datetime(2026, 6, 1, 16, 0, tzinfo=UTC)
    assert work.chapters.get(number=4).published_at == BEGUN + timedelta(days=3)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"do": "listed", "pasted": "1,morgen"}, "line 1: morgen is not a time"),
        ({"do": "typed", "at-2": "x"}, "chapter 2: x is not a time"),
        ({"do": "series", "from": "1", "first": "2026-06-01", "hours": "0"}, "not an interval in hours"),
        ({"do": "series", "from": "x", "first": "2026-06-01", "hours": "1"}, "is not a chapter"),
    ],
)
def test_an_unreadable_time_stays_there(manager: Client, work: Work, given: dict[str, str], said: str) -> None:
    before = list(work.chapters.values_list("published_at", flat=True))
    answered = manager.post(times_url(work), given)
    assert answered.status_code == 400
    html = answered.content.decode()
    assert said in html
    assert all(f">{value}<" in html or f'value="{value}"' in html for name, value in given.items() if name != "do")
    assert list(work.chapters.values_list("published_at", flat=True)) == before


def test_a_reviewer_reads_times_and_writes_none(reviewer: Client, work: Work) -> None:
    shown = reviewer.get(times_url(work))
    assert shown.status_code == 200
    assert "<textarea" not in shown.content.decode()
    assert reviewer.post(times_url(work), {"do": "typed", "at-1": ""}).status_code == 403
    assert work.chapters.get(number=1).published_at == BEGUN


# The whole book


@pytest.fixture
def copied(work: Work, site: Site) -> Work:
    carry(site, work, 11, {1: WHOLE}, BEGUN - timedelta(hours=3, minutes=40))
    carry(site, work, 12, {2: WHOLE, 3: range(60)}, BEGUN + timedelta(days=4))
    carry(site, work, 13, {5: range(30)}, BEGUN + timedelta(days=4))
    return work


def test_a_book_says_what_is_copied_early_missing_and_merged(reviewer: Client, copied: Work, site: Site) -> None:
    page = reviewer.get(book_url(copied, site))
    html = page.content.decode()
    rows = {row["chapter"].number: row for row in page.context["rows"]}
    assert rows[1]["lead"] == "3 hours early"
    assert rows[2]["lead"] == "3 days late"
    assert rows[2]["companions"] == "3"
    assert [rows[number]["chapter"].extent for number in (1, 3, 4, 5)] == ["full", "part", "none", "part"]
    assert html.count('class="zw-full is-early" title="1 · 100% · 3 hours early"') == 1
    assert "48.3%" in html


@pytest.mark.parametrize(
    ("show", "expected"),
    [
        ("", [1, 2, 3, 4, 5, 6]),
        ("full", [1, 2]),
        ("part", [3, 5]),
        ("missing", [4, 6]),
        ("gaps", [4]),
        ("early", [1]),
        ("late", [2, 3, 5]),
        ("merged", [2, 3]),
        ("spread", []),
    ],
)
def test_one_kind_stands_alone(reviewer: Client, copied: Work, site: Site, show: str, expected: list[int]) -> None:
    page = reviewer.get(book_url(copied, site, f"?show={show}"))
    assert numbers(page) == expected
    chips = {chip["key"]: chip["count"] for chip in page.context["chips"]}
    assert chips.get(show) == len(expected)


def test_a_book_is_a_file_for_managers_alone(manager: Client, reviewer: Client, copied: Work, site: Site) -> None:
    PageRecord.objects.update(title="=1+1")
    Chapter.objects.filter(work=copied, number=1).update(title="=1+1")
    body = b"".join(manager.get(book_url(copied, site, "?export=csv&show=early"))).decode("utf-8-sig")
    head, *rows = csv.reader(io.StringIO(body))
    assert [row[:2] for row in rows] == [["1", "'=1+1"]]
    assert rows[0][head.index("hours before the official time")] == "3.67"
    sheet = load_workbook(io.BytesIO(b"".join(manager.get(book_url(copied, site, "?export=xlsx"))))).active
    assert sheet.max_row == 7
    assert reviewer.get(book_url(copied, site, "?export=csv")).status_code == 403
    assert "export=csv" not in reviewer.get(book_url(copied, site)).content.decode()


def test_a_book_without_cases_and_a_work_without_times_say_so(reviewer: Client, world: World) -> None:
    plain = book(world.ours.holder, 2, "无时之书")
    html = reviewer.get(book_url(plain, world.ours.sites[0])).content.decode()
    assert "No chapter has an official time yet" in html
    assert times_url(plain) in html
    Chapter.objects.filter(work=plain).delete()
    assert "The work has no chapters." in reviewer.get(book_url(plain, world.ours.sites[0])).content.decode()


def test_a_long_book_is_light(reviewer: Client, world: World, site: Site, django_assert_max_num_queries) -> None:
    long = book(world.ours.holder, 3000, "长卷", published_from=BEGUN)
    carry(site, long, 31, {2999: WHOLE}, BEGUN)
    with django_assert_max_num_queries(25):
        page = reviewer.get(book_url(long, site, "?page=30"))
    assert numbers(page)[0] == 2901
    assert len(page.content) < 400_000
    assert page.content.decode().count('title="2999 · 100%') == 1


# Isolation


def test_no_book_is_shown_beside_a_site_of_another_holder(world: World, site: Site) -> None:
    theirs, ours = book(world.theirs.holder, 2, "他人之书"), book(world.ours.holder, 2, "自己的书")
    for user in (world.ours.manager, world.ours.reviewer, world.administrator):
        assert signed_in(user).get(book_url(ours, world.theirs.sites[0])).status_code == 404
    assert signed_in(world.ours.manager).get(book_url(theirs, site)).status_code in (302, 404)
    assert Client().get(book_url(ours, site)).status_code == 302
