"""The demo's sites: on each page what the plan says of it."""

from deploy.demo.library import load_works
from deploy.demo.plan import PageVerdict
from tests.support.demo_sites import content, pages, runs, site_named, text

WORKS = load_works()


def test_an_innocent_page_shares_no_long_run_with_any_work_of_its_watcher() -> None:
    for site, page in pages():
        if page.verdict is PageVerdict.INNOCENT:
            shown = runs(text(site, page), 20)
            for work in WORKS.values():
                if work.rights_holder == site.rights_holder:
                    assert not any(shown & runs(chapter.text, 20) for chapter in work.chapters), (site.key, page.path)


def test_the_closed_area_has_a_copy_that_robots_txt_forbids_and_no_sitemap_names() -> None:
    site = site_named("moxiang")
    (closed,) = site.forbidden_paths
    assert WORKS["steelyard"].chapter(1).text.split("\n")[3] in content(site, closed).decode()
    assert "Disallow: /vip/" in content(site, "/robots.txt").decode().split("\n")
    assert closed not in content(site, "/sitemap.xml").decode()
    assert closed in content(site, "/").decode()
    assert closed not in [page.path for page in site.pages]
