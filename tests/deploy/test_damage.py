"""Database files that something else changed: named as damaged, never as a full disk, by whoever meets them."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import BrokenInvariant, DamagedStore
from core.settings_loading import load
from deploy import damage
from deploy.cli import before_up
from pagestore.connection import connect, translated
from tests.support.command_line import CommandLine, zhuiwen
from tests.support.embedded import EmbeddedMongo

__all__ = ["zhuiwen"]


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


def look(home: Path) -> list[damage.DamagedFile]:
    return damage.damaged_files(load({"ZHUIWEN_HOME": str(home)}))


def test_whole_files_and_files_that_are_not_there_are_no_damage(tmp_path: Path, files: tuple[Path, Path]) -> None:
    assert look(tmp_path) == []
    files[0].unlink()
    assert look(tmp_path) == []


def test_a_head_that_is_none_is_found_at_once_and_nothing_is_started(tmp_path: Path, files: tuple[Path, Path]) -> None:
    garble(files[0], 0, 4096)
    (found,) = look(tmp_path)
    assert (found.path, found.reason, found.is_header) == (files[0], "file is not a database", True)
    with pytest.raises(BrokenInvariant, match="is damaged: file is not a database"):
        before_up.refuse_damaged_files(load({"ZHUIWEN_HOME": str(tmp_path)}))


def test_blocks_that_were_written_over_are_found_and_warned_of(
    tmp_path: Path, files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    garble(files[1], 3 * 4096, 65 * 4096)
    assert [each.path for each in look(tmp_path)] == [files[1]]
    before_up.refuse_damaged_files(load({"ZHUIWEN_HOME": str(tmp_path)}))
    assert "zhuiwen.db" in capsys.readouterr().err


def test_a_file_of_another_user_is_called_so_and_not_damaged(
    tmp_path: Path, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*args: object) -> None:
        raise PermissionError(13, "Permission denied")

    settings = load({"ZHUIWEN_HOME": str(tmp_path)})
    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", refused)
        found = damage.damaged_files(settings)
    sentences = [str(each.sentence) for each in found]
    assert len(sentences) == 2
    for each in sentences:
        assert "cannot be read: Permission denied" in each
        assert "restore" not in each


def test_a_file_that_was_cut_is_found(tmp_path: Path, files: tuple[Path, Path]) -> None:
    with files[0].open("r+b") as file:
        file.truncate(20 * 4096)
    assert [each.path for each in look(tmp_path)] == [files[0]]


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
        told = "are damaged; see what is lost: zhuiwen check-stores"
        with pytest.raises(DamagedStore, match=told), translated(database):
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
    status = zhuiwen("status", "--json")
    assert status.code == 1
    assert "admin.sqlite3 is damaged: file is not a database" in " ".join(status.json()["problems"])
