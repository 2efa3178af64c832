"""Counts of what is fetched from hosts, in a real SQLite file."""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from core.hosts import parse_host
from core.politeness import CrawlBudget
from crawler.politeness.usage import PAGES_A_DAY, USAGE_NAME, HostUsage

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
