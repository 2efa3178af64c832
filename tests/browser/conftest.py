"""One browser for the tests of a module, windows of it, and the two rights holders that are looked at."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.support import admin_data, browser, case_texts


@pytest.fixture(scope="module")
def chromium(browsers: None) -> Iterator[Browser]:
    with browser.chromium() as started:
        yield started


@pytest.fixture(autouse=True)
def no_windows_left(chromium: Browser, live_server: object) -> Iterator[None]:
    """Close what a test has opened before its tables are emptied: no request comes when nobody waits for it."""
    yield
    for window in chromium.contexts:
        window.close()


@pytest.fixture
def opened(chromium: Browser, live_server: object) -> browser.Opened:
    return browser.opening(chromium, str(live_server))


@pytest.fixture
def world(request: pytest.FixtureRequest, transactional_db: None) -> admin_data.World:
    """With as many cases each as the module's CASES says."""
    return admin_data.fill_world(cases=getattr(request.module, "CASES", 4))


@pytest.fixture
def texts(world: admin_data.World, monkeypatch: pytest.MonkeyPatch) -> case_texts.Texts:
    return case_texts.of_estates(monkeypatch, world.ours)


@pytest.fixture
def reviewer(opened: browser.Opened, world: admin_data.World, texts: object) -> browser.Visitor:
    return opened(world.ours.reviewer)
