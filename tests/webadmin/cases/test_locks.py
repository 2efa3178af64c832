"""Two connections that write the same findings wait for each other and never for ever: `webadmin.database.lock_rows`.

Each test holds the first writer where it has its locks, lets the second run until it waits for one, and lets the first
go on: were their orders different, PostgreSQL would end one of them.
"""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from threading import Event, Thread

import pytest
from django.db import connection, transaction

from core.ids import PageId, SiteId, work_text_id
from core.states import CaseState, Verdict
from core.visits import Visit, address_id
from core.works import ChapterText, WorkFile
from tests.support import admin_data, case_texts
from tests.support.admin_data import World
from tests.support.desk import CollectingOutbox
from tests.support.memory_pages import MemoryWorkStore
from tests.support.records import MOMENT, match, outcome, page_version
from webadmin.cases.models import Case, IgnoredText, Matter, VerdictRecord
from webadmin.cases.services import ignoring, passages
from webadmin.cases.services.case_repository import DjangoCaseRepository
from webadmin.cases.services.matters.figures import refresh_matters, sum_taken_chars
from webadmin.cases.services.verdicts import decide
from webadmin.sites.models import CrawlRun, PageRecord, Site
from webadmin.sites.services.runs import mark_started, request_run
from webadmin.sites.services.visit_repository import DjangoVisitRepository
from webadmin.works.models import Chapter, OwnDomain, Work
from webadmin.works.services.catalogue import add_work

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="SQLite has one writer at a time; set TEST_DATABASE_URL"
    ),
]
WAIT_S = 30.0
MATTER_LOCKED = 'FROM "cases_matter"', "FOR NO KEY UPDATE"


class _Held:
    """Holds a connection behind the first statement that has all of some words."""

    def __init__(self, words: tuple[str, ...]) -> None:
        self._words = words
        self.is_there, self.may_go_on = Event(), Event()

    def __call__(self, execute: Callable[..., object], sql: str, *rest: object) -> object:
        result = execute(sql, *rest)
        if not self.is_there.is_set() and all(word in sql for word in self._words):
            self.is_there.set()
            assert self.may_go_on.wait(WAIT_S)
        return result


class _Writer(Thread):
    """Does something on a connection of its own."""

    def __init__(self, write: Callable[[], object], held: _Held | None = None) -> None:
        super().__init__(daemon=True)
        self._write, self._held = write, held
        self.fault: Exception | None = None
        self.has_ended = Event()
        self.start()

    def run(self) -> None:
        try:
            if self._held is None:
                self._write()
            else:
                with connection.execute_wrapper(self._held):
                    self._write()
        except Exception as error:  # the test says which
            self.fault = error
        finally:
            connection.close()
            self.has_ended.set()


def crossed(first: Callable[[], object], second: Callable[[], object], behind: tuple[str, ...]) -> None:
    """Let `second` begin while `first` is held behind a statement with these words; both come to their end."""
    held = _Held(behind)
    one = _Writer(first, held)
    assert held.is_there.wait(WAIT_S), one.fault
    other = _Writer(second)
    while not other.has_ended.wait(0.02) and not _somebody_waits():
        pass
    held.may_go_on.set()
    for each in (one, other):
        each.join(WAIT_S)
        assert each.has_ended.is_set()
        assert each.fault is None, each.fault


def _somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return bool(cursor.fetchone()[0])


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, outbox: CollectingOutbox) -> World:
    """Fill in four cases of ours, the first and the third in one matter; all are open."""
    made = admin_data.fill_world(cases=4)
    case_texts.keep_estate(case_texts.use(monkeypatch), made.ours)
    Case.objects.update(state=CaseState.OPEN, decision=None, decided_as="")
    refresh_matters(list(Matter.objects.values_list("pk", flat=True)))
    return made


@pytest.fixture
def matter(world: World) -> tuple[Case, Case]:
    first, _, third, _ = Case.objects.filter(rights_holder=world.ours.holder).order_by("pk")
    assert first.matter_id == third.matter_id
    return first, third


def dismiss(case: Case, world: World) -> Callable[[], None]:
    """Decide as a reviewer does meanwhile."""
    return lambda: decide(case, Verdict.FALSE_ALARM, world.ours.reviewer)


def recorded(*cases: Case, text: str = "抄来的字句", has_findings: bool = True) -> Callable[[], object]:
    """Write what a worker writes of the pages of cases."""
    outcomes = []
    for case in cases:
        version = page_version(str(case.page.site_id), case.page.url, text, title=case.page.title)
        assert version.page_id == case.page_id
        found = [match(case.work.chapters.order_by("number")[0].text_id)] if has_findings else []
        outcomes.append(outcome(version, *found))
    return lambda: DjangoCaseRepository(MemoryWorkStore()).open_or_update_cases(outcomes)


def test_a_crawl_that_marks_pages_as_gone_and_back_and_a_verdict(world: World, matter: tuple[Case, Case]) -> None:
    gone, back = matter
    for case in matter:
        decide(case, Verdict.CONFIRMED, world.ours.reviewer)
    Case.objects.filter(pk=gone.pk).update(returned_at=MOMENT)
    PageRecord.objects.filter(pk=back.page_id).update(gone_since=MOMENT)
    site = SiteId(str(gone.page.site_id))
    visits = [
        Visit(
            address_id(site, case.page.url), case.page.url, 1, MOMENT, MOMENT + timedelta(days=1),
            page_id=PageId(case.page_id), gone_since=MOMENT if case == gone else None,
        )
        for case in matter
    ]  # fmt: skip
    crossed(lambda: DjangoVisitRepository().save(site, visits), dismiss(back, world), MATTER_LOCKED)
    assert Matter.objects.get(pk=gone.matter_id).closed_cases == 1


def test_a_worker_that_marks_changes_and_a_verdict(world: World, matter: tuple[Case, Case]) -> None:
    before, other = matter
    record = recorded(before, other, has_findings=False)
    record()
    for case in matter:
        decide(case, Verdict.CONFIRMED, world.ours.reviewer)
    Case.objects.filter(pk=before.pk).update(changed_since=MOMENT)
    VerdictRecord.objects.filter(case=other).update(page_version_id="of before")
    crossed(record, dismiss(other, world), MATTER_LOCKED)
    assert Case.objects.get(pk=before.pk).changed_since is None


def test_what_counts_nowhere_and_a_verdict_on_a_case_that_it_concerns(world: World, matter: tuple[Case, Case]) -> None:
    words, reason = admin_data.WORK_TEXT[12:40], IgnoredText.Reason.SET_WORDING
    manager, holder = world.ours.manager, world.ours.holder
    newest_first = ignoring.preview_effect(holder, words).losses
    last = next(loss.case for loss in reversed(newest_first) if loss.case in matter)
    crossed(
        lambda: ignoring.ignore_everywhere(holder, words, manager, reason=reason), dismiss(last, world), MATTER_LOCKED
    )
    assert Case.objects.get(pk=last.pk).state == CaseState.DISMISSED


def test_rights_that_change_twice_in_one_transaction_and_a_verdict(world: World, matter: tuple[Case, Case]) -> None:
    for number, case in enumerate(matter):
        Case.objects.filter(pk=case.pk).update(page_url=f"https://{number}.own.example/")

    def change() -> None:
        with transaction.atomic():
            for number in range(2):
                OwnDomain.objects.create(rights_holder=world.ours.holder, domain=f"{number}.own.example")

    crossed(change, dismiss(matter[1], world), MATTER_LOCKED)
    assert Matter.objects.get(pk=matter[0].matter_id).closed_cases == 2


def test_a_passage_that_is_left_out_while_a_worker_writes_its_page(world: World, matter: tuple[Case, Case]) -> None:
    found, texts = matter[0].matches.get(), [admin_data.WORK_TEXT[12:40]]
    leave_out = partial(passages.exclude_passages, found, texts, world.ours.reviewer, reason="quotation")
    crossed(leave_out, recorded(matter[0]), ("INSERT INTO", "cases_excludedpassage"))
    assert matter[0].excluded_passages.count() == 1


def test_chapters_move_while_a_worker_writes(world: World, matter: tuple[Case, Case]) -> None:
    case, holder = matter[0], world.ours.holder
    admin_data.licence(holder, domain="elsewhere.example", work=case.work, chapters="1")
    file = WorkFile(case.work.title, case.work.author, (ChapterText(7, "第七章", admin_data.WORK_TEXT),))
    send = partial(add_work, holder, file, "", MemoryWorkStore(), CollectingOutbox())
    crossed(send, recorded(case), MATTER_LOCKED)
    assert case.work.chapters.get().number == 7


def test_a_work_that_is_sent_again_while_its_texts_enter_the_index(world: World) -> None:
    work, text = world.ours.works[0], "渡口的灯熄了很久，江面起了雾。"
    key, store = work_text_id(text), MemoryWorkStore()
    Chapter.objects.create(work=work, number=9, title="第九章", text_id=key, chars=len(text))
    file = WorkFile(work.title, work.author, (ChapterText(9, "第九章", text),))
    send = partial(add_work, world.ours.holder, file, Work.Kind.NEWS, store, CollectingOutbox(), keep_missing=True)
    enter = partial(DjangoCaseRepository(store).note_indexed, {key: 12}, MOMENT)
    crossed(send, enter, ('UPDATE "works_work"', "kind"))
    assert Chapter.objects.get(work=work, number=9).chars == 12


def test_two_verdicts_on_copies_of_the_same_text_on_two_sites(world: World) -> None:
    first, second, *_ = Case.objects.filter(rights_holder=world.ours.holder).order_by("pk")
    Case.objects.exclude(pk__in=[first.pk, second.pk]).update(state=CaseState.DISMISSED)
    site = Site.objects.create(rights_holder=world.ours.holder, name="另一站", start_urls="https://other.example/")
    matter = Matter.objects.create(rights_holder=world.ours.holder, site=site, work=first.work)
    Case.objects.filter(pk=second.pk).update(site=site, work=first.work, matter=matter)
    second.taken.update(text_id=first.taken.get().text_id)
    refresh_matters(list(Matter.objects.values_list("pk", flat=True)))
    assert sum_taken_chars(Work.objects.all()) == {first.work_id: first.matter.taken_chars}
    united = '"cases_mattertext"."places"', 'INNER JOIN "cases_matter"', '"work_id" ='
    crossed(dismiss(first, world), dismiss(Case.objects.get(pk=second.pk), world), united)
    assert sum_taken_chars(Work.objects.all()) == {}


def test_two_crawlers_that_take_sites_of_one_host(world: World) -> None:
    runs = []
    for holder in (world.ours.holder, world.theirs.holder):
        site = Site.objects.create(rights_holder=holder, name="同一网站", start_urls="http://shared.example/")
        site.domains.create(host="shared.example")
        runs.append(request_run(site))
    first, second = (partial(mark_started, run) for run in runs)
    crossed(first, second, ('FROM "watched_sites_sitedomain"', "FOR UPDATE"))
    assert [CrawlRun.objects.get(pk=run.pk).state for run in runs] == [CrawlRun.State.RUNNING, CrawlRun.State.QUEUED]
