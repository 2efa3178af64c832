"""The first page counts what is there, of the own rights holders only, in a bounded number of queries."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone, translation

from core.states import Rejection
from tests.support import admin_data
from tests.support.admin_data import World
from webadmin.accounts.models import User
from webadmin.cases.models import Case
from webadmin.reports.pages import dashboard
from webadmin.sites.models import CrawlRun

pytestmark = pytest.mark.django_db


def figures(user: User) -> dict[str, Any]:
    with translation.override("en"):
        return dashboard.figures(user, timezone.now())


def tiles(user: User) -> dict[str, int]:
    context = figures(user)
    return {
        str(tile.label): tile.count for name in ("case_tiles", "stock_tiles", "run_faults") for tile in context[name]
    }


def test_counts_are_those_of_the_own_rights_holder(world: World) -> None:
    counts = tiles(world.ours.reviewer)
    assert (counts["Open cases"], counts["Confirmed"], counts["Dismissed"]) == (4, 1, 1)
    assert (counts["Pages watched"], counts["Sites"], counts["Works"]) == (8, 2, 2)
    chars = sum(work.counted_chars for work in world.ours.works)
    assert counts["Characters in the corpus"] == chars
    assert tiles(world.administrator)["Open cases"] == 8
    assert not any(tiles(admin_data.user("nobody")).values())


def test_runs_that_failed_or_did_not_happen_are_counted_and_urgent(world: World) -> None:
    now = timezone.now()
    site = world.ours.sites[0]
    admin_data.run(site, CrawlRun.State.FAILED, due_at=now - timedelta(days=1))
    admin_data.run(site, CrawlRun.State.MISSED, due_at=now - timedelta(days=2))
    admin_data.run(site, CrawlRun.State.MISSED, due_at=now - timedelta(days=9))
    admin_data.run(world.theirs.sites[0], CrawlRun.State.FAILED, due_at=now)
    faults = {tile.count: tile.is_urgent for tile in figures(world.ours.reviewer)["run_faults"]}
    assert faults == {1: True}


def test_cases_are_counted_by_class_and_site_and_what_is_none_by_reason(world: World) -> None:
    for page in world.ours.pages[:2]:
        admin_data.exclusion(page, world.ours.works[1], Rejection.QUOTATION)
    context = figures(world.ours.reviewer)
    for table in ("classes", "sites"):
        columns = zip(*(row.counts for row in context[table]), strict=True)
        assert [sum(column) for column in columns] == [4, 1, 1, 0]
    assert [(row.label, row.counts) for row in context["exclusions"]] == [("quotation", (2,)), ("licensed", (1,))]


def test_the_number_of_queries_does_not_grow_with_what_is_stored(world: World) -> None:
    with CaptureQueriesContext(connection) as few:
        figures(world.ours.reviewer)
    for number in range(20):
        site = admin_data.site(world.ours.holder, f"站 {number}", f"s{number}.example")
        admin_data.case(admin_data.page(site, number), world.ours.works[0], number, with_match=False)
        admin_data.run(site)
    with CaptureQueriesContext(connection) as many:
        figures(world.ours.reviewer)
    assert len(many) == len(few) <= 40


def test_every_count_leads_to_a_list_of_as_many(world: World, client: Client) -> None:
    client.force_login(world.ours.reviewer, backend="django.contrib.auth.backends.ModelBackend")
    client.cookies["django_language"] = "en"
    page = client.get(reverse("admin:dashboard")).content.decode()
    content = page[page.index('class="zw zw-dashboard"') :]
    links = {link.replace("&amp;", "&") for link in re.findall(r'href="(/admin/(?:\w+/)+[^"]*)"', content)}
    assert len(links) > 10
    for link in links:
        response = client.get(link)
        assert response.status_code == 200, f"{link} answered {response.status_code}"
    context = figures(world.ours.reviewer)
    counted = [(tile.href, tile.count) for tile in context["case_tiles"]]
    counted += [(row.href, sum(row.counts)) for row in (*context["classes"], *context["sites"])]
    for href, count in counted:
        assert client.get(href).context["cl"].result_count == count, href


def test_works_are_listed_by_what_stands_on_pages_each_character_once(world: World, client: Client) -> None:
    client.force_login(world.ours.reviewer, backend="django.contrib.auth.backends.ModelBackend")
    rows = figures(world.ours.reviewer)["works"]
    copies = [case for case in world.ours.cases if case.state in ("open", "confirmed")]
    for row, work in zip(rows, world.ours.works, strict=True):
        of_work = [case for case in copies if case.work == work]
        assert (row["label"], row["cases"], row["chars_taken"]) == (work.title, len(of_work), admin_data.TAKEN_CHARS)
        assert row["chars_on_pages"] == sum(case.matched_chars for case in of_work) > row["chars_taken"]
        assert row["share_taken"] == admin_data.TAKEN_CHARS / work.counted_chars
        assert client.get(row["href"]).context["cl"].result_count == row["cases"]


def test_kept_counts_say_of_when_they_are(world: World, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    client.force_login(world.ours.reviewer, backend="django.contrib.auth.backends.ModelBackend")
    client.cookies["django_language"] = "en"
    cache.clear()
    monkeypatch.setattr(dashboard, "MAX_LIVE", 5)
    first = client.get(reverse("admin:dashboard"))
    Case.objects.filter(pk=world.ours.cases[0].pk).update(opened_at=timezone.now())
    second = client.get(reverse("admin:dashboard"))
    assert "Counted at" in second.content.decode()
    assert second.context["case_tiles"] == first.context["case_tiles"]
    monkeypatch.setattr(dashboard, "MAX_LIVE", 6)
    third = client.get(reverse("admin:dashboard"))
    assert "Counted at" not in third.content.decode()
    assert third.context["case_tiles"] != first.context["case_tiles"]
    cache.clear()
