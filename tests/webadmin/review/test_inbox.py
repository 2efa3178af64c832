"""The inbox: queues and their counts, filters that cannot be read, what is found, decided, undone, assigned, saved."""

import re
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from core.states import CaseState, Verdict
from core.taken import Places
from tests.support import admin_data
from tests.support.admin_data import World
from tests.support.desk import record_url, signed_in
from webadmin import theme
from webadmin.cases.models import Case, Matter, SavedView, TakenText, VerdictRecord
from webadmin.cases.pages.state_columns import CASE_STATE_COLORS
from webadmin.cases.services.matters.figures import refresh_matters
from webadmin.ui.models.phrases import STATES

pytestmark = pytest.mark.django_db
INBOX = "/admin/"


@pytest.fixture
def reviewer(world: World) -> Client:
    return signed_in(world.ours.reviewer)


def listed(client: Client, **asked: object) -> list[str]:
    """The matters of the inbox, in order."""
    response = client.get(INBOX, asked)
    assert response.status_code == 200, response.content.decode()
    return [str(line.matter) for line in response.context["lines"]]


def queue_counts(client: Client) -> dict[str, int]:
    queues = [queue for group in client.get(INBOX).context["queues"] for queue in group]
    return {parse_qs(urlsplit(queue["address"]).query)["queue"][0]: queue["count"] for queue in queues}


def matters(estate: admin_data.Estate) -> list[Matter]:
    return list(Matter.objects.filter(rights_holder=estate.holder).order_by("pk"))


def test_it_is_the_landing_page(world: World) -> None:
    client = Client()
    assert client.get("/").headers["Location"] == INBOX
    given = {"username": world.ours.reviewer.get_username(), "password": admin_data.PASSWORD}
    assert client.post(reverse("admin:login"), given).headers["Location"] == INBOX
    assert client.get(INBOX).templates[0].name == "review/inbox.html"


def test_each_queue_shows_its_matters_and_counts_them(world: World, reviewer: Client) -> None:
    ours = matters(world.ours)
    assert [str(each) for each in ours] == [
        "changhe·落霞小说网 × changhe·渡口夜灯",
        "changhe·云笺阁 × changhe·雪线以北",
    ]
    Matter.objects.filter(pk=ours[0].pk).update(assignee=world.ours.reviewer, awaited="权属证明")
    Case.objects.filter(pk=world.ours.cases[1].pk).update(changed_since=timezone.now(), returned_at=timezone.now())
    refresh_matters([each.pk for each in ours])
    expected = {"new": 2, "mine": 1, "papers": 1, "returned": 1, "changed": 1, "confirmed": 1, "closed": 0, "all": 2}
    assert queue_counts(reviewer) == expected
    for queue, count in expected.items():
        assert len(listed(reviewer, queue=queue)) == count, queue
    assert listed(reviewer, queue="mine") == listed(reviewer, queue="papers") == [str(ours[0])]


def test_a_state_has_one_word_and_one_colour_wherever_a_case_is_listed(world: World, reviewer: Client) -> None:
    colours = {"open": "warn", "confirmed": "bad", "dismissed": "good", "set_aside": "soft"}
    css = (Path(theme.__file__).parent / "ui" / "static" / "ui" / "zhuiwen.css").read_text(encoding="utf-8")
    matter = matters(world.ours)[0]
    for state, colour in colours.items():
        Case.objects.filter(matter=matter).update(state=state, decision=None)
        refresh_matters([matter.pk])
        (rule,) = re.findall(rf"\.zw-state-{state}\b[^{{]*{{([^}}]*)}}", css)
        assert f"var(--zw-{colour}" in rule
        in_list = {"warning": "warn", "danger": "bad", "success": "good", "default": "soft"}
        assert in_list[CASE_STATE_COLORS[CaseState(state)]] == colour
        (line,) = [one for one in reviewer.get(INBOX, {"queue": "all"}).context["lines"] if one.matter == matter]
        shown = "" if colour == "soft" else f"is-{colour}"
        assert (STATES[CaseState(state)], shown) in line.chips
        preview = reviewer.get(reverse("webadmin_matter", args=[matter.pk])).content.decode()
        assert f"{STATES[CaseState(state)]} {matter.all_cases}" in preview


def test_a_rights_holder_sees_and_changes_its_own_matters_only(world: World, reviewer: Client) -> None:
    theirs = matters(world.theirs)[0]
    before = (theirs.assignee, theirs.awaited, theirs.open_cases, theirs.confirmed_cases)
    page = reviewer.get(INBOX, {"queue": "all", "at": theirs.pk}).content.decode()
    assert "beidou" not in page
    assert world.theirs.works[0].title not in page
    address = reverse("webadmin_matter", args=[theirs.pk])
    assert reviewer.get(address).status_code == 404
    assert reviewer.post(address, {"awaited": "x"}).status_code == 404
    reviewer.post(INBOX, {"action": "assign", "matter": theirs.pk, "assignee": world.ours.reviewer.pk})
    reviewer.post(INBOX, {"action": "decide_confirmed", "matter": theirs.pk})
    theirs.refresh_from_db()
    assert (theirs.assignee, theirs.awaited, theirs.open_cases, theirs.confirmed_cases) == before
    assert len(listed(signed_in(world.administrator), queue="all")) == 4


def test_the_most_harmful_stand_first_and_another_order_can_be_chosen(world: World, reviewer: Client) -> None:
    first, second = matters(world.ours)
    for matter, harm, lead in ((first, 20.0, 900), (second, 70.0, None)):
        Matter.objects.filter(pk=matter.pk).update(harm=harm, lead_s=lead)
    assert listed(reviewer) == [str(second), str(first)]
    assert listed(reviewer, order="lead") == [str(first), str(second)], "what is not known stands last"


@pytest.mark.parametrize(
    "asked",
    [
        {"queue": "everything"},
        {"order": "-pk"},
        {"kind": "magic"},
        {"days": "8"},
        {"share": "x"},
        {"early": "yes"},
        {"site": "1 OR 1=1"},
        {"work": "-1"},
        {"holder": "9" * 30},
        {"site": "9" * 19},
        {"assignee": "me"},
        {"q": "字" * 501},
    ],
    ids=str,
)
def test_an_unreadable_value_is_a_sentence_and_no_full_list(reviewer: Client, asked: dict[str, str]) -> None:
    response = reviewer.get(INBOX, asked)
    assert response.status_code == 400
    assert next(iter(asked)) in response.content.decode()


def test_filters_are_chips_that_can_be_taken_away_one_by_one(world: World, reviewer: Client) -> None:
    first, second = matters(world.ours)
    asked = {"site": first.site_id, "work": first.work_id, "share": 10, "days": 90, "kind": "homophone", "early": 1}
    shown = {"newest_at": timezone.now(), "early_chapters": 2, "obfuscation_kinds": " homophone "}
    Matter.objects.filter(pk=first.pk).update(**shown)
    response = reviewer.get(INBOX, asked)
    assert [line.matter for line in response.context["lines"]] == [first]
    chips = {chip.text: chip.address for chip in response.context["chips"]}
    assert list(chips)[:2] == [str(first.site), str(first.work)]
    left = parse_qs(urlsplit(chips[str(first.site)]).query)
    assert set(left) == set(asked) - {"site"}
    for name, value in (("site", second.site_id), ("early", 1), ("share", 90), ("kind", "zero_width")):
        assert str(first) not in listed(reviewer, **{name: value}) or name == "early"
    Matter.objects.filter(pk=first.pk).update(newest_at=timezone.now() - timedelta(days=8), early_chapters=0)
    assert listed(reviewer, days=7) == listed(reviewer, early=1) == []
    assert listed(reviewer, assignee="none") != listed(reviewer, assignee=world.ours.reviewer.pk) == []


@pytest.mark.parametrize(
    "typed",
    [
        "https://www.luoxia.changhe.example/book/0.html",
        "http://luoxia.changhe.example/book/0.html",
        "渡口夜灯",
        "渡口夜燈",
        "落霞",
        "明天的船票",
        "匿名搬运者",
    ],
)
def test_matters_are_found_by_what_is_known_of_them(world: World, reviewer: Client, typed: str) -> None:
    Case.objects.filter(pk=world.ours.cases[0].pk).update(page_author="匿名搬运者")
    world.ours.works[0].chapters.filter(number=3).update(title="尾声 明天的船票")
    text = world.ours.works[0].chapters.get(number=3).text_id
    TakenText.objects.create(case=world.ours.cases[0], text_id=text, places=Places.from_starts(range(5)).pack())
    refresh_matters([world.ours.cases[0].matter_id])
    assert listed(reviewer, q=typed, queue="all") == [str(matters(world.ours)[0])]


def test_a_verdict_for_a_matter_says_first_what_will_happen_and_can_be_undone(world: World, reviewer: Client) -> None:
    matter = matters(world.ours)[0]
    opened = list(Case.objects.filter(matter=matter, state=CaseState.OPEN))
    changed = opened[0]
    Case.objects.filter(pk=changed.pk).update(version_id="0" * 40)
    plan = reviewer.post(INBOX, {"action": "decide_confirmed", "matter": matter.pk})
    able = plan.context["plan"].able
    assert {case.pk for case in able} == {case.pk for case in opened} - {changed.pk}
    assert list(plan.context["plan"].left_out.values()) == [[changed]]
    assert not VerdictRecord.objects.filter(case__in=opened).exists()

    form = {"action": "decide_confirmed", "_selected_action": [case.pk for case in able], "seen": plan.context["seen"]}
    reviewer.post(INBOX, form)
    assert set(Case.objects.filter(matter=matter, state=CaseState.OPEN)) == {changed}

    record, together = reviewer.get(INBOX).context["undoable"]
    assert together == len(able)
    reviewer.post(INBOX, {"action": "undo", "basis": record.pk})
    assert Case.objects.filter(matter=matter, state=CaseState.OPEN).count() == len(opened)
    assert VerdictRecord.objects.filter(case=able[0]).count() == 2, "both stay in the history"
    assert reviewer.get(INBOX).context["undoable"] is None


def test_what_changed_or_came_back_is_decided_again_in_its_queue(world: World, reviewer: Client) -> None:
    confirmed = world.ours.cases[1]
    Case.objects.filter(pk=confirmed.pk).update(changed_since=timezone.now())
    refresh_matters([confirmed.matter_id])
    plan = reviewer.post(f"{INBOX}?queue=changed", {"action": "decide_confirmed", "matter": confirmed.matter_id})
    assert [case.pk for case in plan.context["plan"].able] == [confirmed.pk]


def test_only_ones_own_newest_decision_is_undone(world: World, reviewer: Client) -> None:
    admin_data.decided(world.ours.cases[3], world.ours.manager, at=timezone.now())
    assert reviewer.get(INBOX).context["undoable"] is None
    admin_data.decided(world.ours.cases[4], world.ours.reviewer, at=timezone.now() - timedelta(hours=1))
    assert reviewer.get(INBOX).context["undoable"] is None, "later it is taken back in its case"
    reviewer.post(INBOX, {"action": "undo", "basis": VerdictRecord.objects.latest("pk").pk})
    assert Case.objects.get(pk=world.ours.cases[4].pk).state == CaseState.CONFIRMED


def test_matters_are_assigned_together_and_papers_are_waited_for(world: World, reviewer: Client) -> None:
    ours = matters(world.ours)
    sent = {"action": "assign", "matter": [each.pk for each in ours], "assignee": world.ours.manager.pk}
    reviewer.post(f"{INBOX}?days=90", sent, follow=True)
    assert {each.assignee for each in matters(world.ours)} == {world.ours.manager}
    stranger = reviewer.post(INBOX, {**sent, "assignee": world.theirs.reviewer.pk}, follow=True)
    assert {each.assignee for each in matters(world.ours)} == {world.ours.manager}
    assert [message.level_tag for message in stranger.context["messages"]] == ["error"]
    assert world.theirs.reviewer.get_username() not in stranger.content.decode(), "not even its name is told"
    address = reverse("webadmin_matter", args=[ours[0].pk])
    reviewer.post(address, {"awaited": "授权委托书"})
    reviewer.post(address, {"assignee": "none"})
    ours[0].refresh_from_db()
    assert (ours[0].awaited, ours[0].assignee) == ("授权委托书", None)


def test_nothing_chosen_changes_nothing_and_says_so(reviewer: Client) -> None:
    before = VerdictRecord.objects.count()
    for sent in ({"action": "decide_confirmed"}, {"action": "assign", "assignee": "none"}, {"action": "fly"}, {}):
        messages = reviewer.post(INBOX, sent, follow=True).context["messages"]
        assert [message.level_tag for message in messages] == ["error"], sent
    assert VerdictRecord.objects.count() == before


def test_a_view_is_kept_for_its_owner_alone(world: World, reviewer: Client) -> None:
    address = f"{INBOX}?queue=confirmed&share=50"
    reviewer.post(address, {"action": "save", "name": "整书五成"})
    (view, kept), *others = reviewer.get(INBOX).context["views"]
    assert (view.name, others) == ("整书五成", [])
    assert parse_qs(urlsplit(kept).query) == {"queue": ["confirmed"], "share": ["50"]}
    manager = signed_in(world.ours.manager)
    assert manager.get(INBOX).context["views"] == []
    manager.post(INBOX, {"action": "forget", "view": view.pk})
    assert SavedView.objects.filter(pk=view.pk).exists()
    longest = f"{INBOX}?q={'字' * 500}"
    reviewer.post(longest, {"action": "save", "name": "很长"})
    assert len(listed(reviewer, q="字" * 500)) == 0
    SavedView.objects.get(name="很长").delete()
    for name in ("", "字" * 61):
        reviewer.post(address, {"action": "save", "name": name})
    assert SavedView.objects.count() == 1
    reviewer.post(INBOX, {"action": "forget", "view": view.pk})
    assert not SavedView.objects.exists()


def test_a_case_leads_to_the_next_of_its_matter_then_to_the_next_matter(world: World, reviewer: Client) -> None:
    first, second = sorted(matters(world.ours), key=lambda each: (-each.harm, -each.pk))
    line = reviewer.get(INBOX, {"days": ""}).context["lines"][0]
    opened = list(Case.objects.filter(matter=first, state=CaseState.OPEN).order_by("pk"))
    opened += Case.objects.filter(matter=second, state=CaseState.OPEN).order_by("pk")
    address, met = line.address, []
    while address:
        page = reviewer.get(address)
        met.append(page.context["case"])
        address = page.context["listed"].following_address
    assert met == opened
    back = reviewer.get(page.context["listed"].previous_address)
    assert back.context["case"] == opened[-2]
    assert page.context["listed"].address == INBOX

    given = {"verdict": Verdict.CONFIRMED, "basis": 0}
    after = reviewer.post(line.address, given, follow=True)
    assert after.context["case"] == opened[1], "a verdict goes on to the next"
    assert after.context["just_decided"]["case"] == opened[0]


def test_filters_survive_opening_a_case(world: World, reviewer: Client) -> None:
    asked = {"share": "10", "order": "share"}
    line = reviewer.get(INBOX, asked).context["lines"][0]
    inside = reviewer.get(line.address).context["listed"]
    assert parse_qs(urlsplit(inside.address).query) == {name: [value] for name, value in asked.items()}
    odd = reviewer.get(record_url(world.ours.cases[0]), {"inbox": "queue=nonsense"})
    assert odd.context["listed"].address == INBOX


def test_a_longer_inbox_takes_no_more_statements(world: World, reviewer: Client) -> None:
    reviewer.get(INBOX)
    with CaptureQueriesContext(connection) as few:
        reviewer.get(INBOX)
    for number in range(20):
        site = admin_data.site(world.ours.holder, f"站{number}", f"z{number}.example")
        admin_data.case(admin_data.page(site, 100 + number), world.ours.works[0], number)
    with CaptureQueriesContext(connection) as many:
        assert len(reviewer.get(INBOX).context["lines"]) == 22
    assert len(many) <= len(few) + 1


def test_an_empty_inbox_says_what_to_do_next(reviewer: Client) -> None:
    assert reviewer.get(INBOX, {"q": "没有这样的题目"}).context["empty"] == "filtered"
    assert reviewer.get(INBOX, {"queue": "papers"}).context["empty"] == "done"
    person = admin_data.user("新人", admin_data.holder("空空"))
    page = signed_in(person).get(INBOX)
    assert page.context["empty"] == "nothing"
    assert reverse("admin:works_work_changelist") in page.content.decode()
