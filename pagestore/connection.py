"""One handle on the page store's database, and the one place where pymongo's errors become the product's."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bson.errors import BSONError
from pymongo import MongoClient, WriteConcern
from pymongo.database import Database
from pymongo.errors import ConfigurationError, ConnectionFailure, ExecutionTimeout, OperationFailure, PyMongoError

from core.errors import BadConfiguration, BrokenInvariant, ServiceUnavailable

MongoDatabase = Database[dict[str, Any]]

SERVICE = "the page store"
DEFAULT_DATABASE = "zhuiwen"
DEFAULT_TIMEOUT_S = 5.0
OPERATION_TIMEOUT_S = 60.0  # one document of 4 MiB takes the embedded server 0.3 s (2 cores, November 2026)

_REFUSED_CODES = (13, 18, 8000)  # unauthorized, authentication failed, Atlas
# Words with which a server says that it cannot write just now; SQLite's (embedded) and MongoDB's.
_WORDS_OF_A_LACK = ("disk", "locked", "no space", "read-only", "readonly")


def connect(url: str, timeout_s: float = DEFAULT_TIMEOUT_S) -> MongoDatabase:
    """The database that `url` names, `zhuiwen` if it names none. Nothing is sent yet: a process may fork afterwards.

    Writes are acknowledged by a majority, from the journal: with less, the embedded server gives up synchronous writes
    and a power loss takes the last pages. A concern in the URL has its way. Raises BadConfiguration.
    """
    try:
        client: MongoClient[dict[str, Any]] = MongoClient(
            url,
            tz_aware=True,
            appname="zhuiwen",
            serverSelectionTimeoutMS=int(timeout_s * 1000),
            connectTimeoutMS=int(timeout_s * 1000),
            socketTimeoutMS=int(OPERATION_TIMEOUT_S * 1000),
        )
        concern = client.write_concern if client.write_concern.document else WriteConcern(w="majority", j=True)
        return client.get_default_database(DEFAULT_DATABASE, write_concern=concern)
    except (ConfigurationError, ValueError) as error:
        raise BadConfiguration(["ZHUIWEN_MONGO_URL is no such URL; allowed: mongodb://HOST:PORT/DATABASE"]) from error


def ping(database: MongoDatabase) -> None:
    """Ask the server for a sign of life. Raises ServiceUnavailable."""
    with translated(database):
        database.command("ping")


@contextmanager
def translated(database: MongoDatabase) -> Iterator[None]:
    """Turns what pymongo raises inside into ServiceUnavailable, BadConfiguration or BrokenInvariant."""
    try:
        yield
    except (ConnectionFailure, ExecutionTimeout) as error:
        raise ServiceUnavailable(SERVICE, _addresses(database)) from error
    except OperationFailure as error:
        raise _judged(error, database) from error
    except (PyMongoError, BSONError) as error:
        raise BrokenInvariant(f"{SERVICE} cannot take a document: {error}") from error


def _judged(error: OperationFailure, database: MongoDatabase) -> Exception:
    if error.code in _REFUSED_CODES:
        return BadConfiguration([f"{SERVICE} at {_addresses(database)} refuses the user of ZHUIWEN_MONGO_URL"])
    if any(word in str(error).lower() for word in _WORDS_OF_A_LACK):
        return ServiceUnavailable(SERVICE, _addresses(database), "free disk space, then zhuiwen doctor")
    return BrokenInvariant(f"{SERVICE} refuses an operation: {error}")


def _addresses(database: MongoDatabase) -> str:
    known = database.client.topology_description.server_descriptions()
    return ", ".join(sorted(f"{host}:{port}" for host, port in known)) or "no known address"
