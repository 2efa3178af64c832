"""Key-value stores for digests: one in memory, one in a file that survives a restart."""

import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from core.errors import UnreadableFile

KEYS_PER_QUERY = 500  # below the 999 variables that every SQLite allows


class KeyValueStore(Protocol):
    """Bytes by key."""

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """The values of those keys that are stored."""

    def put(self, values: Mapping[bytes, bytes]) -> None:
        """Stores all of them; a key that is there already gets the new value."""


class MemoryStore:
    """A dictionary."""

    def __init__(self) -> None:
        self._values: dict[bytes, bytes] = {}

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        return {key: self._values[key] for key in keys if key in self._values}

    def put(self, values: Mapping[bytes, bytes]) -> None:
        self._values.update(values)


class DiskStore:
    """One table in a SQLite file; what `put` has returned from is there after a restart of the process.

    Raises UnreadableFile when the file cannot be opened or is no such store.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._connection = sqlite3.connect(path)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")
            self._connection.execute("CREATE TABLE IF NOT EXISTS pairs (key BLOB PRIMARY KEY, value BLOB)")
            self._connection.execute("SELECT key, value FROM pairs LIMIT 1")
        except sqlite3.Error as error:
            raise UnreadableFile(path, "fingerprint.no-key-value-store", error=error) from error

    def get(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        wanted = list(keys)
        found: dict[bytes, bytes] = {}
        for first in range(0, len(wanted), KEYS_PER_QUERY):
            some = wanted[first : first + KEYS_PER_QUERY]
            marks = ",".join("?" * len(some))
            query = f"SELECT key, value FROM pairs WHERE key IN ({marks})"  # noqa: S608 - nothing but question marks
            found.update(self._connection.execute(query, some))
        return found

    def put(self, values: Mapping[bytes, bytes]) -> None:
        with self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO pairs VALUES (?, ?)", list(values.items()))

    def close(self) -> None:
        self._connection.close()
