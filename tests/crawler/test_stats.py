"""What is published of a crawl while it runs can be kept and read anywhere."""

from core.pages import CrawlCounts
from core.states import Rejection
from core.wording import Message
from crawler.stats import CrawlStats

ONE, TWO = Message("fetch.robots", url="http://a.example/1"), Message("fetch.robots", url="http://a.example/2")


def test_counts_that_were_published_do_not_change_any_more() -> None:
    published: list[CrawlCounts] = []
    stats = CrawlStats(published.append)
    stats.reject(Rejection.ROBOTS, ONE)
    stats.publish(is_last=True)
    stats.reject(Rejection.HTTP_ERROR, TWO)
    stats.counts.fetched += 1
    assert (published[0].rejected, published[0].faults, published[0].fetched) == ({"robots": 1}, [ONE], 0)
    stats.publish(is_last=True)
    assert (published[1].rejected, published[1].faults, published[1].fetched) == (
        {"robots": 1, "http_error": 1},
        [ONE, TWO],
        1,
    )
