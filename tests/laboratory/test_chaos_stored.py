"""What `make chaos` reads of an installation: told by content, the same whenever it was stored."""

from types import SimpleNamespace

import pytest

from laboratory.chaos import stored
from tests.pagestore.contracts import fetched, reading
from tests.support.memory_pages import MemoryPageStore

pytestmark = pytest.mark.django_db


def test_bodies_captures_states_and_texts_of_works_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = MemoryPageStore()
    put = pages.put(fetched(url="https://example.com/1"), reading())
    monkeypatch.setattr(stored, "live", lambda _: SimpleNamespace(pages=pages, works=pages))
    monkeypatch.setattr(stored, "_place", lambda _, url: url)
    [body] = stored._raw_bodies()
    [capture] = stored._captures()
    [state] = stored._states()
    assert "none" not in body
    assert capture.startswith("https://example.com/1 ")
    assert state == f"https://example.com/1 ['{put.version_id}'] {put.version_id}"
    assert list(stored._texts_of_works()) == []
