"""The garbage collector is paused while a page is read, and only then."""

import gc

import pytest

from crawler.reading import paused_collection


def test_the_collector_is_paused_until_the_last_reader_is_done() -> None:
    assert gc.isenabled()
    with paused_collection():
        with paused_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_page_that_raises_leaves_the_collector_as_it_was() -> None:
    with pytest.raises(LookupError), paused_collection():
        raise LookupError
    assert gc.isenabled()
    gc.disable()
    try:
        with paused_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
