"""Works and sites as they are put into the admin database: idempotent, texts before rows, messages after the commit."""

from datetime import UTC, datetime

import pytest
from django.db import transaction

from core.errors import NotFound, UnsafeUrl
from core.ids import work_text_id
from core.messages import StepMessage, WorkAdded, WorkRemoved
from core.works import ChapterText, WorkFile
from tests.support import admin_data
from tests.support.memory_pages import MemoryWorkStore
from tests.support.refusals import refused
from webadmin.accounts.models import RightsHolder
from webadmin.sites.models import Site, SiteDomain
from webadmin.sites.services import watchlist
from webadmin.sites.services.watchlist import shared_hosts
from webadmin.works.models import Chapter, Work
from webadmin.works.services import catalogue

pytestmark = pytest.mark.django_db


class Outbox:
    """Keeps what was sent, and checks that it could be acted upon."""

    def __init__(self, store: MemoryWorkStore) -> None:
        self.store = store
        self.sent: list[StepMessage] = []

    def send(self, message: StepMessage) -> None:
        if isinstance(message, WorkAdded):
            assert Chapter.objects.filter(text_id=message.text_id).exists()
            assert self.store.text(message.text_id) is not None
        self.sent.append(message)

    def drain(self) -> list[StepMessage]:
        sent, self.sent = self.sent, []
        return sent


@pytest.fixture
def outbox(store: MemoryWorkStore, monkeypatch: pytest.MonkeyPatch) -> Outbox:
    """The transaction of a test is never committed: what waits for that is done at once."""
    monkeypatch.setattr(transaction, "on_commit", lambda do: do())
    return Outbox(store)


@pytest.fixture
def owner() -> RightsHolder:
    return admin_data.holder()


def novel(*texts: str, title: str = "夜航", author: str = "闻笛") -> WorkFile:
    return WorkFile(title, author, tuple(ChapterText(n, f"第{n}章", text) for n, text in enumerate(texts, 1)))


def added(*texts: str) -> list[StepMessage]:
    return [WorkAdded(text_id) for text_id in sorted(work_text_id(text) for text in texts)]


def removed(*texts: str) -> list[StepMessage]:
    return [WorkRemoved(text_id) for text_id in sorted(work_text_id(text) for text in texts)]


def texts_of(work: Work, store: MemoryWorkStore) -> list[str | None]:
    return [store.text(chapter.text_id) for chapter in work.chapters.order_by("number")]


def counts(result: catalogue.AddedWork) -> tuple[int, int, int, int]:
    return result.new, result.unchanged, result.changed, result.removed


@pytest.mark.django_db(transaction=True)
def test_messages_go_out_after_the_commit(store: MemoryWorkStore) -> None:
    outbox = Outbox(store)
    with transaction.atomic():
        catalogue.add_work(admin_data.holder(), novel("水"), "novel", store, outbox)
        assert outbox.sent == []
    assert outbox.sent == added("水")


def test_a_work_is_added_once_and_the_same_again_changes_nothing(owner, store, outbox) -> None:
    first = catalogue.add_work(owner, novel("水", "火"), "novel", store, outbox)
    assert (first.is_new, counts(first)) == (True, (2, 0, 0, 0))
    assert outbox.drain() == added("水", "火")
    catalogue.add_work(owner, novel("水", "火"), "novel", store, outbox)
    assert outbox.drain() == added("水", "火"), "not indexed yet: the message may have been lost"
    Chapter.objects.update(indexed_at=datetime(2026, 3, 1, tzinfo=UTC))
    again = catalogue.add_work(owner, novel("水", "火"), "novel", store, outbox)
    assert (again.work, again.is_unchanged, counts(again)) == (first.work, True, (0, 2, 0, 0))
    assert outbox.drain() == []
    assert Work.objects.count() == 1


def test_a_changed_chapter_keeps_its_row_and_the_old_text_leaves_the_index(owner, store, outbox) -> None:
    work = catalogue.add_work(owner, novel("水", "火"), "novel", store, outbox).work
    rows = list(work.chapters.values_list("pk", flat=True))
    Chapter.objects.update(indexed_at=datetime(2026, 3, 1, tzinfo=UTC))
    outbox.drain()
    result = catalogue.add_work(owner, novel("水", "炎"), "novel", store, outbox)
    assert counts(result) == (0, 1, 1, 0)
    assert outbox.drain() == added("炎") + removed("火")
    assert list(work.chapters.values_list("pk", flat=True)) == rows
    assert work.chapters.get(number=2).indexed_at is None


def test_a_chapter_put_in_between_moves_the_others_and_makes_no_other_new(owner, store, outbox) -> None:
    work = catalogue.add_work(owner, novel("水", "火", "土"), "novel", store, outbox).work
    Chapter.objects.update(indexed_at=datetime(2026, 3, 1, tzinfo=UTC))
    outbox.drain()
    result = catalogue.add_work(owner, novel("序", "水", "火", "土"), "novel", store, outbox)
    assert counts(result) == (1, 3, 0, 0)
    assert texts_of(work, store) == ["序", "水", "火", "土"]
    assert outbox.drain() == added("序")


def test_chapters_in_another_order_or_with_the_same_text_are_the_same_chapters(owner, store, outbox) -> None:
    work = catalogue.add_work(owner, novel("水", "火", "水"), "novel", store, outbox).work
    result = catalogue.add_work(owner, novel("水", "水", "火"), "novel", store, outbox)
    assert counts(result) == (0, 3, 0, 0)
    assert texts_of(work, store) == ["水", "水", "火"]


def test_a_chapter_missing_from_the_whole_file_is_removed(owner, store, outbox) -> None:
    work = catalogue.add_work(owner, novel("水", "火", "土"), "novel", store, outbox).work
    outbox.drain()
    part = WorkFile("夜航", "闻笛", (ChapterText(1, "", "水"), ChapterText(3, "", "土")))
    assert counts(catalogue.add_work(owner, part, "", store, outbox, keep_missing=True)) == (0, 2, 0, 0)
    assert texts_of(work, store) == ["水", "火", "土"]
    outbox.drain()
    assert counts(catalogue.add_work(owner, novel("水", "土"), "", store, outbox)) == (0, 2, 0, 1)
    assert texts_of(work, store) == ["水", "土"]
    assert removed("火")[0] in outbox.drain()


def test_a_text_that_another_work_still_has_stays_in_the_index(owner, store, outbox) -> None:
    catalogue.add_work(owner, novel("水", "火"), "novel", store, outbox)
    other = catalogue.add_work(owner, novel("水", title="选集"), "novel", store, outbox).work
    outbox.drain()
    assert catalogue.remove_work(other, outbox) == 1
    assert outbox.drain() == []
    work = Work.objects.get(title="夜航")
    assert catalogue.remove_work(work, outbox) == 2
    assert outbox.drain() == removed("水", "火")


def test_a_work_with_cases_is_not_removed(outbox) -> None:
    estate = admin_data.fill_estate("长河文学", "changhe", cases=2)
    refused("cases: 1", catalogue.remove_work, estate.works[0], outbox)
    assert Work.objects.filter(pk=estate.works[0].pk).exists()


def test_the_same_title_by_another_author_or_of_another_holder_is_another_work(owner, store, outbox) -> None:
    other = admin_data.holder("北斗日报")
    works = {
        catalogue.add_work(owner, novel("水"), "novel", store, outbox).work.pk,
        catalogue.add_work(owner, novel("水", author="葛明远"), "novel", store, outbox).work.pk,
        catalogue.add_work(other, novel("水"), "novel", store, outbox).work.pk,
    }
    assert len(works) == 3


def test_a_work_that_cannot_be_is_refused_before_anything_is_kept(owner, store, outbox) -> None:
    for file, kind, reason in (
        (WorkFile(" ", "", (ChapterText(1, "", "水"),)), "", "no title"),
        (WorkFile("夜航", "", ()), "", "no chapter"),
        (novel("水"), "poem", "no kind of work 'poem'"),
    ):
        refused(reason, catalogue.add_work, owner, file, kind, store, outbox)
    assert not Work.objects.exists()
    assert not list(store.texts())


def test_a_work_is_found_by_number_and_by_title(owner, store, outbox) -> None:
    work = catalogue.add_work(owner, novel("水"), "novel", store, outbox).work
    assert catalogue.find_work("《夜航》") == catalogue.find_work(str(work.pk)) == work
    with pytest.raises(NotFound, match="没有"):
        catalogue.find_work("没有")
    catalogue.add_work(owner, novel("水", author="葛明远"), "novel", store, outbox)
    refused("enter the number", catalogue.find_work, "夜航")


def test_a_site_is_added_with_its_host_and_brought_up_to_date(owner) -> None:
    site = watchlist.add_site(owner, "HTTPS://Www.Example.com:443/books?x=1#top", max_pages=50)
    assert (site.name, site.start_urls, site.max_pages) == ("www.example.com", "https://www.example.com/books?x=1", 50)
    again = watchlist.add_site(owner, "https://www.example.com/news", delay_s=0.5)
    assert (again.pk, again.max_pages, again.delay_s) == (site.pk, 50, 0.5)
    assert again.start_urls.splitlines() == ["https://www.example.com/books?x=1", "https://www.example.com/news"]
    mirror = watchlist.add_site(owner, "http://127.0.0.1:8801/", name="www.example.com")
    assert mirror.pk == site.pk
    for key in (str(site.pk), "www.example.com", "127.0.0.1:8801", "http://127.0.0.1:8801/book/7.html"):
        assert watchlist.find_site(key) == site
    with pytest.raises(NotFound):
        watchlist.find_site("http://127.0.0.1:8802/")
    assert sorted(domain.host for domain in site.domains.all()) == ["127.0.0.1:8801", "www.example.com"]
    chinese = watchlist.add_site(owner, "http://例子.中国/")
    assert chinese.domains.get().host == "xn--fsqu00a.xn--fiqs8s"


def test_an_address_that_cannot_be_crawled_is_refused_in_one_sentence(owner) -> None:
    for url, reason in (
        ("www.example.com", "must begin with http"),
        ("ftp://example.com/", "must begin with http"),
        ("file:///etc/passwd", "must begin with http"),
        ("https://", "has no host"),
        ("https://me:secret@example.com/", "user name or password"),
        ("https://example.com:99999/", "host or port"),
        ("https://exa mple.com/", "spaces"),
        ("https://[::1/", "host or port"),
        ("https://-._$.com/", "has no host"),
    ):
        with pytest.raises(UnsafeUrl, match=reason) as caught:
            watchlist.add_site(owner, url)
        assert "secret" not in str(caught.value)
    assert not Site.objects.exists()


@pytest.mark.usefixtures("processes")
def test_an_option_that_cannot_be_is_refused_by_name(owner) -> None:
    cases: list[tuple[dict[str, object], str]] = [
        ({"follow_patterns": "/book/\n("}, "not a regular expression"),
        ({"body_selector": "div[["}, "neither a CSS selector nor an XPath"),
        ({"encoding": "klingon"}, "the encoding 'klingon' does not exist"),
        ({"max_pages": 0}, "max pages"),
        ({"interval_days": 400}, "interval days"),
        ({"colour": "red"}, "no option colour"),
    ]
    for options, reason in cases:
        refused(reason, watchlist.add_site, owner, "https://example.com/", **options)
    assert not Site.objects.exists()


def test_hosts_of_starts_lists_and_others_are_told_apart(owner) -> None:
    first = watchlist.add_site(owner, "https://example.com/", name="甲")
    SiteDomain.objects.filter(site=first).delete()
    other = watchlist.add_site(admin_data.holder("北斗日报"), "https://example.com/", name="乙")
    assert shared_hosts(other) == []
    listed = watchlist.add_list(owner, "清单", "https://example.com/1.html")
    assert shared_hosts(listed) == []
    second = watchlist.add_site(owner, "https://example.com/", name="丙")
    assert [each.params["site"] for each in shared_hosts(second)] == ["甲"]
    assert shared_hosts(watchlist.add_site(owner, "https://example.com:8443/", name="丁")) == []


def test_new_chapter_numbers_are_ruled_anew(owner: RightsHolder, store: MemoryWorkStore, outbox: Outbox) -> None:
    told = [ChapterText(1, "第一章", "渡口的灯熄了。"), ChapterText(2, "第二章", "江面起了雾。")]
    work = catalogue.add_work(owner, WorkFile("河", "林栖", told), "novel", store, outbox).work
    prologue = [
        ChapterText(1, "楔子", "很久以前。"),
        *(ChapterText(each.number + 1, each.title, each.text) for each in told),
    ]
    catalogue.add_work(owner, WorkFile("河", "林栖", prologue), "novel", store, outbox)
    owner.refresh_from_db()
    assert owner.unruled_since is None, "no licence goes by the numbers"
    admin_data.licence(owner, work=work, chapters="1-2")
    again = catalogue.add_work(owner, WorkFile("河", "林栖", told), "novel", store, outbox)
    owner.refresh_from_db()
    assert owner.unruled_since is not None
    assert not again.is_unchanged
