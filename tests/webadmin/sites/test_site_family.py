"""Test what a site's page says of other sites of the same operator."""

from typing import Any

import pytest
from django.utils import timezone

from tests.support.admin_data import World
from tests.support.desk import add_url, english, record_url
from webadmin.sites.models import SiteIdentifier


@pytest.fixture
def desk(world: World) -> Any:
    return english(world.ours.manager)


def carry(site: Any, value: str) -> None:
    now = timezone.now()
    SiteIdentifier.objects.create(
        site=site, kind="icp", value=value, page_url=f"{site.start_urls}a<b>.html", first_read_at=now, read_at=now
    )


def test_it_names_the_sites_the_identifier_and_where_it_was_read(world: World, desk: Any) -> None:
    first, second = world.ours.sites[:2]
    for site in (first, second, world.theirs.sites[0]):
        carry(site, "京ICP备12345678号")
    second.domains.update(host="other.test")
    shown = desk.get(record_url(first)).content.decode()
    assert "Probably the same operator. These sites also use ICP number 京ICP备12345678号:" in shown
    assert f'href="{record_url(second)}">{second.name}</a> · read on {second.start_urls}a&lt;b&gt;.html' in shown
    assert "Found on" in shown
    assert world.theirs.sites[0].name not in shown


def test_a_site_without_any_says_so_and_a_new_one_asks_nothing(world: World, desk: Any) -> None:
    assert "No other site of the rights holder shares" in desk.get(record_url(world.ours.sites[0])).content.decode()
    assert "Same operator" not in desk.get(add_url(type(world.ours.sites[0]))).content.decode()
