"""Lists as files: complete, in the reader's language, and never a formula."""

import csv
import io

from django.test import Client
from openpyxl import load_workbook

from tests.support.admin_data import World
from tests.support.desk import list_url, signed_in
from webadmin.cases.models import Case

CASES = 4

HOSTILE = ["=1+1", "＝1+1", "+SUM(A1)", "-2+3", "@import", "\t=1", "\r=1", '=HYPERLINK("http://evil.example","x")']


def exported(client: Client, kind: str, keys: list[int]) -> bytes:
    response = client.post(list_url(Case), {"action": f"export_{kind}", "_selected_action": keys})
    assert response.status_code == 200
    assert "attachment" in response.headers["Content-Disposition"]
    return b"".join(response)


def test_all_cases_of_a_filter_are_exported_across_pages(world: World) -> None:
    client = signed_in(world.ours.manager)
    data = {"action": "export_csv", "_selected_action": [world.ours.cases[0].pk], "select_across": "1"}
    response = client.post(f"{list_url(Case)}?state__exact=open", data)
    rows = list(csv.reader(io.StringIO(b"".join(response).decode("utf-8-sig"))))
    assert len(rows) - 1 == Case.objects.filter(rights_holder=world.ours.holder, state="open").count()


def test_the_workbook_and_the_csv_say_the_same(world: World) -> None:
    client = signed_in(world.ours.manager)
    keys = [case.pk for case in world.ours.cases[:2]]
    rows = list(csv.reader(io.StringIO(exported(client, "csv", keys).decode("utf-8-sig"))))
    sheet = load_workbook(io.BytesIO(exported(client, "xlsx", keys))).active
    cells = [["" if cell is None else str(cell) for cell in row] for row in sheet.iter_rows(values_only=True)]
    assert cells == rows
    assert {row[0] for row in rows[1:]} == set(map(str, keys))


def test_a_hostile_title_is_no_formula_in_either_file(world: World, manager: Client) -> None:
    case = world.ours.cases[0]
    for title in HOSTILE:
        Case.objects.filter(pk=case.pk).update(page_title=title, page_url=title)
        body = exported(manager, "csv", [case.pk]).decode("utf-8-sig")
        cells = list(csv.reader(io.StringIO(body, newline="")))[1]
        assert f"'{title}" in cells
        assert not [cell for cell in cells if cell[:1] in {"=", "+", "-", "@", "\t", "\r"}]
        sheet = load_workbook(io.BytesIO(exported(manager, "xlsx", [case.pk]))).active
        assert not [cell for row in sheet.iter_rows() for cell in row if cell.data_type == "f" or cell.hyperlink]


def test_a_reviewer_is_offered_no_export(world: World) -> None:
    client = signed_in(world.ours.reviewer)
    assert "export_csv" not in client.get(list_url(Case)).content.decode()
    response = client.post(list_url(Case), {"action": "export_csv", "_selected_action": [world.ours.cases[0].pk]})
    assert "attachment" not in response.headers.get("Content-Disposition", "")
