"""The indexes of one rights holder: brought in line with what there is, each language by the way that it needs."""

import pytest

from core.ids import WorkTextId
from matcher.reworded.background import load_background
from tests.support.encoders import encoder, needs_encoder
from tests.support.memory_pages import MemoryFingerprintStore, MemoryWorkStore
from tests.support.rewritten import AGAIN, ENGLISH, REWORDED, WORK
from webadmin.rewrites.services.searching.codes import CodesStore
from webadmin.rewrites.services.searching.holder_works import HolderWorks

pytestmark = needs_encoder

Found = set[tuple[str, str]]


class Shelf:
    """The stores, with a text in Chinese and one in English; and the indexes over them."""

    def __init__(self) -> None:
        self.works, self.fingerprints = MemoryWorkStore(), MemoryFingerprintStore()
        self.han, self.latin = self.works.put_text(WORK), self.works.put_text(ENGLISH)
        self.index = HolderWorks(CodesStore(self.fingerprints, self.works), encoder(), load_background())

    def have(self, *texts: WorkTextId) -> None:
        self.index.bring_in_line(frozenset(texts))

    def found(self, page: str) -> Found:
        return {(str(match.found), match.text_id) for match in self.index.search(page)}


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


def test_what_is_there_no_more_is_found_no_more_and_what_comes_is(shelf: Shelf) -> None:
    shelf.have(shelf.han, shelf.latin)
    assert shelf.found(ENGLISH) == {("translated", shelf.han)}
    assert shelf.found(AGAIN) == {("reworded", shelf.han), ("translated", shelf.latin)}
    shelf.have(shelf.latin)
    assert (shelf.found(WORK), shelf.found(ENGLISH)) == ({("translated", shelf.latin)}, set())
    shelf.have()
    assert (shelf.found(WORK), shelf.index.chars) == (set(), 0)
    shelf.have(shelf.han)
    assert (shelf.found(REWORDED), shelf.found(ENGLISH)) == ({("reworded", shelf.han)}, {("translated", shelf.han)})
    assert shelf.index.chars == len(WORK)
