from pathlib import Path

import pytest

from core.errors import BrokenInvariant
from fingerprint.components import component_similarity, read_components
from fingerprint.readings import code_points
from laboratory.tables.build_components import components_of, read_parts

LINES = ["俞:d(亼,10102)", "亼:d(人,㇐)", "10102:a(月,刂)", "㇐:c()", "偷:a(亻,俞)", "nonsense"]


def likeness(pair: str) -> float:
    table = read_components()
    one, other = table.rows[code_points(pair)]
    return component_similarity(one, other, table.starts, table.ids, table.totals, table.weights)


def test_a_character_has_its_components_at_every_depth():
    parts = read_parts(LINES)
    assert components_of("偷", parts) == {"偷", "亻", "俞", "亼", "人", "㇐", "10102", "月", "刂"}


def test_likeness_is_the_weighted_jaccard_index():
    table = read_components()
    for pair in ("输偷", "宫营", "的是"):
        one, other = (
            dict.fromkeys(table.ids[table.starts[row] : table.starts[row + 1]].tolist())
            for row in table.rows[code_points(pair)]
        )
        shared = sum(float(table.weights[each]) for each in one if each in other)
        whole = sum(float(table.totals[row]) for row in table.rows[code_points(pair)]) - shared
        assert likeness(pair) == pytest.approx(shared / whole)


def test_a_broken_file_is_named(tmp_path: Path):
    (tmp_path / "broken.bin").write_bytes(b"nothing")
    with pytest.raises(BrokenInvariant, match=r"broken\.bin"):
        read_components(tmp_path / "broken.bin")
