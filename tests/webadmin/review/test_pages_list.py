"""The list of pages: whose extraction is doubtful, and which chapter a page is."""

import pytest

from core.states import MIN_CONFIDENCE_TO_TRUST
from tests.support import case_texts
from tests.support.admin_data import World
from tests.support.desk import english, list_url, shown
from webadmin.sites.models import PageRecord


def test_doubtful_pages_are_filtered_and_say_so(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    case_texts.use(monkeypatch)
    sure, doubtful = world.ours.pages[:2]
    PageRecord.objects.filter(pk=sure.pk).update(confidence=0.95, title="第十二章 夜渡")
    PageRecord.objects.filter(pk=doubtful.pk).update(confidence=MIN_CONFIDENCE_TO_TRUST - 0.1, title="一则短讯")
    client = english(world.administrator)
    for kind, title, other in (("doubtful", "一则短讯", "第十二章 夜渡"), ("sure", "第十二章 夜渡", "一则短讯")):
        listed = shown(client, list_url(PageRecord), f"?extraction={kind}")
        assert title in listed
        assert other not in listed
    assert ">12<" in "".join(shown(client, sure).split())
    assert "doubtful" in shown(client, doubtful)
