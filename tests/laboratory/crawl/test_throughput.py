"""The site and the figures of the comparison with plain Scrapy."""

from urllib.request import urlopen

import pytest

from laboratory.crawl.site import document, served
from laboratory.crawl.throughput import CrawlSpeed, ratio


def test_every_page_of_the_site_is_linked_from_a_catalogue_and_has_a_text_of_its_own() -> None:
    lists = [document(f"/list/{number}", 250) or "" for number in range(3)]
    assert all(f'href="/p/{number}"' in "".join(lists) for number in range(250))
    assert 'href="/p/250"' not in "".join(lists)
    texts = [document(f"/p/{number}", 250) or "" for number in range(0, 250, 50)]
    assert len(set(texts)) == 5
    assert document("/p/250", 250) is None
    assert document("/elsewhere", 250) is None


@pytest.mark.usefixtures("processes")
def test_the_site_is_served_by_a_process_of_its_own() -> None:
    with served(10, 0.0) as url, urlopen(f"{url}p/3") as answer:
        assert answer.read().decode() == document("/p/3", 10)


def test_growth_is_that_of_a_warm_crawl_and_the_ratio_that_of_the_rates() -> None:
    ours = CrawlSpeed("zhuiwen", 1000, 20.0, 9.0, ((1, 50.0), (200, 100.0), (600, 104.0), (1000, 105.0)))
    plain = CrawlSpeed("scrapy", 1000, 10.0, 5.0, ((1, 50.0),))
    assert round(ours.growth, 3) == 0.05
    assert plain.growth == 0.0
    assert ratio({"zhuiwen": ours, "scrapy": plain}) == 0.5
    assert "50.0 pages/s" in ours.line()
