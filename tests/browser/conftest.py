"""One browser for the tests of a module."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.support import browser


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
