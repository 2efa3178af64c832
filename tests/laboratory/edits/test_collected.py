"""Confusion sets and slips of a folder of corpora as material."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from core.errors import MalformedLine, UnreadableFile
from fingerprint.readings import syllable_ids
from laboratory.edits.catalogue import edited
from laboratory.edits.collected import CONFUSIONS_FILE, TYPOS_FILE
from laboratory.edits.material import Material
from tests.support.corpus_texts import SHARED_CORPORA, shared_records

LISTS = [
    {"char": "后", "kind": "same sound same tone", "similar": "候厚"},
    {"char": "后", "kind": "near sound other tone", "similar": "否"},
    {"char": "后", "kind": "similar shape", "similar": "石后"},
    {"char": "微信", "kind": "word variant", "similar": "薇信"},
]
SLIPS = [
    {"subs": [[0, "侯", "后"], [3, "石", "后"], [4, "里", "上"], [5, "后后", "后"]]},
    {"subs": [[0, "侯", "后"], [1, "汕", "三"], [2, "", ""]]},
    {"subs": []},
    {"subs": None},
]


def write(path: Path, records: list[object]) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / CONFUSIONS_FILE, list(LISTS))
    write(tmp_path / TYPOS_FILE, list(SLIPS))
    return tmp_path


def test_lists_and_slips_become_candidates_by_likeness(folder: Path) -> None:
    material = Material.of_corpora(folder)
    assert set(material.homophones.candidates("后")) == set("候厚侯")
    assert set(material.fuzzy_sounds.candidates("后")) == {"否"}
    assert material.fuzzy_sounds.candidates("三") == "汕"
    assert material.shapes.candidates("后") == "石"
    assert not material.shapes.candidates("上")


def test_a_folder_without_corpora_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="No such file"):
        Material.of_corpora(tmp_path)


@pytest.mark.parametrize(
    ("file", "record"),
    [
        (CONFUSIONS_FILE, ["后"]),
        (CONFUSIONS_FILE, {"char": 7, "similar": "候"}),
        (CONFUSIONS_FILE, {"char": "后", "kind": "similar shape"}),
        (TYPOS_FILE, {"subs": [[0, "侯"]]}),
        (TYPOS_FILE, {"subs": [[0, 1, 2]]}),
        (TYPOS_FILE, {"subs": {"0": ["侯", "后"]}}),
        (TYPOS_FILE, {"subs": 5}),
    ],
)
def test_a_line_that_is_none_is_named(folder: Path, file: str, record: object) -> None:
    write(folder / file, [{"subs": [], "char": "后", "kind": "", "similar": ""}, record])
    with pytest.raises(MalformedLine, match=f"{file}, line 2"):
        Material.of_corpora(folder)


@pytest.mark.usefixtures("long_computation")
def test_real_homophones_do_not_all_agree_with_the_table_of_readings() -> None:
    text = "".join(record["text"] for record in shared_records("single_dev.jsonl.gz", 20))
    material = Material.of_corpora(SHARED_CORPORA)
    page = edited(text, [("homophone", 1.0)], 3, material)
    changed = page.codes != np.array([ord(character) for character in text])
    same = (syllable_ids(page.text) == syllable_ids(text))[changed]
    assert changed.mean() > 0.7
    assert 0.75 < same.mean() < 0.95
