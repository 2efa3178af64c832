"""Each person reads times in a zone of their own; what is stored stays in UTC."""

import csv
import re
from datetime import UTC, datetime
from io import BytesIO, StringIO

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from openpyxl import load_workbook

from tests.support.admin_data import World
from tests.support.desk import list_url, record_url, signed_in
from webadmin.accounts.models import User
from webadmin.cases.models import Case

CASES = 1
PROFILE = "/admin/profile/"
OPENED = datetime(2026, 3, 10, 20, 30, tzinfo=UTC)  # the eleventh in Shanghai, the tenth in New York


@pytest.fixture
def case(world: World) -> Case:
    Case.objects.filter(pk=world.ours.cases[0].pk).update(opened_at=OPENED)
    return Case.objects.get(pk=world.ours.cases[0].pk)


def words(response: HttpResponse) -> str:
    """Return what the answer says, a column's lines after each other."""
    return " ".join(re.sub("<[^>]*>", " ", response.content.decode()).split())


def choose(client: Client, zone: str) -> None:
    assert client.post(PROFILE, {"zone": zone}).status_code == 302


def test_lists_are_shown_in_the_zone_that_was_chosen_and_name_it(manager: Client, case: Case) -> None:
    before = words(manager.get(list_url(Case)))
    assert "2026-03-11 04:30" in before
    assert "Asia/Shanghai (UTC+08:00)" in before
    day = "?opened_at_from=2026-03-10&opened_at_to=2026-03-10"
    assert f"/case/{case.pk}/change/" not in manager.get(list_url(Case) + day).content.decode()
    choose(manager, "America/New_York")
    after = words(manager.get(list_url(Case)))
    assert "2026-03-10 16:30" in after
    link = f"/case/{case.pk}/change/"
    assert link in manager.get(list_url(Case) + day).content.decode(), "a day of a filter is one of the reader"
    wanted = {"do": "preview", "since": "2026-03-10", "until": "2026-03-10", "language": "en", "format": "pdf"}
    assert "America/New_York" in manager.get("/admin/reports/", wanted).content.decode()
    assert "America/New_York (UTC-0" in after
    choose(manager, "Asia/Kolkata")
    assert "UTC+05:30" in manager.get(record_url(case)).content.decode(), "how far its times are from UTC"
    assert Case.objects.get(pk=case.pk).opened_at == OPENED


def test_the_zone_is_of_one_person_alone(world: World, manager: Client, case: Case) -> None:
    choose(manager, "America/New_York")
    assert "2026-03-11 04:30" in words(signed_in(world.ours.reviewer).get(list_url(Case)))
    assert timezone.get_current_timezone_name() == "Asia/Shanghai"  # nothing is left of the request
    assert User.objects.exclude(zone="").get() == world.ours.manager


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_an_export_is_in_the_zone_that_its_rows_name(manager: Client, case: Case, kind: str) -> None:
    choose(manager, "America/New_York")
    sent = manager.post(list_url(Case), {"action": f"export_{kind}", "_selected_action": [case.pk]})
    content = b"".join(sent.streaming_content)
    if kind == "csv":
        rows = list(csv.reader(StringIO(content.decode("utf-8-sig"))))
    else:
        rows = [list(row) for row in load_workbook(BytesIO(content)).active.iter_rows(values_only=True)]
    assert rows[0][-1] == "time zone"
    assert rows[1][-1] == "America/New_York"
    assert "2026-03-10 16:30:00" in rows[1]


def test_what_is_no_zone_is_refused_and_one_that_is_known_no_longer_passed_over(manager: Client, case: Case) -> None:
    for zone in ("", "Mars/Olympus", "../../etc/passwd", "Etc/GMT+8", "asia/shanghai", "x" * 500):
        response = manager.post(PROFILE, {"zone": zone})
        assert response.status_code == 400
        assert ("is not a time zone" if zone else "This field is required.") in response.content.decode()
    assert not User.objects.exclude(zone="").exists()
    choose(manager, "Asia/Kolkata")
    User.objects.update(zone="Asia/Atlantis")
    assert "2026-03-11 04:30" in words(manager.get(list_url(Case)))
