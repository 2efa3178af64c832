"""Test pages of what is not there, not allowed or broken: a sentence in the reader's language, a way back."""

import pytest
from django.test import Client

from tests.support import admin_data
from tests.support.admin_data import World
from tests.support.desk import add_url, record_url, signed_in
from webadmin.sites.models import Site

CASES = 1


def speaking(client: Client, language: str) -> Client:
    client.cookies["django_language"] = language
    return client


def test_what_is_not_there_or_not_allowed_is_said_in_the_reader_s_language(world: World) -> None:
    foreign = record_url(world.theirs.cases[0])
    for address, language, status, words in (
        (foreign, "en", 404, "This page does not exist"),
        (foreign, "zh-hans", 404, "该页面不存在，或属于您无权查看的权利人"),
        (add_url(Site), "zh-hans", 403, "您的角色不允许此操作"),
    ):
        response = speaking(signed_in(world.ours.reviewer), language).get(address)
        assert response.status_code == status
        assert words in response.content.decode()
        assert "beidou" not in response.content.decode()


def test_a_fault_of_ours_shows_no_traceback(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr("webadmin.stores.page_store", broken)
    client = speaking(signed_in(world.ours.reviewer), "zh-hans")
    client.raise_request_exception = False
    response = client.get(record_url(world.ours.cases[0]))
    assert response.status_code == 500
    assert "出错了" in response.content.decode()
    assert "secret detail" not in response.content.decode()


def test_a_form_that_is_out_of_date_is_answered_with_a_sentence(world: World) -> None:
    client = speaking(Client(enforce_csrf_checks=True), "zh-hans")
    response = client.post("/admin/login/", {"username": "changhe-reviewer", "password": admin_data.PASSWORD})
    assert response.status_code == 403
    assert "页面已过期" in response.content.decode()


def test_who_is_locked_out_is_told_so(world: World) -> None:
    client = speaking(Client(), "zh-hans")
    wrong = {"username": world.ours.reviewer.get_username(), "password": "wrong"}
    answers = [client.post("/admin/login/", wrong) for _ in range(9)]
    assert answers[-1].status_code == 429
    assert "登录已暂停，请 15 分钟后再试" in answers[-1].content.decode()
