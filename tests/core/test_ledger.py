"""The account of the rows of an SQLite file: what something else than the product changed is found, nothing else."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.ledger import Change, Ledger, RowChange
from core.ledger_notes import Table, begin, note_writes, table_written
from core.sqlite_files import integrity_faults

LAYOUT = """
CREATE TABLE verse (id INTEGER PRIMARY KEY, words TEXT NOT NULL, line INTEGER);
CREATE TABLE page (page_id TEXT PRIMARY KEY, title TEXT);
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "some.sqlite3"
    with closing(sqlite3.connect(made)) as connection:
        connection.executescript(LAYOUT)
        connection.executemany("INSERT INTO verse VALUES (?, ?, ?)", [(n, f"白日依山尽{n}", n) for n in range(300)])
        connection.executemany("INSERT INTO page VALUES (?, ?)", [(f"{n:040x}", f"黄河{n}") for n in range(300)])
        connection.execute("PRAGMA journal_mode=WAL")
        connection.commit()
    begin(made)
    assert changes(made) == []
    return made


def changes(path: Path, *, keeps_rows: bool = False) -> list[RowChange]:
    with Ledger(path) as ledger:
        return [each for table in ledger.tables() for each in ledger.read(table, keeps_rows=keeps_rows)]


@pytest.fixture
def product(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


def write(connection: sqlite3.Connection, statement: str) -> None:
    """As the product writes: what it is about to write to is noted first."""
    note_writes(connection, table_written(statement))
    connection.execute(statement)


def by_another(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("UPDATE verse SET line = line + 1 WHERE id = 7", RowChange("verse", "7", Change.CHANGED)),
        ("DELETE FROM verse WHERE id = 299", RowChange("verse", "299", Change.MISSING)),
        ("INSERT INTO verse VALUES (300, '更上一层楼', 1)", RowChange("verse", "300", Change.ADDED)),
        ("UPDATE page SET title = '' WHERE title = '黄河5'", RowChange("page", f"{5:040x}", Change.CHANGED)),
        ("DELETE FROM page WHERE title = '黄河299'", RowChange("page", f"{299:040x}", Change.MISSING)),
    ],
)
def test_a_row_that_something_else_changed_is_found_each_time(path: Path, statement: str, found: RowChange) -> None:
    by_another(path, statement)
    assert changes(path) == [found]
    assert changes(path) == [found]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE verse SET line = line + 1 WHERE id = 7",
        "UPDATE verse SET id = 1000 WHERE id = 7",
        "DELETE FROM verse WHERE id = 299",
        "DELETE FROM verse",
        "INSERT INTO verse VALUES (300, '更上一层楼', 1)",
        "INSERT INTO verse VALUES (7, '', 1) ON CONFLICT (id) DO UPDATE SET line = 9",
        "UPDATE page SET title = ''",
        "DELETE FROM page WHERE title = '黄河299'",
    ],
)
def test_what_the_product_writes_is_no_damage(path: Path, product: sqlite3.Connection, statement: str) -> None:
    write(product, statement)
    assert changes(path) == []
    by_another(path, "UPDATE page SET title = '白' WHERE title = '黄河9'")
    assert [each.table for each in changes(path)] in (["page"], [])
    assert (changes(path) == []) == (statement == "UPDATE page SET title = ''")


def test_what_is_written_after_a_transaction_was_rolled_back_is_noted_too(
    path: Path, product: sqlite3.Connection
) -> None:
    product.execute("BEGIN IMMEDIATE")
    write(product, "UPDATE verse SET line = 1 WHERE id = 7")
    product.execute("ROLLBACK")
    write(product, "UPDATE verse SET line = 2 WHERE id = 8")
    assert changes(path) == []


def test_a_row_that_is_never_taken_away_is_missed_although_its_neighbour_was_written(
    path: Path, product: sqlite3.Connection
) -> None:
    write(product, "UPDATE verse SET line = 1 WHERE id = 7")
    by_another(path, "DELETE FROM verse WHERE id = 8")
    assert changes(path, keeps_rows=True) == [RowChange("verse", "8", Change.MISSING)]


def test_another_layout_of_a_table_begins_its_account_anew(path: Path) -> None:
    by_another(path, "ALTER TABLE verse ADD COLUMN metre TEXT")
    assert changes(path) == []
    by_another(path, "UPDATE verse SET metre = '五言' WHERE id = 7")
    assert changes(path) == [RowChange("verse", "7", Change.CHANGED)]


def test_a_table_that_is_dropped_is_told(path: Path) -> None:
    by_another(path, "DROP TABLE verse")
    with Ledger(path) as ledger:
        assert ledger.dropped() == ["verse"]


def test_a_database_that_was_copied_takes_its_account_with_it(path: Path, tmp_path: Path) -> None:
    by_another(path, f"VACUUM INTO '{tmp_path / 'copy.sqlite3'}'")
    assert changes(tmp_path / "copy.sqlite3") == []


def test_a_changed_account_is_told_as_what_it_is(path: Path) -> None:
    by_another(path, "UPDATE _neosqlite_ledger_blocks SET sums = x'00' WHERE key = 'verse:0'")
    assert [each.table for each in changes(path)] == ["_neosqlite_ledger_blocks"]


def test_what_is_accepted_is_no_change_any_more(path: Path) -> None:
    by_another(path, "DELETE FROM verse WHERE id = 299")
    with Ledger(path) as ledger:
        for table in ledger.tables():
            ledger.accept(table)
    assert changes(path) == []


def test_a_file_that_is_no_database_is_a_fault(path: Path, tmp_path: Path) -> None:
    assert integrity_faults(path) == []
    (tmp_path / "none.sqlite3").write_bytes(b"\xff" * 8192)
    assert integrity_faults(tmp_path / "none.sqlite3") == ["file is not a database"]


def test_a_file_without_an_account_notes_nothing(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "plain.sqlite3")) as connection:
        connection.executescript(LAYOUT)
        write(connection, "INSERT INTO verse VALUES (1, '欲穷千里目', 1)")
        assert connection.execute("SELECT count(*) FROM temp.sqlite_master").fetchone() == (0,)


def test_who_writes_while_rows_are_taken_in_neither_waits_nor_is_missed(
    path: Path, product: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(product, "UPDATE verse SET line = 1 WHERE id = 7")
    product.execute("PRAGMA busy_timeout = 0")
    product.execute("PRAGMA journal_mode = WAL")
    read, writes = Ledger._rows, iter(["UPDATE verse SET line = 2 WHERE id = 8"])

    def rows_of(ledger: Ledger, table: Table, key: str) -> dict[str, bytes | None]:
        found = read(ledger, table, key)
        for statement in writes if key == "verse:0" else ():
            write(product, statement)
        return found

    monkeypatch.setattr(Ledger, "_rows", rows_of)
    assert changes(path) == []
    assert changes(path) == []
