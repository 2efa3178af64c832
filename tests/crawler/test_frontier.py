"""A journal that is cut off anywhere is a state that the crawl was in."""

from pathlib import Path

import pytest

from core.ids import SiteId
from core.pages import CrawlPlan
from crawler.frontier import JOURNAL_NAME, CrawlTarget, Frontier

PLAN = CrawlPlan(SiteId("s"), "r", ("http://a.example/",), ())


def _journal(folder: Path) -> bytes:
    frontier = Frontier(PLAN, folder)
    frontier.add_address("http://a.example/", 0)
    for number in range(3):
        frontier.add_address(f"http://a.example/{number}", 1)
    frontier.finish("http://a.example/")
    frontier.finish("http://a.example/0")
    frontier.close(is_complete=False)
    return (folder / JOURNAL_NAME).read_bytes()


def test_what_was_found_and_not_done_is_pending_again(tmp_path: Path) -> None:
    _journal(tmp_path)
    again = Frontier(PLAN, tmp_path)
    assert again.pending() == [
        CrawlTarget("http://a.example/1", 1, "page"),
        CrawlTarget("http://a.example/2", 1, "page"),
    ]
    assert again.done_page_count == 2
    assert not again.add_address("http://a.example/0?utm_source=x", 1)
    assert again.notice is None


def test_a_journal_cut_off_at_any_byte_never_loses_a_page_that_is_not_done(tmp_path: Path) -> None:
    whole = _journal(tmp_path)
    for length in range(len(whole)):
        (tmp_path / JOURNAL_NAME).write_bytes(whole[:length] + b"\x00" * (length % 3))
        again = Frontier(PLAN, tmp_path)
        pending = {target.url for target in again.pending()}
        starts_afresh = not pending
        assert (
            starts_afresh or pending >= {"http://a.example/1", "http://a.example/2"} or "http://a.example/" in pending
        )
        again.close(is_complete=False)


@pytest.mark.parametrize(
    "junk", [b"", b"\x00" * 4096, b"\xff\xfe junk\n", b"[]\n", b'{"format": 99, "plan": ""}\n', b'{"found": 1}\n']
)
def test_a_damaged_journal_starts_the_crawl_afresh_and_says_so(tmp_path: Path, junk: bytes) -> None:
    (tmp_path / JOURNAL_NAME).write_bytes(junk)
    frontier = Frontier(PLAN, tmp_path)
    assert frontier.pending() == []
    assert "starts from the beginning" in str(frontier.notice)
    assert frontier.add_address("http://a.example/", 0)


def test_a_journal_of_another_plan_is_not_taken_over(tmp_path: Path) -> None:
    _journal(tmp_path)
    other = CrawlPlan(SiteId("s"), "r", ("http://b.example/",), ())
    assert Frontier(other, tmp_path).pending() == []


def test_a_new_run_of_the_same_plan_with_another_pace_goes_on(tmp_path: Path) -> None:
    _journal(tmp_path)
    assert len(Frontier(CrawlPlan(SiteId("s"), "r2", ("http://a.example/",), (), max_pages=7), tmp_path).pending()) == 2


def test_a_process_that_was_given_up_writes_where_nothing_is_read_any_more(tmp_path: Path) -> None:
    sleeper = Frontier(PLAN, tmp_path)
    sleeper.add_all(CrawlTarget(f"http://a.example/{number}", 1, "page") for number in range(2))
    successor = Frontier(PLAN, tmp_path)
    sleeper.finish("http://a.example/0")
    sleeper.finish("http://a.example/1")
    sleeper.close(is_complete=True)
    successor.finish("http://a.example/0")
    successor.close(is_complete=False)
    assert Frontier(PLAN, tmp_path).pending() == [CrawlTarget("http://a.example/1", 1, "page")]
