"""`zhuiwen site effect`: what notices about a site came to, in words and as one object."""

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from core.errors import BadInput
from tests.support import admin_data
from tests.support.spoken_verbs import spoken
from webadmin.notices.cli import site_effect
from webadmin.notices.models import Notice, NoticeEvent, Removal
from webadmin.sites.models import Site

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def speak(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    with spoken(monkeypatch, site_effect) as speaks:
        yield speaks


@pytest.fixture
def site() -> Site:
    """One notice of two pages, of which one was removed after a day and a half; answered on the third day."""
    estate = admin_data.fill_world(cases=6).ours
    first, other = estate.cases[0], estate.cases[2]
    host = admin_data.addressee(estate.holder, "某某云", first.page.site)
    notice = admin_data.notice(first, estate.manager, state=Notice.State.ANSWERED, addressee=host)
    notice.pages.create(case=other)
    for state, days in (("sent", 0), ("answered", 2.5)):
        NoticeEvent.objects.create(notice=notice, state=state, at=admin_data.NOW + days * DAY)
    at = admin_data.NOW + 1.5 * DAY
    Removal.objects.create(case=first, since=at, said_at=at)
    return first.page.site


def test_it_lists_each_addressee_and_all_together(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site_effect.effect(str(site.pk))
    head, *rows = [line.split() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert head[:1] == ["addressee"]
    assert [row[0] for row in rows] == ["all", "某某云"]
    assert {tuple(row[1:]) for row in rows} == {("1", "2", "1", "50.0%", "2", "0", "1", "0", "3")}


def test_a_period_without_notices_and_a_day_that_is_none(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    site_effect.effect(str(site.pk), since="2099-01-01")
    assert "no notice has been sent yet" in capsys.readouterr().out
    with pytest.raises(BadInput):
        site_effect.effect(str(site.pk), since="soon")
