"""Lists of the command line: one description of the columns, for people and for programs."""

import json
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest

from core.settings_loading import load
from webadmin.ui.console.lists import ConsoleColumn, print_list, share_column

COLUMNS = (
    ConsoleColumn("id", "column.id", "pk", is_number=True),
    ConsoleColumn("site", "column.site", "site.name", lambda row: row.site.name.upper()),
    share_column("similarity", "column.similarity", "similarity"),
    ConsoleColumn("opened", "column.opened", "opened_at"),
    ConsoleColumn("note", "", "note.strip"),
    ConsoleColumn("", "column.note", "none"),
)
ROW = SimpleNamespace(
    pk=7,
    site=SimpleNamespace(name="a"),
    similarity=0.94567,
    opened_at=datetime(2026, 3, 1, 4, tzinfo=UTC),
    note=" x ",
    none=None,
)


def test_people_read_words_and_programs_values(capsys: pytest.CaptureFixture[str]) -> None:
    settings = load({"ZHUIWEN_TIME_ZONE": "Asia/Shanghai"})
    print_list([ROW], COLUMNS, settings, is_json=False)
    head, row = capsys.readouterr().out.splitlines()
    assert len(head.split("\t")) == 5
    assert row.split("\t") == ["7", "A", "94.5%", "2026-03-01 12:00", ""]
    print_list([ROW], COLUMNS, settings, is_json=True)
    assert json.loads(capsys.readouterr().out) == [
        {"id": 7, "site": "a", "similarity": 0.945, "opened": "2026-03-01T12:00:00+08:00", "note": "x"}
    ]
