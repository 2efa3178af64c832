"""Signing in: how fast somebody may guess, what a first visitor is told, and what no browser or proxy keeps."""

from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse

from tests.support import admin_data
from tests.support.admin_data import World
from tests.support.desk import add_url, list_url, registered_models, signed_in
from webadmin.accounts.models import User
from webadmin.accounts.services.passwords import OwnCharsValidator

CASES = 1


def tried(client: Client, name: str, password: str = "wrong") -> int:
    return client.post("/admin/login/", {"username": name, "password": password}).status_code


def test_who_guesses_many_names_from_one_address_is_slowed_and_nobody_is_shut_out(world: World) -> None:
    client = Client()
    assert {tried(client, f"name-{number}") for number in range(24)} == {200}
    person = world.ours.reviewer
    refused = client.post("/admin/login/", {"username": person.username, "password": admin_data.PASSWORD})
    assert (refused.status_code, refused["Retry-After"]) == (429, "4")
    assert "4 秒后重试" in refused.content.decode()
    assert tried(Client(REMOTE_ADDR="192.0.2.7"), person.username, admin_data.PASSWORD) == 302
    for attempt in AccessAttempt.objects.all():
        AccessAttempt.objects.filter(pk=attempt.pk).update(attempt_time=attempt.attempt_time - timedelta(seconds=5))
    assert tried(client, person.username, admin_data.PASSWORD) == 302


def test_what_postgresql_cannot_keep_of_a_try_is_counted_all_the_same(db: None) -> None:
    """SQLite keeps anything, so what was kept is looked at."""
    client = Client(REMOTE_ADDR="unix:")  # as a proxy names a visitor that comes over a socket
    assert [tried(client, "n" * 300) for _ in range(8)][-2:] == [200, 429]
    attempt = AccessAttempt.objects.get()
    assert (attempt.username, attempt.ip_address, attempt.failures_since_start) == ("n" * 255, None, 8)


def test_a_password_of_names_is_refused() -> None:
    for password in ("joe@1joe@1", "JOE@1joe@1!", "joejoejoejoe", "wangwangwang", "liwangli1234"):
        with pytest.raises(ValidationError):
            OwnCharsValidator().validate(password, User(username="joe@1", last_name="wang", first_name="li"))
    OwnCharsValidator().validate("wind-over-joe@1", User(username="joe@1"))
    OwnCharsValidator().validate(password, None)


def test_every_answer_has_a_policy_and_no_page_is_kept(world: World) -> None:
    client = signed_in(world.administrator)
    paths = [list_url(model) for model in registered_models()]
    paths += [add_url(model) for model, held in admin.site._registry.items() if type(held).__module__[:3] == "web"]
    paths += [reverse(f"admin:{name}") for name in ("index", "dashboard", "password_change", "password_change_done")]
    paths += ["/", "/admin/logout/", "/nowhere", "/admin/login/", "/favicon.ico", "/admin/jsi18n/"]
    paths += [f"/admin/accounts/user/{world.ours.reviewer.pk}/password/"]
    for path in paths:
        answer = client.get(path)
        assert answer["Content-Security-Policy"].count("default-src 'none'") == 1, path
        assert "no-store" in answer["Cache-Control"], path
