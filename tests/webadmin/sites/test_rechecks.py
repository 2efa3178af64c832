"""Pages that a person asks for, fetched by the crawlers of the product from a real site."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crawler.texts import own_text
from tests.support.installation import Installation, Machine, installed, wait_until
from tests.support.web_server import Answer, WebServer, page
from tests.webadmin.sites.test_crawlers import hold_after, watched

pytestmark = [pytest.mark.end_to_end, pytest.mark.timeout(900)]

PAGE = "/s0/p/3"
_ASK = """
from django.utils import timezone
from webadmin.accounts.models import User
from pipeline.outbox import CeleryOutbox
from webadmin.wiring import live_ports
from webadmin.sites.models import PageRecord
from webadmin.sites.services import rechecks
user, _ = User.objects.get_or_create(username="li")
page = PageRecord.objects.get(url__endswith=sys.argv[1])
asked = [rechecks.request_recheck(page, user, timezone.now(), CeleryOutbox()) for _ in range(2)]
assert asked[0].pk == asked[1].pk
print(asked[0].pk, asked[0].run_id or 0)
"""


@pytest.fixture
def installation(tmp_path: Path, mongo_url: str, redis_url: str) -> Iterator[Installation]:
    with WebServer({}) as server, installed(tmp_path, tmp_path / "admin.sqlite3", mongo_url, redis_url, server) as made:
        yield made


def ask(machine: Machine) -> tuple[int, int]:
    """Asked for twice, once: the number of the check, and of its run."""
    recheck, run = machine.run(_ASK, PAGE)[0].split()
    return int(recheck), int(run)


def row(installation: Installation, recheck: int) -> sqlite3.Row:
    return installation.rows("SELECT * FROM watched_sites_pagerecheck WHERE id = ?", recheck)[0]


def checked(installation: Installation, machine: Machine) -> str:
    """Ask, let a crawler come, and wait: what came of it."""
    recheck, run = ask(machine)
    machine.wake(run)
    wait_until(lambda: row(installation, recheck)["outcome"], "the page is checked")
    assert row(installation, recheck)["run_id"] == run
    return str(row(installation, recheck)["outcome"])


def test_exactly_the_page_is_fetched_and_what_came_of_it_is_written_down(installation: Installation) -> None:
    machine = installation.machine(CRAWLERS=1)
    ((site, run),) = watched(installation, 1).values()
    machine.wake(run)
    wait_until(lambda: installation.ended([site]), "the first crawl ends")
    wait_until(lambda: installation.rows("SELECT * FROM watched_sites_sitetemplate"), "the site's template is read")
    installation.compare_all()
    server = installation.server
    answers = []
    for change in (None, page("第3章", own_text(7_777)), Answer(b"", "", 404), Answer(b"", "", 500)):
        if change is not None:
            server.routes[PAGE] = change
        server.log.clear()
        answers.append(checked(installation, machine))
        known = {path for path in installation.asked("/s0") if path in server.routes}
        assert known == {PAGE}
    assert answers == ["unchanged", "changed", "gone", "not_seen"]
    newest = installation.rows("SELECT * FROM watched_sites_pagerecheck ORDER BY id DESC")[0]
    assert "500" in newest["fault"]
    server.log.clear()
    whole = installation.ask(site)  # the pages of the site are as due as they were
    machine.wake(whole)
    wait_until(lambda: installation.ended([site]), "the next crawl ends")
    assert PAGE not in installation.asked("/s0/p")


def test_a_page_asked_for_while_its_site_is_crawled_waits_for_the_end(installation: Installation) -> None:
    machine = installation.machine(CRAWLERS=1)
    ((site, run),) = watched(installation, 1).values()
    machine.wake(run)
    wait_until(lambda: installation.ended([site]), "the first crawl ends")
    installation.compare_all()
    other = installation.ask(site)
    released = hold_after(1, installation, other)
    machine.wake(other)
    wait_until(lambda: installation.asked("/s0"), "the crawl is under way")
    recheck, own = ask(machine)
    assert own == 0
    released.set()
    wait_until(lambda: row(installation, recheck)["outcome"], "the page is checked")
    assert row(installation, recheck)["outcome"] == "unchanged"
    assert row(installation, recheck)["run_id"] not in {None, other}
