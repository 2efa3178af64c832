"""Whatever the embedded page store writes is noted in its file: a check of the rows finds nothing of it."""

from pathlib import Path

from core.ledger import Ledger, RowChange
from pagestore.connection import connect
from tests.support.embedded import EmbeddedMongo


def changes(folder: Path) -> list[RowChange]:
    with Ledger(folder / "noted.db") as ledger:
        return [each for table in ledger.tables() for each in ledger.read(table)]


def test_a_document_that_is_found_and_modified_by_a_new_server_is_noted(tmp_path: Path, processes: None) -> None:
    server = EmbeddedMongo(tmp_path / "mongo")
    server.start()
    try:
        pages = connect(server.url("noted"))["pages"]
        pages.insert_one({"_id": "白", "last_seen": 1})
        assert changes(server.folder) == []
        server.stop()
        server.start()  # whose connection has noted no table yet
        pages.find_one_and_update({"_id": "白"}, {"$set": {"last_seen": 2}})
        assert changes(server.folder) == []
    finally:
        server.stop()
