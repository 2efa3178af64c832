"""The history of a page: first seen, each change with what changed, gone with the proof, back again."""

import random
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from core.errors import ServiceUnavailable
from core.pages import ChapterStart, Fetched, NetDiskLink, Reading
from core.text import TextOffset
from core.visits import AbsenceReason
from tests.support import admin_data, case_texts
from tests.support.admin_data import World
from tests.support.case_texts import Texts
from tests.support.memory_pages import MemoryPageStore
from tests.support.records import response
from webadmin import stores
from webadmin.review.pages.page_history.page_view import EventKind, Timeline, build_timeline
from webadmin.sites.models import PageRecord
from webadmin.ui.pages import text_diff
from webadmin.ui.pages.text_diff import PartKind, TextDiff

CASES = 2

NOW = admin_data.NOW
BODY = b"<h1>404</h1><script>alert(1)</script>"
TEXT = "渡口的灯是在立冬那天熄的。\n老周把船缆系在第三根桩上。\n江面起了雾。"


def fetched(page: PageRecord, hours: float, body: bytes = b"<p>x</p>", status: int = 200) -> Fetched:
    headers = (("Server", "nginx"), ("X-<b>", "<i>值</i>"))
    return response(page.site_id, page.url, body, NOW + timedelta(hours=hours), status=status, headers=headers)


def lived(store: MemoryPageStore, page: PageRecord) -> None:
    """First seen, changed, once not found by accident, gone, still gone, back with the first text."""
    store.put(fetched(page, 0), Reading(title="第一章", text=TEXT))
    store.put(fetched(page, 24), Reading(title="第一章 立冬", text=TEXT.replace("立冬", "冬至") + "\n请记住新网址。"))
    store.put_absence(fetched(page, 48, BODY, 404), AbsenceReason.NOT_FOUND, is_gone=False)
    store.put_absence(fetched(page, 72, BODY, 410), AbsenceReason.GONE, is_gone=True)
    store.put_absence(fetched(page, 96, BODY, 404), AbsenceReason.NOT_FOUND, is_gone=True)
    store.put(fetched(page, 120), Reading(title="第一章", text=TEXT))


def timeline(store: MemoryPageStore, page: PageRecord, most: int = 60) -> Timeline:
    key: Any = page.page_id
    return build_timeline(store.states(key), store.versions(key), store.absences(key), most)


def pieces(diff: TextDiff, kind: PartKind) -> list[str]:
    return [part.text for line in diff.lines for part in line if part.kind is kind]


class TestDiff:
    def test_what_did_not_change_is_shown_at_the_edges_and_counted(self) -> None:
        lines = [f"这是第{number}行，它在两次抓取之间没有改动过一个字。" for number in range(200)]
        changed = [*lines[:100], "中间插进来的一行。", *lines[100:]]
        diff = text_diff.text_diff("\n".join(lines), "\n".join(changed))
        assert pieces(diff, PartKind.ADDED) == ["中间插进来的一行。"]
        shown = sum(len(part.text) for line in diff.lines for part in line)
        assert shown < 200
        skipped = sum(part.chars for line in diff.lines for part in line if part.kind is PartKind.SKIPPED)
        assert skipped + shown == sum(map(len, changed))

    def test_both_texts_can_be_read_out_of_it(self) -> None:
        generator = random.Random(7)
        for _ in range(60):
            old = ["".join(generator.choices("山水风云月", k=generator.randint(0, 12))) for _ in range(6)]
            new = [line if generator.random() < 0.5 else line[::-1] + "新" for line in old]
            diff = text_diff.text_diff("\n".join(old), "\n".join(new))
            counted = sum(part.chars for line in diff.lines for part in line if part.kind is not PartKind.REMOVED)
            assert diff.is_empty or counted == sum(map(len, new))
            counted = sum(part.chars for line in diff.lines for part in line if part.kind is not PartKind.ADDED)
            assert diff.is_empty or counted == sum(map(len, old))

    def test_very_long_texts_are_bounded_and_what_is_not_shown_is_counted(self) -> None:
        old = "\n".join(f"旧的第{number}行" for number in range(30_000))
        new = "\n".join(f"新的第{number}行，多了几个字" for number in range(30_000))
        diff = text_diff.text_diff(old, new)
        assert sum(len(part.text) for line in diff.lines for part in line) <= text_diff.MAX_SHOWN_CHARS + 10
        assert diff.left_out > 10_000
        one_line = text_diff.text_diff("山" * 3_000_000, "水" * 3_000_000)
        assert (len(one_line.lines), one_line.left_out) == (1, 1)
        assert sum(len(part.text) for line in one_line.lines for part in line) <= 2 * text_diff.MAX_SHOWN_CHARS


@pytest.mark.django_db
class TestTimeline:
    @pytest.fixture
    def texts(self, monkeypatch: pytest.MonkeyPatch) -> Texts:
        return case_texts.use(monkeypatch)

    def address(self, page: PageRecord) -> str:
        return reverse("admin:watched_sites_pagerecord_timeline", args=[page.pk])

    def test_events_come_in_order_with_what_each_changed(self, world: World, texts: Texts) -> None:
        page = world.ours.pages[0]
        lived(texts.pages, page)
        events = timeline(texts.pages, page).events
        assert [event.kind for event in events] == [
            EventKind.FIRST_SEEN,
            EventKind.CHANGED,
            EventKind.NOT_FOUND,
            EventKind.GONE,
            EventKind.STILL_GONE,
            EventKind.BACK,
        ]
        changed, back = events[1], events[5]
        assert changed.old_title == "第一章"
        assert changed.diff is not None
        assert "请记住新网址。" in pieces(changed.diff, PartKind.ADDED)
        assert back.is_known
        assert back.diff is not None
        assert "请记住新网址。" in pieces(back.diff, PartKind.REMOVED)
        assert events[3].absence.status == 410

    def test_a_response_that_could_not_be_read_says_nothing_of_the_page(self, world: World, texts: Texts) -> None:
        page = world.ours.pages[0]
        texts.pages.put(fetched(page, 0), Reading(title="第一章", text=TEXT))
        texts.pages.put_absence(fetched(page, 24, BODY, 200), AbsenceReason.UNREADABLE, is_gone=False)
        events = timeline(texts.pages, page).events
        assert [event.kind for event in events] == [EventKind.FIRST_SEEN, EventKind.UNREADABLE]

    def test_a_long_history_shows_its_newest_part_and_counts_the_rest(self, world: World, texts: Texts) -> None:
        page = world.ours.pages[0]
        for number in range(10):
            texts.pages.put(fetched(page, number), Reading(title="", text=f"第{number}版的正文。"))
        shown = timeline(texts.pages, page, most=4)
        assert (len(shown.events), shown.earlier) == (4, 6)
        assert shown.events[0].diff is not None, "the oldest shown is compared with the one before it"

    def test_the_page_hands_out_the_proof(self, world: World, texts: Texts, reviewer: Client) -> None:
        page = world.ours.pages[0]
        lived(texts.pages, page)
        response = reviewer.get(self.address(page))
        shown = response.content.decode()
        assert response.status_code == 200
        for word in ("first seen", "changed", "gone", "still removed", "online again", "<ins>请记住新网址。</ins>"):
            assert word in shown
        assert "&lt;i&gt;值&lt;/i&gt;" in shown
        assert "<i>值</i>" not in shown
        (proof, *_) = re.findall(r'href="(\?proof=\w{40})"', shown)
        answer = reviewer.get(self.address(page) + proof)
        assert answer.content == BODY
        assert answer["Content-Type"] == "text/plain"
        assert "attachment" in answer["Content-Disposition"]
        assert answer["X-Content-Type-Options"] == "nosniff"

    def test_a_version_has_links_and_chapter_count(self, world: World, texts: Texts, reviewer: Client) -> None:
        page = world.ours.pages[0]
        disk = NetDiskLink("https://pan.baidu.com/s/1<b>", "百度网盘", "提取码 <i>x1y2")
        chapters = (ChapterStart("第一章", TextOffset(0)), ChapterStart("第二章", TextOffset(14)))
        texts.pages.put(fetched(page, 0), Reading(title="夜航", text=TEXT, chapters=chapters, net_disks=(disk,)))
        shown = reviewer.get(self.address(page)).content.decode()
        assert "https://pan.baidu.com/s/1&lt;b&gt;" in shown
        assert "提取码 &lt;i&gt;x1y2" in shown
        assert "2 chapters" in shown
        assert 'href="https://pan.baidu.com' not in shown

    def test_a_page_of_another_rights_holder_is_not_there(self, world: World, texts: Texts, reviewer: Client) -> None:
        stranger = world.theirs.pages[0]
        lived(texts.pages, stranger)
        proof = texts.pages.absences(stranger.page_id)[0].id  # type: ignore[arg-type]
        assert reviewer.get(f"{self.address(world.ours.pages[0])}?proof={proof}").status_code == 404

    def test_while_the_page_store_is_away_a_sentence_says_so(
        self, world: World, reviewer: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        class Down:
            def __getattr__(self, name: str) -> Any:
                raise ServiceUnavailable("the page store", "mongodb://127.0.0.1:1")

        monkeypatch.setattr(stores, "page_store", Down)
        response = reviewer.get(self.address(world.ours.pages[0]))
        assert response.status_code == 200
        assert "the page store" in response.content.decode()
