"""Test what comes of a notice that went out: states in order, counter-statements, counted days, what is due."""

from dataclasses import replace
from datetime import date, timedelta
from itertools import product

import pytest
from django.db import transaction
from django.utils import timezone

from core.addressees import AddresseeRole, CounterRule, Paper
from core.errors import BadInput
from core.ids import Digest
from tests.support import admin_data, sent_notices
from tests.support.memory_evidence import MemoryEvidenceStore
from tests.support.refusals import refused
from webadmin import stores
from webadmin.cases.models import Case
from webadmin.evidence.services.kept_files import case_enclosures
from webadmin.notices.models import Addressee, CounterStatement, EventPaper, Notice, NoticeMail, RemovalLook
from webadmin.notices.services import outcomes
from webadmin.notices.services.counters import (
    Action,
    action_deadline,
    count_days,
    enter_counter_statement,
    is_in_time,
    note_action,
    take_back_counter_statement,
)
from webadmin.notices.services.drafting import confirm_notice, draft_notice, draft_status, withdraw_notice
from webadmin.notices.services.due import list_due
from webadmin.notices.services.events import TRANSITIONS, change_state
from webadmin.notices.services.outcomes import escalate_notice, note_outcome
from webadmin.notices.services.sending import EventDetails, mark_sent, note_sent
from webadmin.notices.services.values import notice_cases
from webadmin.sites.models import PageRecord

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_store")]
PDF = b"%PDF-1.7\n"
State = Notice.State
today = timezone.localdate  # a suite may run over midnight
PROOF = EventDetails(files=[("回执.pdf", PDF)])


fill = sent_notices.estate


@pytest.fixture
def notice(ours: admin_data.Estate) -> Notice:
    return sent_notices.sent(ours, today() - timedelta(days=3))


@pytest.fixture
def host(ours: admin_data.Estate) -> Addressee:
    return admin_data.addressee(ours.holder, "某主机商", ours.sites[0], role=AddresseeRole.HOSTS)


def reloaded(notice: Notice) -> Notice:
    return Notice.objects.get(pk=notice.pk)


def test_sent_by_hand_has_day_way_and_proof(ours: admin_data.Estate, evidence_store: MemoryEvidenceStore) -> None:
    ours.addressee.answer_days = 3
    ours.addressee.save()
    notice, now = sent_notices.confirmed(ours), timezone.now()
    day = today() - timedelta(days=2)
    for way, details, by, sentence in (
        ("post", PROOF, ours.reviewer, "only a manager"),
        ("mail", PROOF, ours.manager, "how it was sent"),
        ("post", EventDetails(), ours.manager, "proof of sending"),
        ("post", replace(PROOF, day=today() + timedelta(days=2)), ours.manager, "in the future"),
        ("post", EventDetails(files=[("x.exe", b"MZ\x00")]), ours.manager, "not a PDF"),
        ("post", replace(PROOF, day=today() - timedelta(days=365)), ours.manager, "was not confirmed yet"),
    ):
        refused(sentence, mark_sent, notice, way, details, by, now)
    assert reloaded(notice).state == State.CONFIRMED
    mark_sent(notice, "courier", EventDetails(day, "顺丰", PROOF.files), ours.manager, now)
    assert (notice.state, notice.sent_on, notice.answer_due) == (State.SENT, day, day + timedelta(days=3))
    event = notice.events.last()
    assert (event.way, event.day, event.note, event.by) == ("courier", day, "顺丰", ours.manager)
    paper = EventPaper.objects.get(event=event)
    assert (paper.name, evidence_store.get(Digest(paper.digest))) == ("回执.pdf", PDF)


def test_every_move_is_in_the_one_table(ours: admin_data.Estate) -> None:
    notice = sent_notices.confirmed(ours)
    for before, to in product(State, State):
        Notice.objects.filter(pk=notice.pk).update(state=before)
        row = reloaded(notice)
        if to in TRANSITIONS[before]:
            change_state(row, to, ours.manager, timezone.now())
            assert reloaded(notice).state == to
        else:
            refused("no longer in that state", change_state, row, to, ours.manager, timezone.now())
    assert set(TRANSITIONS) == set(State)
    assert TRANSITIONS[State.SENT] >= set(State) - {State.DRAFTED, State.CONFIRMED, State.SENT}
    assert not TRANSITIONS[State.WITHDRAWN]


def test_an_outcome_has_day_and_files_and_ends_the_waiting(ours: admin_data.Estate, notice: Notice) -> None:
    now = timezone.now()
    refused("only a manager", note_outcome, notice, State.ANSWERED, ours.reviewer, now)
    for to in (State.SENT, State.ESCALATED, State.COUNTERED, "nonsense"):
        refused("choose what happened", note_outcome, notice, to, ours.manager, now)
    with pytest.raises(BadInput, match="before the notice was sent"):
        note_outcome(notice, State.ANSWERED, ours.manager, now, EventDetails(today() - timedelta(days=4)))
    note_outcome(notice, State.ANSWERED, ours.manager, now, EventDetails(today(), "要求盖章", PROOF.files))
    assert (notice.state, notice.answer_due) == (State.ANSWERED, None)
    note_outcome(notice, State.REFUSED, ours.manager, now)
    note_outcome(notice, State.REMOVED, ours.manager, now, PROOF)
    assert outcomes.next_outcomes(notice) == [State.CLOSED]
    note_outcome(notice, State.CLOSED, ours.manager, now)
    refused("no longer in that state", note_outcome, notice, State.ANSWERED, ours.manager, now)
    refused("no longer in that state", withdraw_notice, notice, ours.manager)
    states = [event.state for event in notice.events.all()]
    assert states[-5:] == ["sent", "answered", "refused", "removed", "closed"]


def test_a_removal_by_hand_needs_proof_and_certainty(ours: admin_data.Estate, notice: Notice) -> None:
    now, case = timezone.now(), notice_cases(notice)[0]
    refused("proof that the pages were removed", note_outcome, notice, State.REMOVED, ours.manager, now)
    PageRecord.objects.filter(pk=case.page_id).update(last_seen=now - timedelta(minutes=24))
    assert [(seen.pk, at) for seen, at in outcomes.sightings_since_sending(notice)] == [
        (case.pk, now - timedelta(minutes=24))
    ]
    with pytest.raises(BadInput, match=r"still saw the passages on 1 of the pages.* have them checked again"):
        note_outcome(notice, State.REMOVED, ours.manager, now, PROOF)
    certain = replace(PROOF, is_certain=True)
    with pytest.raises(BadInput, match="were not removed before that"):
        note_outcome(notice, State.REMOVED, ours.manager, now, replace(certain, day=today() - timedelta(days=2)))
    assert reloaded(notice).state == State.SENT
    look = RemovalLook.objects.create(case=case, at=now, seen=RemovalLook.Seen.GONE)
    assert outcomes.sightings_since_sending(notice) == [], "what was seen last is that it went"
    look.delete()
    note_outcome(notice, State.REMOVED, ours.manager, now, certain)
    assert reloaded(notice).state == State.REMOVED


def test_what_was_noted_by_hand_is_taken_back_and_stays_to_be_seen(ours: admin_data.Estate, notice: Notice) -> None:
    now, due_before = timezone.now(), notice.answer_due
    note_outcome(notice, State.REMOVED, ours.manager, now, PROOF)
    note_outcome(notice, State.CLOSED, ours.manager, now)
    refused("only a manager", outcomes.undo_last_event, notice, ours.reviewer, now)
    states = []
    for _ in range(3):
        outcomes.undo_last_event(notice, ours.manager, now, "登记错误")
        states.append((notice.state, notice.sent_on is None, notice.answer_due))
    assert states == [(State.REMOVED, False, None), (State.SENT, False, due_before), (State.CONFIRMED, True, None)]
    with pytest.raises(BadInput, match="was not recorded by hand, or was already undone"):
        outcomes.undo_last_event(notice, ours.manager, now)
    told = [(event.what, event.note) for event in notice.events.all()]
    assert told[2:5] == [("已发出", ""), ("已下架", ""), ("已办结", "")]
    assert told[5:] == [(f"撤回登记：{each}", "登记错误") for each in ("已办结", "已下架", "已发出")]
    papers, _left_out = case_enclosures(notice_cases(notice)[0], stores.evidence_store())
    assert "回执.pdf" not in [paper.name for paper in papers], "what was taken back proves nothing"
    day = today() - timedelta(days=2)
    mark_sent(notice, "post", EventDetails(day, files=PROOF.files), ours.manager, now)
    assert (notice.state, notice.sent_on) == (State.SENT, day), "the right day is noted after the wrong one"


def test_a_notice_withdrawn_by_mistake_goes_on(ours: admin_data.Estate, notice: Notice, host: Addressee) -> None:
    further = escalate_notice(notice, host, ours.reviewer).notice
    withdraw_notice(further, ours.manager)
    outcomes.undo_last_event(further, ours.manager, timezone.now())
    assert further.state == State.DRAFTED
    with transaction.atomic():
        change_state(further, State.CONFIRMED, ours.manager, timezone.now())
        note_sent(further, ours.manager, timezone.now(), "post", today())
    assert reloaded(notice).state == State.ESCALATED
    outcomes.undo_last_event(further, ours.manager, timezone.now())
    assert (further.state, reloaded(notice).state) == (State.CONFIRMED, State.SENT)
    assert reloaded(notice).answer_due == notice.answer_due


def test_forms_that_are_sent_twice_are_noted_once(ours: admin_data.Estate, notice: Notice, host: Addressee) -> None:
    now = timezone.now()
    for _ in range(2):
        draft_notice(notice_cases(notice), Paper.ARTICLE_14, ours.reviewer, host)
        escalate_notice(notice, host, ours.reviewer)
        note_outcome(notice, State.ANSWERED, ours.manager, now, EventDetails(today(), "要求盖章", PROOF.files))
    for _ in range(2):
        enter_counter_statement(notice, EventDetails(today(), "不侵权", PROOF.files), ours.manager, now)
    assert Notice.objects.filter(addressee=host).count() == 2
    assert [event.state for event in notice.events.all()][-2:] == ["answered", "countered"]
    assert (notice.counters.count(), EventPaper.objects.filter(event__notice=notice).count()) == (1, 2)
    enter_counter_statement(notice, EventDetails(today(), "不侵权", [("二.pdf", PDF + b"2")]), ours.manager, now)
    assert notice.counters.count() == 2, "another statement of that day"


def test_a_counter_statement_stops_notices_to_its_provider_alone(
    ours: admin_data.Estate, notice: Notice, host: Addressee
) -> None:
    now, (page, other) = timezone.now(), notice_cases(notice)
    waiting = draft_notice(notice_cases(notice), Paper.ARTICLE_14, ours.reviewer, ours.addressee).notice
    refused("only a manager", enter_counter_statement, notice, EventDetails(), ours.reviewer, now)
    elsewhere = Case.objects.exclude(pk__in=[page.pk, other.pk])[0]
    with pytest.raises(BadInput, match="about pages that the notice names"):
        enter_counter_statement(notice, EventDetails(), ours.manager, now, cases=[elsewhere.pk])
    counter = enter_counter_statement(
        notice, EventDetails(today(), files=PROOF.files), ours.manager, now, cases=[page.pk]
    )
    assert (notice.state, counter.rule, counter.days) == (State.COUNTERED, CounterRule.REPLY_2020_9, 20)
    assert counter.event.papers.count() == 1
    (left_out,) = draft_notice(notice_cases(notice), Paper.ARTICLE_14, ours.reviewer, ours.addressee).left_out
    assert (left_out[0].pk, left_out[1].code) == (page.pk, "notice.page-countered")
    assert "no further notice about this URL can be sent" in str(left_out[1])
    assert [case.pk for case, _ in draft_status(waiting).pages] == [page.pk]
    refused("can no longer be named: this provider sent a counter-statement", confirm_notice, waiting, ours.manager)
    with pytest.raises(BadInput, match="can be named in a notice: this provider sent a counter-statement"):
        draft_notice([page], Paper.ARTICLE_14, ours.reviewer, ours.addressee)
    assert not draft_notice(notice_cases(notice), Paper.ARTICLE_14, ours.reviewer, host).left_out
    same = admin_data.addressee(ours.holder, "别名", role=AddresseeRole.SEARCHES, email=ours.addressee.email.upper())
    assert len(draft_notice(notice_cases(notice), Paper.ARTICLE_14, ours.reviewer, same).left_out) == 1
    written_in = draft_notice([page], Paper.ARTICLE_14, ours.reviewer).notice
    written_in.values["addressee_name"] = f" {ours.addressee.name} "
    assert [case.pk for case, _ in draft_status(written_in).pages] == [page.pk]


@pytest.mark.parametrize("before", [State.SENT, State.ANSWERED])
def test_a_counter_statement_taken_back_stops_nothing(ours: admin_data.Estate, notice: Notice, before: str) -> None:
    if before != State.SENT:
        note_outcome(notice, before, ours.manager, timezone.now())
    due_before = notice.answer_due
    counter = enter_counter_statement(notice, EventDetails(today(), files=PROOF.files), ours.manager, timezone.now())
    assert reloaded(notice).answer_due is None
    refused("only a manager", take_back_counter_statement, counter, ours.reviewer, timezone.now())
    take_back_counter_statement(counter, ours.manager, timezone.now(), "记错了通知")
    assert (reloaded(notice).state, reloaded(notice).answer_due) == (before, due_before)
    last = notice.events.last()
    assert (last.note, last.what) == ("记错了通知", "撤回登记：收到不侵权声明")  # type: ignore[union-attr]
    assert not draft_notice(notice_cases(notice), Paper.ARTICLE_14, ours.reviewer, ours.addressee).left_out
    assert action_deadline(counter) is None
    assert "notice.due-action" not in [each.what.code for each in list_due(Notice.objects.all())]
    names = [paper.name for paper in case_enclosures(notice_cases(notice)[0], stores.evidence_store())[0]]
    assert not set(names) & {name for name, _ in PROOF.files}, "what was taken back goes into no export"
    refused("already withdrawn", take_back_counter_statement, counter, ours.manager, timezone.now())
    with pytest.raises(BadInput, match="already withdrawn"):
        note_action(counter, Action("sued", today(), "杭州互联网法院"), ours.manager, timezone.now())


def test_who_acts_after_the_last_day_is_not_said_to_be_in_time(ours: admin_data.Estate, notice: Notice) -> None:
    counter = enter_counter_statement(notice, EventDetails(notice.sent_on), ours.manager, timezone.now())
    CounterStatement.objects.filter(pk=counter.pk).update(received_on=today() - timedelta(days=60))
    counter.refresh_from_db()
    with pytest.raises(BadInput, match="before the counter-statement was received"):
        note_action(counter, Action("sued", today() - timedelta(days=61), "杭州"), ours.manager, timezone.now())
    note_action(counter, Action("sued", today(), "杭州互联网法院"), ours.manager, timezone.now())
    assert not is_in_time(CounterStatement.objects.get(pk=counter.pk))


def test_the_time_is_kept_by_a_complaint_or_an_action(ours: admin_data.Estate, notice: Notice) -> None:
    now = timezone.now()
    counter = enter_counter_statement(notice, EventDetails(today()), ours.manager, now)
    assert counter.cases.count() == 2
    assert action_deadline(counter) is not None
    for action in (Action("prayed", today(), "某法院"), Action("sued", today(), " ")):
        refused("complained or sued", note_action, counter, action, ours.manager, now)
    refused("only a manager", note_action, counter, Action("sued", today(), "某法院"), ours.reviewer, now)
    sued = Action("sued", today(), "杭州互联网法院", "(2026)浙0192民初1号")
    note_action(counter, sued, ours.manager, now, PROOF.files)
    again = CounterStatement.objects.get(pk=counter.pk)
    assert action_deadline(again) is None
    assert (again.action.number, again.action.event.papers.count()) == ("(2026)浙0192民初1号", 1)
    refused("already recorded", note_action, again, Action("sued", today(), "某法院"), ours.manager, now)
    refused("complained or sued because of it", take_back_counter_statement, again, ours.manager, now)
    assert reloaded(notice).state == State.COUNTERED


def test_a_notice_taken_further_escalates_when_sent(ours: admin_data.Estate, notice: Notice, host: Addressee) -> None:
    refused("a different addressee", escalate_notice, notice, ours.addressee, ours.reviewer)
    made = escalate_notice(notice, host, ours.reviewer).notice
    assert (made.escalates, made.addressee, made.kind) == (notice, host, Paper.ARTICLE_14)
    assert [case.pk for case in notice_cases(made)] == [case.pk for case in notice_cases(notice)]
    assert f"权利人已于 {notice.sent_on} 就相同网络地址向{ours.addressee.name}发出通知" in made.values["facts"]
    assert reloaded(notice).state == State.SENT
    change_state(made, State.CONFIRMED, ours.manager, timezone.now())
    note_sent(made, ours.manager, timezone.now(), "post", today())
    old = reloaded(notice)
    assert (old.state, old.answer_due) == (State.ESCALATED, None)
    assert old.events.last().note == f"#{made.pk}"  # type: ignore[union-attr]
    refused("no longer in that state", escalate_notice, old, host, ours.reviewer)


def test_what_was_removed_meanwhile_is_not_escalated(ours: admin_data.Estate, notice: Notice, host: Addressee) -> None:
    made = escalate_notice(notice, host, ours.reviewer).notice
    note_outcome(notice, State.REMOVED, ours.manager, timezone.now(), PROOF)
    change_state(made, State.CONFIRMED, ours.manager, timezone.now())
    note_sent(made, ours.manager, timezone.now(), "post", today())
    assert reloaded(notice).state == State.REMOVED


def test_what_is_due_stands_in_order_the_overdue_first(ours: admin_data.Estate, notice: Notice) -> None:
    ours.notice.delete()
    late = sent_notices.sent(ours, today() - timedelta(days=30))
    confirmed, unknown = sent_notices.confirmed(ours), sent_notices.confirmed(ours)
    countered = sent_notices.sent(ours, today() - timedelta(days=1))
    enter_counter_statement(countered, EventDetails(today()), ours.manager, timezone.now())
    NoticeMail.objects.create(
        notice=unknown, attempt=1, state=NoticeMail.State.UNKNOWN, sender="a@b.cn", recipient="c@d.cn", size=1,
        message_id="<x@b.cn>", digest="0" * 64, asked_by=ours.manager, asked_at=timezone.now(),
    )  # fmt: skip
    found = list_due(Notice.objects.filter(rights_holder=ours.holder))
    shown = [(each.what.code, each.notice.pk, each.is_overdue(today())) for each in found]
    assert shown[:3] == [
        ("notice.due-answer", late.pk, True),
        ("notice.due-answer", notice.pk, False),
        ("notice.due-action", countered.pk, False),
    ]
    assert set(shown[3:]) == {("notice.due-send", confirmed.pk, False), ("notice.due-mail", unknown.pk, False)}
    note_outcome(countered, State.CLOSED, ours.manager, timezone.now())
    assert countered.pk not in {each.notice.pk for each in list_due(Notice.objects.all())}


@pytest.mark.parametrize(
    ("start", "days", "rule", "last"),
    [
        # Spring Festival 2026: 15 to 23 February off, Saturdays 14 and 28 February worked.
        (date(2026, 2, 12), 2, CounterRule.REPLY_2020_9, date(2026, 2, 14)),
        (date(2026, 2, 13), 2, CounterRule.REPLY_2020_9, date(2026, 2, 24)),
        (date(2026, 2, 9), 20, CounterRule.REPLY_2020_9, date(2026, 3, 13)),
        # National Day 2026: 1 to 7 October off, Sunday 20 September and Saturday 10 October worked.
        (date(2026, 9, 18), 1, CounterRule.REPLY_2020_9, date(2026, 9, 20)),
        (date(2026, 9, 30), 3, CounterRule.REPLY_2020_9, date(2026, 10, 10)),
        (date(2026, 10, 1), 15, CounterRule.E_COMMERCE, date(2026, 10, 16)),
        # 3 July 2026 is Independence Day as observed.
        (date(2026, 7, 1), 10, CounterRule.DMCA, date(2026, 7, 16)),
        (date(2025, 12, 24), 1, CounterRule.DMCA, date(2025, 12, 26)),
    ],
)
def test_days_are_counted_as_the_law_counts_them(start: date, days: int, rule: CounterRule, last: date) -> None:
    assert count_days(start, days, rule).last == last
    assert count_days(start, days, rule).unknown_year is None


def test_a_year_that_is_not_announced_is_named() -> None:
    assert count_days(date(2090, 12, 20), 20, CounterRule.REPLY_2020_9).unknown_year == 2090
    assert count_days(date(2090, 12, 20), 10, CounterRule.DMCA).unknown_year is None
