"""The Chromium that the product finds against a live server: pages that are watched for script errors and alerts."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Browser, Page, expect, sync_playwright

from crawler.browsing.chromium import find_chromium
from webadmin.accounts.models import User

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SHOTS = os.environ.get("ZHUIWEN_TEST_SHOTS", "")  # a folder for pictures of what is tested, to be looked at
DEADLINE_MS = 60_000  # for one step; the slowest takes about 2 s on two busy cores, and others may want these too


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium; where it is absent the test is skipped, or fails with REQUIRE_SERVICES=1."""
    executable = find_chromium()
    if executable is None:
        reason = "there is no Chromium; install Debian's package chromium-headless-shell"
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    expect.set_options(timeout=DEADLINE_MS)  # its own are 5 s, whatever a window allows
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(executable), args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Visitor:
    """One person at one window, and everything their browser complained of."""

    page: Page
    address: str  # of the live server
    complaints: list[str] = field(default_factory=list)
    alerts: list[str] = field(default_factory=list)

    def go(self, path: str) -> int:
        """Open a page of the server; returns its status."""
        response = self.page.goto(self.address + path)
        self.page.wait_for_load_state("networkidle")
        return response.status

    def keep(self, name: str) -> None:
        """A picture of the whole page, to be looked at, where a folder for pictures is set."""
        if SHOTS:
            self.page.screenshot(path=f"{SHOTS}/{name}.png", full_page=True)

    def leave_by(self, selector: str) -> None:
        """Click what leads to another page, or to this one anew, and be there: what was shown before is gone."""
        with self.page.expect_navigation():
            self.page.click(selector)
        self.page.wait_for_load_state("networkidle")

    def log_in(self, person: User) -> None:
        """Have what logging in leaves: a session of theirs, of the live server that runs in this process."""
        desk = Client()
        desk.force_login(person)
        session = desk.cookies[settings.SESSION_COOKIE_NAME]
        self.page.context.add_cookies([{"name": session.key, "value": session.value, "url": self.address}])

    def log_in_by_form(self, name: str, password: str) -> None:
        """Log in as people do, and see the inbox."""
        self.go("/admin/")
        self.page.fill("input[name=username]", name)
        self.page.fill("input[name=password]", password)
        self.page.click("form button[type=submit]")
        self.page.wait_for_selector(".inbox-columns")


Opened = Callable[..., Visitor]


def visitor(
    browser: Browser, address: str, language: str = "en", width: int = 1440, *, runs_scripts: bool = True
) -> Visitor:
    """Open a window of its own, with its own cookies, in a language and a width."""
    context = browser.new_context(
        locale=language, viewport={"width": width, "height": 900}, java_script_enabled=runs_scripts
    )
    context.set_default_timeout(DEADLINE_MS)
    page = context.new_page()
    made = Visitor(page, address)
    page.on("pageerror", lambda error: made.complaints.append(str(error)))
    page.on("console", lambda message: made.complaints.append(message.text) if message.type == "error" else None)

    def dismiss(dialog: object) -> None:
        made.alerts.append(dialog.message)  # type: ignore[attr-defined]
        dialog.dismiss()  # type: ignore[attr-defined]

    page.on("dialog", dismiss)
    return made


def opening(browser: Browser, address: str) -> Opened:
    """Opens windows in which a person is signed in, as `visitor` opens them."""

    def opened(person: User, language: str = "en", width: int = 1440, *, runs_scripts: bool = True) -> Visitor:
        made = visitor(browser, address, language, width, runs_scripts=runs_scripts)
        made.log_in(person)
        return made

    return opened
