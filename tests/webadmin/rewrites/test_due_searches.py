"""Test what pages and works owe each other, as the database is asked: by indexes, in parts, whatever a clock says."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from matcher.reworded.record import CURRENT
from webadmin.accounts.models import RightsHolder
from webadmin.accounts.services import failures
from webadmin.cases.models import PageCheck
from webadmin.rewrites.models import RewordedCheck
from webadmin.rewrites.services import due_searches
from webadmin.rewrites.services.due_searches import MeaningWatch
from webadmin.sites.models import PageRecord, Site
from webadmin.works.models import Chapter, Work

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


class World:
    """One holder who watches short stories, and a site."""

    def __init__(self) -> None:
        self.holder = RightsHolder.objects.create(name="甲", reworded_kinds=["story"])
        self.site = Site.objects.create(rights_holder=self.holder, name="某站", start_urls="http://a.example/")
        self.work = Work.objects.create(rights_holder=self.holder, title="河", kind=Work.Kind.STORY)

    @property
    def watch(self) -> MeaningWatch:
        (found,) = due_searches.watches()
        return found

    def chapter(self, number: int = 1, **fields: object) -> Chapter:
        given = {"indexed_at": NOON, "text_id": f"t{number}", **fields}
        return Chapter.objects.create(work=self.work, number=number, chars=1_000, **given)

    def page(self, number: int = 1, **fields: object) -> PageRecord:
        made = PageRecord.objects.create(
            page_id=f"p{number:03d}", site=self.site, url=f"http://a.example/{number}", first_seen=NOON, last_seen=NOON,
            version_id=f"v{number:03d}", chars=1_000, **fields,
        )  # fmt: skip
        PageCheck.objects.create(
            version_id=made.version_id, page=made, algorithm_id=4, corpus_revision=1, checked_at=NOON, appeared_at=NOON
        )
        return made

    def checked(self, page: PageRecord, until: datetime = NOON, version: int = CURRENT.version) -> RewordedCheck:
        PageRecord.objects.filter(pk=page.pk).update(reworded_version_id=page.version_id)
        return RewordedCheck.objects.create(page=page, algorithm_version=version, works_until=until, checked_at=NOON)

    def due_check(self, until: datetime = NOON, limit: int = 100) -> list[str]:
        return [each.page for each in due_searches.due_pages(self.watch, until, limit)]


@pytest.fixture
def world() -> World:
    return World()


class TestPages:
    def test_those_without_a_check_of_their_version_come_first_and_then_the_oldest(self, world: World) -> None:
        pages = [world.page(number) for number in range(6)]
        world.checked(pages[0], NOON - HOUR)
        world.checked(pages[1], NOON - 2 * HOUR)
        world.checked(pages[2], NOON, CURRENT.version - 1)
        world.checked(pages[3], NOON)
        changed = world.checked(pages[4])
        PageRecord.objects.filter(pk=changed.pk).update(version_id="v005")
        assert world.due_check() == ["p005", "p004", "p002", "p001", "p000"]
        assert world.due_check(limit=1) == ["p005"]
        assert world.due_check(limit=4) == ["p005", "p004", "p002", "p001"]

    def test_those_of_others_that_are_gone_uncompared_or_given_up_owe_nothing(self, world: World) -> None:
        world.page(1, gone_since=NOON)
        uncompared, given_up = world.page(2), world.page(3)
        PageCheck.objects.filter(page=uncompared).delete()
        failures.note_failure(due_searches.TASK, given_up.version_id, failures.WORKER_DIED)
        other = RightsHolder.objects.create(name="乙")
        foreign = Site.objects.create(rights_holder=other, name="别站", start_urls="http://b.example/")
        PageRecord.objects.filter(pk=world.page(4).pk).update(site=foreign, rights_holder=other)
        assert world.due_check() == []
        world.checked(given_up, NOON - HOUR)
        assert world.due_check() == []

    def test_each_question_is_answered_by_an_index(self, world: World) -> None:
        for number in range(40):
            page = world.page(number)
            if number % 3:
                world.checked(page, NOON - HOUR)
        watch = world.watch
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
            with CaptureQueriesContext(connection) as asked:
                assert len(due_searches.due_pages(watch, NOON, 100)) == 40
            plans = []
            for each in asked.captured_queries:
                cursor.execute(f"EXPLAIN {'QUERY PLAN ' if connection.vendor == 'sqlite' else ''}{each['sql']}")
                plans.append(str(cursor.fetchall()))
        if connection.vendor == "sqlite":  # of so few rows PostgreSQL reads all
            assert "page_owes_reworded" in plans[0]
            assert all("reworded_check_age" in plan for plan in plans[1:])
            assert not any("SCAN" in plan for plan in plans)
