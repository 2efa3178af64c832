"""Test that stored faults are shown in the reader's language: of runs, addresses, imports, searches, tasks."""

import pytest
from django.db.models import Model
from django.utils import translation

from core.errors import NotFound
from core.wording import Message
from tests.support.admin_data import World
from tests.support.desk import list_url, record_url, signed_in
from webadmin.accounts.models import FailedMessage
from webadmin.accounts.services import failures
from webadmin.accounts.services.access import visible
from webadmin.sites.models import Address, ArchiveImport, CrawlRun, DiscoveredPage, DiscoveryQuery
from webadmin.ui.pages.columns import NOTHING, stored_sentence
from webadmin.ui.pages.wording import message_text

CASES = 1

FAULT = Message("core.unreadable", path="书.warc", reason=Message("intake.part-missing", part="甲"))
IN = {"zh-hans": "书.warc：缺少 甲；文件已损坏", "en": "书.warc: is damaged: part 甲 is missing"}

pytestmark = pytest.mark.django_db


def shown(person: object, address: str, language: str) -> str:
    client = signed_in(person, language)  # type: ignore[arg-type]
    response = client.get(address)
    assert response.status_code == 200
    return response.content.decode()


@pytest.fixture
def faulty(world: World) -> list[Model]:
    """A record of each kind that keeps faults, with the same one."""
    CrawlRun.objects.update(faults=[FAULT], finish_reason=FAULT)
    ArchiveImport.objects.update(faults=[FAULT])
    DiscoveryQuery.objects.update(fault=FAULT)
    DiscoveredPage.objects.update(fault=FAULT)
    Address.objects.update(sentence=FAULT)
    kinds = (CrawlRun, ArchiveImport, DiscoveryQuery, DiscoveredPage, Address)
    return [visible(kind.objects.all(), world.ours.manager)[0] for kind in kinds]


@pytest.mark.parametrize("language", IN)
def test_pages_and_lists_word_their_faults(world: World, faulty: list[Model], language: str) -> None:
    for address in (*map(record_url, faulty), list_url(CrawlRun)):
        assert IN[language] in shown(world.ours.manager, address, language), address


def test_failed_messages_are_worded_and_found_by_what_was_said(world: World) -> None:
    failures.note_failure("a.task", "1", NotFound("site", "some-key"))
    failures.note_failure("a.task", "2", failures.WORKER_DIED)
    listed = shown(world.administrator, list_url(FailedMessage), "zh-hans")
    assert "NotFound：没有网站 some-key" in listed
    assert "处理此项的工作进程一再异常终止" in listed
    found = shown(world.administrator, f"{list_url(FailedMessage)}?q=some-key", "en")
    assert "there is no site some-key" in found
    assert "crashed repeatedly" not in found
    row = FailedMessage.objects.get(subject="1")
    assert "NotFound: there is no site some-key" in shown(world.administrator, record_url(row), "en")


def test_a_hostile_name_in_a_message_is_spelled_out_and_formats_nothing() -> None:
    with translation.override("zh-hans"):
        assert stored_sentence(Message("missing.site", key="{x} %(y)s\u202e")) == "没有网站 {x} %(y)s‹RLO›"
        assert stored_sentence(None) == NOTHING
        assert message_text(NotFound("site", "甲")) == "没有网站 甲"
