"""Ctrl-C at the worst moment: inside a query of the database."""

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import DatabaseError, OperationalError, connection
from django.utils import timezone

from core.settings_loading import load
from deploy.crawl_waiting import wait_for_runs
from tests.support import admin_data
from webadmin.sites.models import CrawlRun
from webadmin.ui.console.interrupts import record_interrupts

pytestmark = pytest.mark.django_db
Execute = Callable[..., Any]


@pytest.fixture
def run() -> CrawlRun:
    site = admin_data.site(admin_data.holder(), host="luoxia.changhe.example")
    return CrawlRun.objects.create(site=site, state=CrawlRun.State.RUNNING, due_at=timezone.now())


@pytest.fixture(autouse=True)
def _handler_is_put_back() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    assert signal.getsignal(signal.SIGINT) is before


def _interrupted(execute: Execute, *query: Any) -> Any:
    """The signal arrives while the driver works; the query then ends well."""
    os.kill(os.getpid(), signal.SIGINT)
    return execute(*query)


def _interrupted_and_failed(execute: Execute, *query: Any) -> Any:
    """The driver gives its query up for the signal, and calls that an error of the database."""
    os.kill(os.getpid(), signal.SIGINT)
    raise OperationalError("interrupted")


def _swallowed(execute: Execute, *query: Any) -> Any:
    """A driver's callback makes an error of its own of whatever is raised inside it."""
    try:
        return _interrupted(execute, *query)
    except KeyboardInterrupt as interrupt:
        raise DatabaseError("user-defined function raised exception") from interrupt


@pytest.mark.parametrize("query", [_interrupted, _interrupted_and_failed, _swallowed])
def test_an_interrupt_inside_a_query_ends_the_wait_with_its_sentence(
    query: Execute, run: CrawlRun, capsys: pytest.CaptureFixture[str]
) -> None:
    with connection.execute_wrapper(query), pytest.raises(KeyboardInterrupt):
        wait_for_runs([run], load({}))
    assert "the crawl continues in the background; see zhuiwen site list" in capsys.readouterr().err


def test_a_second_interrupt_is_raised_where_it_arrives() -> None:
    with contextlib.suppress(KeyboardInterrupt), record_interrupts():
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
