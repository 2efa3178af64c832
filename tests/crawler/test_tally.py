"""What is told of a crawl while it runs can be kept and read anywhere."""

from core.pages import CrawlCounts
from core.states import Rejection
from crawler.tally import Tally


def test_counts_that_were_told_do_not_change_any_more() -> None:
    told: list[CrawlCounts] = []
    tally = Tally(told.append)
    tally.reject(Rejection.ROBOTS, "one")
    tally.tell(is_last=True)
    tally.reject(Rejection.HTTP_ERROR, "two")
    tally.counts.fetched += 1
    assert (told[0].rejected, told[0].faults, told[0].fetched) == ({"robots": 1}, ["one"], 0)
    tally.tell(is_last=True)
    assert (told[1].rejected, told[1].faults, told[1].fetched) == ({"robots": 1, "http_error": 1}, ["one", "two"], 1)
