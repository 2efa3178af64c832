"""Budgets of crawls: pages a day and bytes a run, counted by host in a real SQLite file."""

import sqlite3
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.hosts import parse_host
from core.ids import SiteId
from core.politeness import CrawlBudget, Politeness
from crawler.politeness.usage import PAGES_A_DAY, USAGE_NAME, HostUsage
from tests.crawler.crawl_process import crawl, linked_pages, plan_of, settings_of
from tests.support.web_server import WebServer

pytestmark = pytest.mark.usefixtures("processes")


def _polite(budget: CrawlBudget) -> Politeness:
    return Politeness(first_wait_s=0.1, budget=budget)


def test_the_pages_of_a_day_are_a_budget_over_several_runs(tmp_path: Path) -> None:
    with WebServer(linked_pages(9)) as site:
        plan = plan_of(site.url(), politeness=_polite(CrawlBudget(pages_a_day=5)), concurrency=4)
        first = crawl(plan, settings_of(site.netloc), None, tmp_path / "job").counts
        assert (first.finish_reason, len(site.requested)) == ("budget", 5)
        assert "daily budget of 5 pages" in str(first.end_sentence)
        resumes = datetime.fromisoformat(first.resume_at)
        assert timedelta() < resumes - datetime.now(UTC) <= timedelta(days=1)
        second = crawl(plan, settings_of(site.netloc), None, tmp_path / "job").counts
        assert (second.finish_reason, len(site.requested)) == ("budget", 5)


def test_the_pages_of_a_day_count_what_every_site_of_the_host_fetched(tmp_path: Path) -> None:
    with WebServer(linked_pages(9)) as site:
        ours = replace(plan_of(site.url(), max_pages=2), site_id=SiteId("ours"))
        theirs = replace(plan_of(site.url(), politeness=_polite(CrawlBudget(pages_a_day=3))), site_id=SiteId("theirs"))
        crawl(ours, settings_of(site.netloc), None, tmp_path / "ours")
        asked = len(site.requested)
        counts = crawl(theirs, settings_of(site.netloc), None, tmp_path / "theirs").counts
        assert counts.finish_reason == "budget"
        assert len(site.requested) == max(asked, 3)


def test_the_bytes_of_a_run_are_a_budget_and_the_next_run_has_its_own(tmp_path: Path) -> None:
    with WebServer(linked_pages(9)) as site:
        plan = plan_of(site.url(), politeness=_polite(CrawlBudget(bytes_a_run=2_000)), concurrency=1)
        counts = crawl(plan, settings_of(site.netloc), None, tmp_path / "job").counts
        assert counts.finish_reason == "byte_limit"
        assert 2_000 <= sum(site.bytes_sent.values()) < 4_000


NOW = datetime(2026, 11, 30, 8, 0, tzinfo=UTC)
HOST = parse_host("pirate.example")


def test_responses_on_a_full_disk_are_counted_once_it_has_room(tmp_path: Path) -> None:
    usage = HostUsage(CrawlBudget(pages_a_day=4), "run", [HOST], tmp_path)
    usage.add_response("http://pirate.example/1", NOW, 10)
    with sqlite3.connect(tmp_path / USAGE_NAME) as other:
        other.execute("BEGIN IMMEDIATE")  # nobody else can write, as on a full disk
        usage._rows.execute("PRAGMA busy_timeout = 0")
        usage.add_response("http://pirate.example/2", NOW, 10)
        usage.add_response("http://pirate.example/3", NOW, 10)
        assert usage.reached_limit(NOW.replace(hour=0)) == ""
    usage.add_response("http://pirate.example/4", NOW, 10)
    assert usage.reached_limit(NOW.replace(hour=0)) == PAGES_A_DAY
    usage.close(NOW)
