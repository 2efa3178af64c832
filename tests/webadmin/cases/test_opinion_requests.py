"""Asking for second opinions from the page of a case, once for each page version."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from core.messages import OpinionsRequested
from tests.support import admin_data
from tests.support.admin_data import World
from tests.support.case_texts import Texts
from tests.support.desk import CollectingOutbox
from webadmin.cases.models import Case, OpinionRequest
from webadmin.cases.services.opinions.asking import ask_engines
from webadmin.cases.services.opinions.requests import EXPIRES_AFTER, OpinionSubject, is_request_open, request_opinions

CASES = 2

pytestmark = pytest.mark.django_db

NOW = admin_data.NOW
BY_SCRIPT = {"X-Requested-With": "XMLHttpRequest"}


@pytest.fixture
def case(world: World, texts: object) -> Case:
    return world.ours.cases[0]


def subject_of(case: Case) -> OpinionSubject:
    return OpinionSubject(case.pk, case.version_id)


def message_of(case: Case) -> OpinionsRequested:
    return OpinionsRequested(case.pk, case.version_id)


def address(case: Case, **query: object) -> str:
    words = "&".join(f"{key}={value}" for key, value in query.items())
    return f"{reverse('admin:cases_case_change', args=[case.pk])}?{words}"


def state_of(page: str) -> str:
    (state,) = re.findall(r'data-opinions="(\w+)"', page)
    return str(state)


def is_unfolded(page: str) -> bool:
    (tag,) = re.findall(r'<details class="zw-unfold"[^>]*>', page)
    return tag.endswith(" open>")


def test_a_request_is_sent_once_until_it_was_not_answered_in_time(case: Case, outbox: CollectingOutbox) -> None:
    late = NOW + EXPIRES_AFTER
    for at, number in ((NOW, 1), (NOW, 1), (late - timedelta(seconds=1), 1), (late, 2), (late, 2)):
        request_opinions(subject_of(case), at)
        assert outbox.sent == [message_of(case)] * number
        assert is_request_open(subject_of(case), at)
    assert not is_request_open(subject_of(case), late + EXPIRES_AFTER)


def test_looking_at_a_case_asks_nobody(case: Case, outbox: CollectingOutbox, reviewer: Client) -> None:
    page = reviewer.get(address(case)).content.decode()
    assert (state_of(page), is_unfolded(page)) == ("unasked", False)
    assert "have not judged this version yet" in page
    content = reviewer.get(address(case, opinions=case.version_id), headers=BY_SCRIPT).content.decode()
    assert state_of(content) == "unasked"
    assert outbox.sent == []


def test_the_script_is_told_the_answer(case: Case, texts: Texts, outbox: CollectingOutbox, reviewer: Client) -> None:
    where = address(case, opinions=case.version_id)
    for _ in range(2):
        said = reviewer.post(where, headers=BY_SCRIPT)
        assert (said.status_code, state_of(said.content.decode())) == (200, "asking")
        assert "<html" not in said.content.decode()
        assert "connect-src 'self'" in said["Content-Security-Policy"]
    assert outbox.sent == [message_of(case)]
    page = reviewer.get(address(case)).content.decode()
    assert (state_of(page), is_unfolded(page)) == ("asking", True)
    ask_engines(subject_of(case), texts.pages, texts.works, NOW)
    answered = reviewer.get(where, headers=BY_SCRIPT).content.decode()
    assert state_of(answered) == "answered"
    assert "engines agree" in answered
    assert is_unfolded(reviewer.get(address(case)).content.decode())
    request_opinions(subject_of(case), NOW)
    assert outbox.sent == [message_of(case)]
    assert not OpinionRequest.objects.exists()


@pytest.mark.parametrize(
    ("language", "words"), [("en", "cannot be run now: the message broker"), ("zh-hans", "现在无法用公开引擎判断")]
)
def test_a_broker_that_is_away_is_one_sentence(
    case: Case, outbox: CollectingOutbox, reviewer: Client, language: str, words: str
) -> None:
    outbox.is_away = True
    reviewer.cookies["django_language"] = language
    said = reviewer.post(address(case, opinions=case.version_id), headers=BY_SCRIPT)
    assert (said.status_code, state_of(said.content.decode())) == (503, "unasked")
    assert words in said.content.decode()
    page = reviewer.post(address(case, opinions=case.version_id), follow=True)
    assert page.status_code == 200
    assert words in page.content.decode()
    assert not OpinionRequest.objects.exists()


@pytest.mark.parametrize("method", ["get", "post"])
def test_nobody_asks_about_a_case_or_version_of_another_holder(
    world: World, case: Case, outbox: CollectingOutbox, reviewer: Client, method: str
) -> None:
    theirs = world.theirs.cases[0]
    for asked in (theirs, case):
        said = getattr(reviewer, method)(address(asked, opinions=theirs.version_id), headers=BY_SCRIPT)
        assert said.status_code == 404
    assert outbox.sent == []
