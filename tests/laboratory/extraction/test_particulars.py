"""How titles, authors and days are counted as right, wrong, silent and invented."""

import json
from pathlib import Path

import pytest

from core.errors import BadInput
from laboratory.extraction.measured_parts import measure
from laboratory.extraction.particulars import is_right
from laboratory.extraction.sections import ExtractPlan
from tests.crawler.texts import paragraphs

HEAD = "<head><title>老渡口_江城读书网</title></head>"


def saved(folder: Path, *records: dict[str, str]) -> Path:
    lines = []
    for number, record in enumerate(records):
        above = record.pop("above", "")
        body = f"<html>{HEAD}<body><h1>老渡口</h1>{above}{paragraphs()}</body></html>"
        (folder / f"{number}.html").write_text(body, encoding="utf-8")
        lines.append(json.dumps({"file": f"{number}.html", "encoding": "utf-8", **record}))
    (folder / "manifest.jsonl").write_text("\n".join(lines))
    return folder


def scores(folder: Path) -> dict[str, dict[str, int]]:
    plan = ExtractPlan(corpora=folder, seed=1, pages=folder)
    return dict(measure(plan, ["particulars"], lambda _: None)["particulars"].record)


def test_what_the_product_reads_is_counted_against_what_a_person_read(tmp_path: Path) -> None:
    found = scores(
        saved(
            tmp_path,
            {
                "title": "老渡口_江城读书网",
                "author": "沈知微 何晚",
                "date": "2026年3月1日",
                "above": "<p>作者：沈知微 2026-03-01 10:20</p>",
            },
            {"title": "夜渡", "author": "何晚", "date": "2026-03", "above": "<p>作者：沈知微</p>"},
            {"author": "UNKNOWN", "above": "<p>作者：沈知微</p>"},
            {"author": "何晚"},
        )
    )
    assert found["zhuiwen title"] == {"stated": 2, "right": 1, "wrong": 1, "silent": 0, "invented": 0}
    assert found["zhuiwen author"] == {"stated": 3, "right": 1, "wrong": 1, "silent": 1, "invented": 1}
    assert found["zhuiwen date"] == {"stated": 1, "right": 1, "wrong": 0, "silent": 0, "invented": 0}


def test_pages_that_state_nothing_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="states no title"):
        scores(saved(tmp_path, {}))


@pytest.mark.parametrize(
    ("field", "found", "stated"),
    [("title", "老渡口", "老渡口的人"), ("author", "沈知微 何晚", "沈知微"), ("date", "2026-03-02", "2026-03-01")],
)
def test_more_or_other_than_was_stated_is_not_right(field: str, found: str, stated: str) -> None:
    assert not is_right(field, found, stated)
