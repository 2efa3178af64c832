"""The task that asks the registries, and what a crawl keeps of where a site can be reached."""

import logging
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import DatabaseError

from core.contacts import Contact, ContactKind
from core.messages import LookUpRequested, as_dict
from crawler.contacts.reading import ContactGatherer, PageContacts
from tests.support.admin_data import holder, site
from webadmin.sites import tasks as sites_tasks
from webadmin.sites.models import ContactLookUp, ContactRead, CrawlRun, Site
from webadmin.sites.services import crawl_process

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 20, 3, 0, tzinfo=UTC)


@pytest.fixture
def watched() -> Site:
    return site(holder(), "落霞小说网", "www.pirate.com")


@pytest.fixture
def look_up(watched: Site) -> ContactLookUp:
    return ContactLookUp.objects.create(site=watched, asked_at=NOW)


def test_the_task_carries_out_what_was_asked_and_says_what_kept_it(look_up: ContactLookUp) -> None:
    sites_tasks.look_up_contacts(**as_dict(LookUpRequested(look_up.pk)))
    look_up.refresh_from_db()
    assert look_up.ended_at is not None
    assert [fault.code for fault in look_up.faults] == ["registry.off"], "the settings of the tests name no server"
    sites_tasks.look_up_contacts(look_up_id=404)


def test_what_failed_for_good_leaves_nothing_open(look_up: ContactLookUp) -> None:
    given: dict[str, Any] = {"look_up_id": look_up.pk}
    sites_tasks.look_up_contacts.on_failure(RuntimeError("broken"), "id", (), given, None)
    look_up.refresh_from_db()
    assert (look_up.ended_at is not None, look_up.faults[0].code) == (True, "registry.died")


def gathered() -> ContactGatherer:
    found = ContactGatherer(lambda: NOW)
    found.add_page(
        "https://a.example/about", PageContacts((Contact(ContactKind.EMAIL, "a@b.example"),), is_about_page=True)
    )
    return found


def test_a_crawl_keeps_what_it_read_of_its_site(watched: Site) -> None:
    crawl_process._keep_contacts(CrawlRun(site=watched), gathered())
    row = ContactRead.objects.get()
    assert (row.site, row.value, row.where, row.read_at) == (watched, "a@b.example", "https://a.example/about", NOW)


def test_a_database_that_is_away_then_ends_no_crawl(
    watched: Site, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def away(*_: object) -> None:
        raise DatabaseError("away")

    monkeypatch.setattr(crawl_process.contacts, "note_read", away)
    with caplog.at_level(logging.WARNING, "zhuiwen.crawl"):
        crawl_process._keep_contacts(CrawlRun(site=watched), gathered())
    assert "was not written: away" in caplog.text
