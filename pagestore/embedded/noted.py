"""That the embedded page store writes is noted in its files, so that what something else changes is found."""

import sqlite3
from contextlib import suppress
from typing import Any

from nx_27017.handler import NeoSQLiteHandler

from core.ledger_notes import begin_on, note_writes

ASKED = ("insert", "update", "delete", "findAndModify", "findandmodify", "find")


def note_write(handler: NeoSQLiteHandler, parsed: dict[str, Any]) -> None:
    """Have the database that a command is for note what it writes; one that is only read keeps account from then on."""
    body: dict[str, Any] = next((section for kind, section in parsed["sections"] if kind == "body"), {})
    command = next(iter(body), "")  # its name comes first; findAndModify has a field `update` as well
    collection = body[command] if command in ASKED else None
    database = body.get("$db")
    if not isinstance(collection, str) or not isinstance(database, str):
        return
    connection = handler.get_database(database)
    with handler._lock_for(database):
        if command == "find":
            with suppress(sqlite3.Error):  # who only reads is told what is wrong by the reading
                begin_on(connection.db)
        else:
            note_writes(connection.db, collection, begins=True)
