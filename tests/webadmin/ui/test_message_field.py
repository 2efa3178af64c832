"""Messages in the database: with what is in them, searched by their code, fit for every database."""

import pytest

from core.errors import ServiceUnavailable
from core.wording import Message
from tests.support import admin_data
from webadmin.sites.models import CrawlRun
from webadmin.ui.models.fields import MAX_TEXT_CHARS

pytestmark = pytest.mark.django_db

INNER = Message("intake.too-many-files", most=20_000)
NESTED = Message("core.unreadable", path="书.zip", reason=INNER)
SEVERAL = Message("core.faults", faults=[NESTED, INNER])


@pytest.fixture
def run() -> CrawlRun:
    return admin_data.run(admin_data.site(admin_data.holder()))


def stored(run: CrawlRun, said: object) -> object:
    CrawlRun.objects.filter(pk=run.pk).update(finish_reason=said)
    return CrawlRun.objects.get(pk=run.pk).finish_reason


def test_a_message_comes_back_as_it_was(run: CrawlRun) -> None:
    for message in (INNER, NESTED, SEVERAL):
        assert stored(run, message) == message
        assert str(stored(run, message)) == str(message)
    run.faults = [SEVERAL, INNER]
    run.save()
    assert CrawlRun.objects.get(pk=run.pk).faults == [SEVERAL, INNER]
    error = ServiceUnavailable(Message("service.broker"), "127.0.0.1:1")
    assert stored(run, error) == error.message
    assert stored(run, "disk full") == Message("core.verbatim", text="disk full"), "as another program said it"
    assert stored(run, "") is stored(run, None) is None


def test_texts_are_cut_and_fit_for_every_database(run: CrawlRun) -> None:
    hostile = Message("core.unreadable", path="\x00\ud800", reason=Message("core.verbatim", text="长" * 5_000))
    kept = stored(run, hostile)
    assert kept == Message(
        "core.unreadable", path="\ufffd\ufffd", reason=Message("core.verbatim", text="长" * MAX_TEXT_CHARS)
    )
