"""The demo's sites: on each page what the plan says of it."""

import pytest

from deploy.demo.library import load_works
from deploy.demo.plan import PageVerdict
from tests.support.demo_sites import content, pages, runs, site_named, text

WORKS = load_works()


def test_a_page_counts_for_the_holder_who_watches_its_site_only() -> None:
    foreign = 0
    for site, page in pages():
        assert all(WORKS[ref.work].rights_holder == site.rights_holder for ref in page.works)
        assert all(WORKS[ref.work].rights_holder != site.rights_holder for ref in page.foreign_works)
        foreign += bool(page.foreign_works)
    assert foreign >= 3


def test_only_the_portals_licence_covers_what_is_called_licensed() -> None:
    for site, page in pages():
        is_covered = bool(page.works) and all(ref.work in site.licensed_works for ref in page.works)
        assert (page.verdict is PageVerdict.LICENSED) == is_covered, (site.key, page.path)


def test_an_innocent_page_shares_no_long_run_with_any_work_of_its_watcher() -> None:
    for site, page in pages():
        if page.verdict is PageVerdict.INNOCENT:
            shown = runs(text(site, page), 20)
            for work in WORKS.values():
                if work.rights_holder == site.rights_holder:
                    assert not any(shown & runs(chapter.text, 20) for chapter in work.chapters), (site.key, page.path)


def test_one_page_is_not_in_the_encoding_that_it_declares() -> None:
    site = site_named("kuaiwen")
    (page,) = [page for page in site.pages if page.encoding != site.encoding]
    body = content(site, page.path)
    assert b'charset="utf-8"' in body
    with pytest.raises(UnicodeDecodeError):
        body.decode("utf-8")


def test_the_closed_area_has_a_copy_that_robots_txt_forbids_and_no_sitemap_names() -> None:
    site = site_named("moxiang")
    (closed,) = site.forbidden_paths
    assert WORKS["steelyard"].chapter(1).text.split("\n")[3] in content(site, closed).decode()
    assert "Disallow: /vip/" in content(site, "/robots.txt").decode().split("\n")
    assert closed not in content(site, "/sitemap.xml").decode()
    assert closed in content(site, "/").decode()
    assert closed not in [page.path for page in site.pages]
