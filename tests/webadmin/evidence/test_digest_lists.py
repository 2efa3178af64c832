"""Lists of digests of chosen bundles: what is in them, for whom, and that no cell of them acts."""

import csv
import io
import json
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.http import HttpResponse

from core.errors import NotFound
from tests.support import admin_data
from tests.support.admin_data import World
from tests.support.desk import english, list_url, signed_in
from webadmin.cases.models import Case, CaseMatch, Matter
from webadmin.evidence.models import EvidenceBundle
from webadmin.evidence.services.digest_list import COLUMNS, as_csv, as_json, digest_rows, held_bundles, select_bundles

CASES = 3
SHANGHAI = ZoneInfo("Asia/Shanghai")
pytestmark = pytest.mark.django_db
HOSTILE = ["=1+1", "http://a.example/\u202ecod.exe", "http://a.example/\u200b1"]


def bundle(case: Case, number: int, state: str = EvidenceBundle.State.HELD) -> EvidenceBundle:
    return EvidenceBundle.objects.create(
        case=case, match=case.matches.get(), version_id=case.version_id, digest=f"{number:064x}",
        sha256=f"{number + 100:064x}", size_bytes=1_000 + number, fetched_at=admin_data.NOW + timedelta(minutes=number),
        day=admin_data.NOW.date(), made_at=admin_data.NOW, state=state,
    )  # fmt: skip


def chosen(world: World, action: str, keys: list[int], *, by: object = None) -> HttpResponse:
    client = english(by or world.ours.manager)  # type: ignore[arg-type]
    response = client.post(list_url(EvidenceBundle), {"action": action, "_selected_action": keys})
    assert isinstance(response, HttpResponse)
    return response


def table(content: bytes) -> list[list[str]]:
    assert content.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def test_a_list_has_a_line_for_each_chosen_bundle(world: World) -> None:
    first, second, _ = (bundle(case, number) for number, case in enumerate(world.ours.cases[:3], 1))
    response = chosen(world, "export_digests_csv", [second.pk, first.pk])
    assert response["Content-Disposition"].startswith('attachment; filename="zhuiwen-digests-')
    heads, *rows = table(response.content)
    assert heads == ["file", "SHA-256", "size in bytes", "captured at (UTC)", "captured at (local)", "time zone",
                     "page URL", "case"]  # fmt: skip
    assert rows[0] == [
        f"{first.digest}.wacz", first.sha256, "1001", "2026-03-10T04:01:00.000Z", "2026-03-10T12:01:00.000+08:00",
        "Asia/Shanghai", first.case.page_url, str(first.case_id),
    ]  # fmt: skip
    assert [row[-1] for row in rows] == [str(first.case_id), str(second.case_id)]
    response = chosen(world, "export_digests_json", [first.pk])
    assert response["Content-Type"] == "application/json"
    (row,) = json.loads(response.content)
    assert (row["sha256"], row["bytes"], row["case"], len(row)) == (first.sha256, 1_001, first.case_id, len(COLUMNS))


@pytest.mark.parametrize("url", HOSTILE)
def test_a_hostile_address_is_no_formula_and_hides_nothing(world: World, url: str) -> None:
    made = bundle(world.ours.cases[0], 1)
    CaseMatch.objects.filter(bundles=made).update(final_url=url)
    rows = digest_rows(EvidenceBundle.objects.all(), SHANGHAI)
    _, row = table(as_csv(rows, "zh-hans"))
    assert not row[6].startswith(("=", "＝", "+", "-", "@", "\t"))
    assert not set(row[6]) & {"\u202e", "\u200b"}
    (twin,) = json.loads(as_json(digest_rows(EvidenceBundle.objects.all(), SHANGHAI)))
    assert twin["page_url"] == url


def test_nobody_gets_bundles_of_others_nor_a_reviewer_any(world: World) -> None:
    ours, theirs = bundle(world.ours.cases[0], 1), bundle(world.theirs.cases[0], 2)
    for person, is_offered in ((world.ours.manager, True), (world.ours.reviewer, False)):
        shown = signed_in(person).get(list_url(EvidenceBundle)).content.decode()
        assert ("export_digests_csv" in shown) == is_offered
    rows = table(chosen(world, "export_digests_csv", [ours.pk, theirs.pk]).content)[1:]
    assert [row[-1] for row in rows] == [str(ours.case_id)]
    response = chosen(world, "export_digests_csv", [ours.pk], by=world.ours.reviewer)
    assert "attachment" not in response.headers.get("Content-Disposition", "")


def test_files_that_are_not_as_they_were_are_left_out(world: World) -> None:
    made = [bundle(case, number) for number, case in enumerate(world.ours.cases[:3], 1)]
    for row, state in zip(made[1:], (EvidenceBundle.State.CHANGED, EvidenceBundle.State.REMOVED), strict=True):
        EvidenceBundle.objects.filter(pk=row.pk).update(state=state)
    rows = table(chosen(world, "export_digests_csv", [each.pk for each in made]).content)[1:]
    assert [row[0] for row in rows] == [f"{made[0].digest}.wacz"]


def test_bundles_are_chosen_by_case_matter_and_site(world: World) -> None:
    made = [bundle(case, number) for number, case in enumerate(world.ours.cases[:3], 1)]
    other = bundle(world.theirs.cases[0], 9)
    assert set(select_bundles([made[1].case_id], [], [])) == {made[1]}
    case = made[0].case
    matter = Matter.objects.get(site=case.site_id, work=case.work_id)
    expected = {each for each in made if (each.case.site_id, each.case.work_id) == (case.site_id, case.work_id)}
    assert set(select_bundles([], [matter.pk], [])) == expected
    assert set(select_bundles([], [], [other.case.site_id])) == {other}
    assert set(select_bundles([], [], [], [case.work_id])) == {
        each for each in made if each.case.work_id == case.work_id
    }
    assert set(select_bundles([], [], [case.site_id], [case.work_id])) == expected
    assert set(select_bundles([], [], [other.case.site_id], [case.work_id])) == set()
    assert set(select_bundles([made[1].case_id], [], [other.case.site_id])) == {made[1], other}
    assert list(held_bundles(select_bundles([each.case_id for each in made], [], []))) == made
    for numbers in (([99_999], [], []), ([], [99_999], [])):
        with pytest.raises(NotFound):
            select_bundles(*numbers)
