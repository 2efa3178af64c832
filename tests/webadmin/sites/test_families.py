"""Sites of one operator, told by what their stored pages carry; never by what a platform or many sites carry."""

from datetime import UTC, datetime, timedelta

import pytest

from core.pages import Reading
from tests.support.memory_pages import MemoryPageStore
from tests.support.records import response
from webadmin.accounts.models import RightsHolder
from webadmin.sites.models import Address, Site, SiteDomain, SiteIdentifier, SiteTemplate
from webadmin.sites.services import families
from webadmin.sites.services.families import read_site, site_family

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 20, 3, 0, tzinfo=UTC)
BAIDU = '<script>hm.src = "https://hm.baidu.com/hm.js?{}";</script>'
ONE, OTHER = BAIDU.format("1" * 32), BAIDU.format("2" * 32)


@pytest.fixture
def holder() -> RightsHolder:
    return RightsHolder.objects.create(name="甲")


@pytest.fixture
def store() -> MemoryPageStore:
    return MemoryPageStore()


def boxes(names: str) -> str:
    return "".join(f'<div class="{name}{number}x"></div>' for name in names for number in "abcdefghij")


def a_site(holder: RightsHolder, store: MemoryPageStore, host: str, *bodies: str, now: datetime = NOW) -> Site:
    """A watched site with these pages, read."""
    site = Site.objects.create(rights_holder=holder, name=host, start_urls=f"https://{host}/")
    SiteDomain.objects.create(site=site, host=host)
    for number, body in enumerate(bodies):
        add_page(site, store, number, body)
    read_site(site, store, now)
    return site


def add_page(site: Site, store: MemoryPageStore, number: int, body: str) -> None:
    url = f"{site.start_urls}{number}.html"
    html, headers = f"<html><body>{body}</body></html>".encode(), (("Content-Type", "text/html; charset=utf-8"),)
    fetched = response(site.pk, url, html, NOW, headers=headers)
    stored = store.put(fetched, Reading(title=f"第{number}章", text=f"{site.name}的第{number}篇"))
    seen = NOW + timedelta(minutes=number)
    Address.objects.create(
        id=stored.page_id, page_id=stored.page_id, site=site, url=url, version_id=stored.version_id, found_at=seen,
        due_at=seen, kind="detail",
    )  # fmt: skip


def named(site: Site) -> dict[str, list[str]]:
    """Return what it shares, and with whom."""
    return {each.own.value: [row.site.name for row in each.others] for each in site_family(site).shared}


def test_sites_with_one_account_are_one_family(holder: RightsHolder, store: MemoryPageStore) -> None:
    first = a_site(holder, store, "a.example", ONE, ONE)
    second = a_site(holder, store, "b.test", ONE + OTHER, ONE)
    third = a_site(holder, store, "c.invalid", OTHER, OTHER)
    assert named(first) == {"1" * 32: ["b.test"]}
    assert named(second) == {"1" * 32: ["a.example"]}
    assert not site_family(third)
    own = site_family(first).shared[0].own
    assert (own.page_url, own.first_read_at, own.read_at) == ("https://a.example/1.html", NOW, NOW)


def test_every_kind_of_identifier_is_read(holder: RightsHolder, store: MemoryPageStore) -> None:
    body = (
        '<script async src="https://www.googletagmanager.com/gtag/js?id=G-ABCDEF1234"></script>'
        '<script src="https://s4.cnzz.com/z_stat.php?id=1278901234&web_id=1278901234"></script>'
        '<script>LA.init({id:"JqABCDEFGH12345678",ck:"x"})</script><script>var cpro_id = "u6543210";</script>'
        '<ins class="adsbygoogle" data-ad-client="ca-pub-1234567890123456"></ins>'
        "<p>他说 hm.baidu.com/hm.js?33333333333333333333333333333333 是百度的代码，UA-99999-1 是谷歌的。</p>"
        "<footer>粤ICP備2021123456號-3 联系 <a href='mailto:ad@pirate.example'>我们</a> noreply@pirate.example</footer>"
    )
    site = a_site(holder, store, "a.example", body, body)
    assert set(SiteIdentifier.objects.filter(site=site).values_list("kind", "value")) == {
        ("google", "G-ABCDEF1234"),
        ("cnzz", "1278901234"),
        ("51la", "JqABCDEFGH12345678"),
        ("baidu_union", "u6543210"),
        ("adsense", "pub-1234567890123456"),
        ("icp", "粤ICP备2021123456号"),
        ("email", "ad@pirate.example"),
    }


def test_what_one_page_carries_is_not_the_sites(holder: RightsHolder, store: MemoryPageStore) -> None:
    site = a_site(holder, store, "a.example", ONE, "", "", OTHER, OTHER)
    assert set(SiteIdentifier.objects.filter(site=site).values_list("value", flat=True)) == set()
    single = a_site(holder, store, "b.test", ONE)
    assert not SiteIdentifier.objects.filter(site=single).exists()


def test_what_many_sites_carry_is_no_family(
    holder: RightsHolder, store: MemoryPageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = a_site(holder, store, "a.example", ONE, ONE)
    for name in "bcd":
        a_site(holder, store, f"{name}.test{name}", ONE, ONE)
    assert named(first)
    monkeypatch.setattr(families, "MAX_SITES", 3)
    assert not named(first)


def test_nothing_of_another_rights_holder_is_a_family(holder: RightsHolder, store: MemoryPageStore) -> None:
    first = a_site(holder, store, "a.example", ONE + boxes("mn"), ONE + boxes("mn"))
    a_site(RightsHolder.objects.create(name="乙"), store, "b.test", ONE + boxes("mn"), ONE + boxes("mn"))
    assert not site_family(first)


def test_sites_of_one_template_are_named_apart_until_many_have_it(
    holder: RightsHolder, store: MemoryPageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = a_site(holder, store, "a.example", boxes("klmn"), boxes("klmn"))
    second = a_site(holder, store, "b.test", boxes("klmn"), boxes("klmn"))
    a_site(holder, store, "c.invalid", boxes("kxyz"), boxes("kxyz"))
    found = site_family(first)
    assert (found.shared, [(site, share) for site, share in found.alike]) == ((), [(second, 1.0)])
    monkeypatch.setattr(families, "MAX_ALIKE", 0)
    assert not site_family(first)


def test_a_site_is_read_once_a_week_and_what_went_is_forgotten(holder: RightsHolder, store: MemoryPageStore) -> None:
    site = a_site(holder, store, "a.example", ONE, ONE)
    for number in range(10, 16):
        add_page(site, store, number, OTHER)
    assert not read_site(site, store, NOW + timedelta(days=1))
    assert read_site(site, store, NOW + timedelta(days=8))
    row = SiteIdentifier.objects.get(site=site)
    assert (row.value, row.first_read_at) == ("2" * 32, NOW + timedelta(days=8))
    assert SiteTemplate.objects.get(site=site).read_at == NOW + timedelta(days=8)
