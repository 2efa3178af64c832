"""The list of pages: whose extraction is doubtful, and which chapter a page is."""

import pytest
from django.test import Client

from core.states import MIN_CONFIDENCE_TO_TRUST
from records.models import PageRecord
from tests.support import case_texts
from tests.support.admin_data import World
from tests.support.desk import list_url, record_url, signed_in


def two_pages(world: World) -> tuple[PageRecord, PageRecord]:
    sure, doubtful = world.ours.pages[:2]
    PageRecord.objects.filter(pk=sure.pk).update(confidence=0.95, title="第十二章 夜渡")
    PageRecord.objects.filter(pk=doubtful.pk).update(confidence=MIN_CONFIDENCE_TO_TRUST - 0.1, title="一则短讯")
    return sure, doubtful


def test_pages_are_filtered_by_doubtful_extraction(world: World) -> None:
    two_pages(world)
    client: Client = signed_in(world.administrator)
    shown = client.get(list_url(PageRecord), {"extraction": "doubtful"}).content.decode()
    assert "一则短讯" in shown
    assert "第十二章 夜渡" not in shown
    shown = client.get(list_url(PageRecord), {"extraction": "sure"}).content.decode()
    assert "第十二章 夜渡" in shown
    assert "一则短讯" not in shown


def test_a_page_shows_its_chapter_and_whether_its_extraction_is_doubtful(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    case_texts.use(monkeypatch)
    sure, doubtful = two_pages(world)
    client: Client = signed_in(world.administrator)
    assert ">12<" in "".join(client.get(record_url(sure)).content.decode().split())
    shown = client.get(record_url(doubtful)).content.decode()
    assert "40" in shown
    assert "存疑" in shown or "doubtful" in shown
