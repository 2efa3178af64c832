"""A sample of the trial on one file: every damage that changes what can be read is found, and nothing else is told."""

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.ledger import Ledger
from core.ledger_notes import begin
from core.sqlite_files import integrity_faults
from laboratory.damage.contents import contents_of
from laboratory.damage.kinds import ON_DATABASE

SEEDS = range(12)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of two tables with their account, of some hundred blocks."""
    path = tmp_path_factory.mktemp("whole") / "some.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE verse (id INTEGER PRIMARY KEY, words TEXT NOT NULL, line INTEGER)")
        connection.execute("CREATE TABLE page (page_id TEXT PRIMARY KEY, title TEXT)")
        connection.execute("CREATE INDEX by_line ON verse (line)")
        verses = [(n, "白日依山尽" * (n % 90), n % 7) for n in range(400)]
        connection.executemany("INSERT INTO verse VALUES (?, ?, ?)", verses)
        connection.executemany("INSERT INTO page VALUES (?, ?)", [(f"{n:040x}", f"黄河{n}") for n in range(400)])
        connection.commit()
    begin(path)
    assert told_of(path) == []
    return path


def told_of(path: Path) -> list[object]:
    """What is told of a file, as the check of the stores asks."""
    faults: list[object] = list(integrity_faults(path))
    try:
        with Ledger(path) as ledger:
            faults += ledger.dropped()
            faults += [each for table in ledger.tables() for each in ledger.read(table, may_write=not faults)]
    except sqlite3.DatabaseError as error:
        faults.append(error)
    return faults


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("damage", ON_DATABASE, ids=lambda damage: damage.__name__)
def test_what_changes_what_can_be_read_is_found(whole: Path, tmp_path: Path, damage: object, seed: int) -> None:
    assert callable(damage)
    path = tmp_path / "some.sqlite3"
    shutil.copy2(whole, path)
    before = contents_of(path)
    what = damage(path, random.Random(seed))
    after = contents_of(path)
    if before.differing(after) or not after.is_whole:
        assert told_of(path), what
