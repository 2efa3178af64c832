"""What the form of a site says of the processes that crawl it."""

from dataclasses import replace

import pytest
from django.conf import settings
from django.test import override_settings

from core.settings import CrawlSettings
from tests.support import admin_data
from tests.support.desk import signed_in
from tests.webadmin.test_lists import record_url
from webadmin import sharing
from webadmin.models import Site


def test_each_kind_says_what_several_processes_do_and_one_says_that_it_gains_nothing() -> None:
    shared, alone = CrawlSettings(is_shared=True, processes=3), CrawlSettings(processes=3)
    assert (sharing.processes(shared), sharing.processes(alone)) == (3, 1)
    assert "gains nothing" in sharing.what_is_shared("feed", shared)
    assert "with all its parts" in sharing.what_is_shared("novel", shared)
    assert sharing.what_is_shared("sitemap", shared) == sharing.what_is_shared("generic", shared)
    assert "ZHUIWEN_CRAWL_SHARED" in sharing.what_is_shared("feed", alone)
    assert not sharing.what_is_shared("archive", shared)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("is_shared", "told"), [(True, "2 · 每个网页由其中一个空闲的进程抓取。"), (False, "1 · 每个站点由一个进程抓取")]
)
def test_the_form_says_how_many_processes_crawl_the_site(is_shared: bool, told: str) -> None:
    world = admin_data.fill_world()
    site = Site.objects.filter(rights_holder=world.ours.holder, kind=Site.Kind.GENERIC).first()
    assert site is not None
    crawl = replace(settings.ZHUIWEN.crawl, is_shared=is_shared)
    with override_settings(ZHUIWEN=replace(settings.ZHUIWEN, crawl=crawl)):
        assert told in signed_in(world.ours.manager).get(record_url(site)).content.decode()
