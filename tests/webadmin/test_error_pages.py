"""What a person sees when something is not there, not allowed or broken: a sentence in their language, a way back."""

from __future__ import annotations

import pytest
from django.test import Client

from records.models import Site
from tests.support import admin_data
from tests.support.desk import add_url, record_url, signed_in

CASES = 1


def speaking(client: Client, language: str) -> Client:
    client.cookies["django_language"] = language
    return client


@pytest.mark.parametrize(("language", "words"), [("en", "nothing at this address"), ("zh-hans", "此地址没有内容")])
def test_a_case_that_is_not_ones_own_is_answered_with_a_sentence(
    world: admin_data.World, language: str, words: str
) -> None:
    case = world.theirs.cases[0]
    response = speaking(signed_in(world.ours.reviewer), language).get(record_url(case))
    assert response.status_code == 404
    assert words in response.content.decode()
    assert "beidou" not in response.content.decode()


def test_what_a_role_does_not_allow_is_said(world: admin_data.World) -> None:
    response = speaking(signed_in(world.ours.reviewer), "zh-hans").get(add_url(Site))
    assert response.status_code == 403
    assert "您的角色不允许此操作" in response.content.decode()


def test_a_fault_of_ours_shows_no_traceback(world: admin_data.World, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr("webadmin.admin.cases.case_view", broken)
    client = speaking(signed_in(world.ours.reviewer), "zh-hans")
    client.raise_request_exception = False
    response = client.get(record_url(world.ours.cases[0]))
    assert response.status_code == 500
    assert "出错了" in response.content.decode()
    assert "secret detail" not in response.content.decode()
