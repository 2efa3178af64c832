"""Runs the whole chain on the built-in sites: starts services, adds works, crawls, matches, writes reports."""

import json
import os
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import django

from core.private_files import write_privately
from core.settings_layers import planned_layers
from core.wording import Message
from deploy import demo_presence
from deploy.demo.plan import SitePlan, load_plan
from deploy.demo.verification import Verification
from deploy.home import Home, adopt, prepare
from deploy.outages import Outages
from deploy.services import up

if TYPE_CHECKING:
    from deploy.demo.notice import DraftedNotice

Say = Callable[[Message], None]

DAYS_OF_REPORT = 30
ACCOUNTS_FILE = "accounts.json"  # in the folder of the demo, readable only by its owner
PASSWORD_BYTES = 12  # 96 random bits


@dataclass(frozen=True, slots=True)
class DemoResult:
    """The result that `zhuiwen demo` prints."""

    cases: list[tuple[str, ...]]  # the rows of the table
    excluded: dict[str, int]
    verification: Verification
    reports: list[Path]
    address: str
    accounts: dict[str, str]  # password by user, "" if the user changed it
    pages: int
    chain_s: float  # from the request of the first crawl to the match of the last page
    notice: "DraftedNotice | None" = None


def run_demo(say: Say) -> DemoResult:
    """Run the demo in the installation that the environment selects, and leave its services running.

    say: reports progress. Safe to repeat, even after an aborted run, because every step is an upsert. Raises
    ZhuiwenError if a step fails.
    """
    folder = demo_presence.folder(prepare(os.environ, planned_layers).path)
    folder.mkdir(mode=0o700, exist_ok=True)  # from now on the services of the installation include the demo's sites
    home, sites = prepare(os.environ, planned_layers), load_plan()
    up(home, say)
    adopt(home)
    django.setup()
    from deploy.demo import chain  # its models can be imported only now

    made = _user_passwords(folder, chain.USERNAMES)
    outages = Outages(say)
    installed = outages.repeat_until_back(lambda: chain.install(sites, _site_origins(home, sites), made))
    say(Message("demo.installed", works=len(installed.works), sites=len(installed.sites)))
    started = time.monotonic()
    chain.crawl(installed, say, outages)
    chain_s = time.monotonic() - started
    say(Message("demo.notice"))
    notice = outages.repeat_until_back(lambda: chain.notice(installed))
    say(Message("demo.reports"))

    def result() -> DemoResult:
        return DemoResult(
            cases=chain.case_rows(installed),
            excluded=chain.excluded_counts(installed),
            verification=chain.verification(sites, installed),
            reports=chain.write_reports(home.path / "reports", DAYS_OF_REPORT),
            address=f"http://{home.settings.services.web_host}:{home.settings.services.web_port}/admin/",
            accounts=chain.unchanged_passwords(made),
            pages=chain.page_count(installed),
            chain_s=chain_s,
            notice=notice,
        )

    return outages.repeat_until_back(result)


def _site_origins(home: Home, sites: tuple[SitePlan, ...]) -> dict[str, str]:
    hosts = demo_presence.hosts(home.settings.services.demo_port)
    return {site.key: f"http://{host}" for site, host in zip(sites, hosts, strict=True)}


def _user_passwords(folder: Path, usernames: tuple[str, ...]) -> dict[str, str]:
    """Return the password of each user; create missing passwords and store them in the file in `folder`."""
    path = folder / ACCOUNTS_FILE
    try:
        known = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):  # missing, or truncated by a power loss
        known = {}
    if any(name not in known for name in usernames):
        known |= {name: secrets.token_urlsafe(PASSWORD_BYTES) for name in usernames if name not in known}
        write_privately(path, json.dumps(known, indent=1) + "\n")
    return {name: known[name] for name in usernames}
