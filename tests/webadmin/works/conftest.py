"""The stores behind the desk that works are sent to, in memory."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from matcher.index.memory import MemoryIndex
from tests.support.memory_pages import MemoryWorkStore
from webadmin import stores

FIRST = "第一章 水位\n\n渡口的灯是在立冬那天熄的，江面起了雾，对岸的码头像一行被水洇开的字。\n\n"
SECOND = "第二章 暗号\n\n夜里有人敲舱板，三下，停一停，又两下，那是他和弟弟约好的暗号。\n"


def file_of(name: str, content: str | bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> MemoryIndex:
    made = MemoryIndex()
    monkeypatch.setattr(stores, "index", lambda: made)
    return made


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> MemoryWorkStore:
    kept = MemoryWorkStore()
    monkeypatch.setattr(stores, "work_store", lambda: kept)
    return kept
