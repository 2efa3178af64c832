"""Database files that something else changed: named as damaged, never as a full disk, by whoever meets them."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import DamagedStore
from core.settings_layers import planned_layers
from deploy.findings import Context
from deploy.home import prepare
from deploy.home_checks import check_database_files
from pagestore.connection import connect, translate_errors
from tests.support.command_line import CommandLine
from tests.support.embedded import EmbeddedMongo


def filled(path: Path) -> Path:
    """A database of some hundred blocks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE verse (id INTEGER PRIMARY KEY, words TEXT)")
        connection.executemany("INSERT INTO verse (words) VALUES (?)", [("白日依山尽" * 40,) for _ in range(500)])
        connection.commit()
    return path


def garble(path: Path, start: int, length: int) -> None:
    with path.open("r+b") as file:
        file.seek(start)
        file.write(random.Random(1).randbytes(length))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return filled(tmp_path / "admin.sqlite3"), filled(tmp_path / "mongo" / "zhuiwen.db")


def look(home: Path) -> list[str]:
    environ = {"ZHUIWEN_HOME": str(home)}
    return [str(each.problem) for each in check_database_files(Context(prepare(environ, planned_layers), environ))]


def test_whole_files_and_files_that_are_not_there_are_no_damage(tmp_path: Path, files: tuple[Path, Path]) -> None:
    assert look(tmp_path) == []
    files[0].unlink()
    assert look(tmp_path) == []


@pytest.mark.parametrize(("start", "length"), [(0, 4096), (3 * 4096, 65 * 4096)], ids=["head", "blocks"])
def test_doctor_names_a_file_that_was_written_over(
    tmp_path: Path, files: tuple[Path, Path], start: int, length: int
) -> None:
    garble(files[1], start, length)
    (problem,) = look(tmp_path)
    assert "zhuiwen.db is damaged: " in problem


def test_doctor_names_a_file_that_was_cut(tmp_path: Path, files: tuple[Path, Path]) -> None:
    with files[0].open("r+b") as file:
        file.truncate(20 * 4096)
    (problem,) = look(tmp_path)
    assert "admin.sqlite3 is damaged: " in problem


@pytest.mark.usefixtures("processes")
def test_a_damaged_page_store_is_not_called_a_full_disk(tmp_path: Path) -> None:
    server = EmbeddedMongo(tmp_path / "mongo")
    server.start()
    try:
        database = connect(server.url("zhuiwen"))
        database["pages"].insert_many([{"_id": f"{n:040x}", "url": "白日依山尽" * 100} for n in range(200)])
        server.kill()
        path = tmp_path / "mongo" / "zhuiwen.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        garble(path, 4 * 4096, path.stat().st_size - 4 * 4096)
        server.start()
        told = "are damaged; run zhuiwen check-stores to see what is lost"
        with pytest.raises(DamagedStore, match=told), translate_errors(database):
            list(database["pages"].find({}))
    finally:
        server.stop()


def test_a_damaged_admin_database_is_one_sentence_that_names_it(zhuiwen: CommandLine) -> None:
    filled(zhuiwen.home / "admin.sqlite3")
    garble(zhuiwen.home / "admin.sqlite3", 0, 4096)
    done = zhuiwen("cases")
    assert done.code == 1
    (line,) = done.complaints
    assert str(zhuiwen.home / "admin.sqlite3") in line
    assert "are damaged" in line
    assert "zhuiwen restore" in line
