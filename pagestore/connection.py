"""Connects to the page store's database, and converts pymongo's errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bson.errors import BSONError
from pymongo import MongoClient, WriteConcern
from pymongo.database import Database
from pymongo.errors import ConfigurationError, ConnectionFailure, ExecutionTimeout, OperationFailure, PyMongoError

from core.errors import BadConfiguration, BrokenInvariant, DamagedStore, ServiceUnavailable
from core.sqlite_files import says_damage
from core.wording import Message

MongoDatabase = Database[dict[str, Any]]

SERVICE = Message("service.page-store")
DEFAULT_DATABASE = "zhuiwen"
DEFAULT_TIMEOUT_S = 5.0
OPERATION_TIMEOUT_S = 60.0  # one document of 4 MiB takes the embedded server 0.3 s (2 cores, November 2026)

_REFUSED_CODES = {13, 18, 8000}  # unauthorized, authentication failed, Atlas
# InternalError, LockTimeout, LockBusy, WriteConflict, ExceededTimeLimit, InterruptedAtShutdown,
# InterruptedDueToReplStateChange, OutOfDiskSpace: temporary failures. Source: error_codes.yml of MongoDB 8.
_TEMPORARY_CODES = {1, 24, 46, 112, 262, 11600, 11602, 14031}
# No code, or UnknownError. The embedded server sends these for all errors, MongoDB never for temporary ones.
_UNSPECIFIC_CODES = {None, 8}


def connect(url: str, timeout_s: float = DEFAULT_TIMEOUT_S) -> MongoDatabase:
    """Return the database that `url` names, or `zhuiwen` if it names none.

    Nothing is sent, so a process may fork afterwards.

    Writes are acknowledged by a majority, after the journal: with a weaker concern, the embedded server writes
    asynchronously, and a power failure loses the last pages. A concern in the URL takes precedence. Raises
    BadConfiguration if the URL is invalid.
    """
    try:
        client: MongoClient[dict[str, Any]] = MongoClient(
            url,
            tz_aware=True,
            appname="zhuiwen",
            connect=False,
            serverSelectionTimeoutMS=int(timeout_s * 1000),
            connectTimeoutMS=int(timeout_s * 1000),
            socketTimeoutMS=int(OPERATION_TIMEOUT_S * 1000),
        )
        concern = client.write_concern if client.write_concern.document else WriteConcern(w="majority", j=True)
        return client.get_default_database(DEFAULT_DATABASE, write_concern=concern)
    except (ConfigurationError, ValueError) as error:
        raise BadConfiguration(
            "store.no-url", variable="ZHUIWEN_MONGO_URL", allowed="mongodb://HOST:PORT/DATABASE"
        ) from error


def ping(database: MongoDatabase) -> None:
    """Send a request to the server. Raises ServiceUnavailable if it does not respond."""
    with translate_errors(database):
        database.command("ping")


@contextmanager
def translate_errors(database: MongoDatabase) -> Iterator[None]:
    """Convert pymongo's errors to ServiceUnavailable, BadConfiguration, BrokenInvariant or DamagedStore."""
    try:
        yield
    except (ConnectionFailure, ExecutionTimeout) as error:
        raise ServiceUnavailable(SERVICE, _server_addresses(database)) from error
    except OperationFailure as error:
        raise _classify_error(error, database) from error
    except (PyMongoError, BSONError) as error:
        raise BrokenInvariant("store.document", error=error) from error


def _classify_error(error: OperationFailure, database: MongoDatabase) -> Exception:
    codes = _error_codes(error)
    if codes & _REFUSED_CODES:
        return BadConfiguration("store.user", where=_server_addresses(database))
    if says_damage(str(error)):
        return DamagedStore(SERVICE, _server_addresses(database))
    if codes & _UNSPECIFIC_CODES and _is_busy_error(str(error)):
        return ServiceUnavailable(SERVICE, _server_addresses(database))
    if codes & _TEMPORARY_CODES or (codes & _UNSPECIFIC_CODES and not _can_write(database)):
        return ServiceUnavailable(SERVICE, _server_addresses(database), Message("service.free-disk"))
    return BrokenInvariant("store.operation", error=error)


def _is_busy_error(fault: str) -> bool:
    """Return whether SQLite reports that another process is writing. Source: sqlite3ErrStr of SQLite 3.40."""
    return "database is locked" in fault or "database table is locked" in fault


def _error_codes(error: OperationFailure) -> set[int | None]:
    """Return the code of a failure; for a bulk write, the codes of its parts."""
    parts = (error.details or {}).get("writeErrors", ())
    return {part.get("code") for part in parts} or {error.code}


def _can_write(database: MongoDatabase) -> bool:
    """Return whether the server accepts a write. A full disk or a lock prevents all writes, not only one operation."""
    try:
        database["write_probe"].replace_one({"_id": "probe"}, {"_id": "probe"}, upsert=True)
    except PyMongoError:
        return False
    return True


def _server_addresses(database: MongoDatabase) -> str:
    known = database.client.topology_description.server_descriptions()
    addresses = (host if port is None else f"{host}:{port}" for host, port in known)  # a socket has no port
    return ", ".join(sorted(addresses)) or "no known address"
