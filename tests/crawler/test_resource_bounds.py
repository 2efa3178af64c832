"""What the pages of a site may make a crawl fetch beside them, all together."""

import pytest

from crawler.fetching import resources
from crawler.fetching.addresses import AddressGuard
from crawler.fetching.resources import MAX_FOREIGN_HOSTS_OF_SITE, ResourceKind, SiteResources


def test_a_site_whose_every_page_names_another_host_is_asked_for_a_few_of_them() -> None:
    asked: list[str] = []

    def fetch(url: str, kind: ResourceKind) -> bytes:
        asked.append(url)
        return b"p {}"

    site = SiteResources(fetch, AddressGuard())
    for number in range(2 * MAX_FOREIGN_HOSTS_OF_SITE):
        site.of_page(f"http://a.example/{number}").get(f"http://h{number}.b.example/s.css", ResourceKind.STYLE)
    assert len(asked) == MAX_FOREIGN_HOSTS_OF_SITE
    page = site.of_page("http://a.example/last")
    assert page.get("http://a.example/s.css", ResourceKind.STYLE) == b"p {}"
    assert page.get("http://h0.b.example/other.css", ResourceKind.STYLE) == b"p {}"


def test_what_one_page_refers_to_is_waited_for_no_longer_than_all_of_it_may_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each picture takes a third of the time that there is for the page."""
    moment = 0.0

    class Clock:
        @staticmethod
        def monotonic() -> float:
            return moment

    def fetch(url: str, kind: ResourceKind) -> None:
        nonlocal moment
        moment += resources.MAX_SECONDS_OF_PAGE / 3
        asked.append(url)

    asked: list[str] = []
    monkeypatch.setattr(resources, "time", Clock)
    page = SiteResources(fetch, AddressGuard()).of_page("http://a.example/")
    for number in range(10):
        page.get(f"http://a.example/{number}.png", ResourceKind.PICTURE)
    assert len(asked) == 3
