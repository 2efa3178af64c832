"""docs/notices.md names the law beside each field as the program has it."""

from pathlib import Path

from core.addressees import Paper
from core.terms import term
from webadmin.notices.services.legal_fields import FIELDS, PaperField

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "notices.md").read_text("utf-8")


def cell(field: PaperField, kind: Paper) -> str:
    if kind in field.needed:
        return term(field.needed[kind]).in_language("zh")
    return "示范格式" if kind in field.asked else ""


def table() -> str:
    heads = ["field", "in English", "columns", *(term(kind).in_language("zh") for kind in Paper)]
    rows = [heads, ["---"] * len(heads)]
    for field in FIELDS:
        cells = [cell(field, kind) for kind in Paper]
        rows.append([field.name, f"`{field.code}`", "、".join(field.columns.values()), *cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def test_the_page_names_the_law_beside_each_field() -> None:
    assert table() in PAGE, f"write into docs/notices.md:\n{table()}"
