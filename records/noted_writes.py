"""That the product writes a row is noted in an SQLite database, so that what something else changes is found.

PostgreSQL checks what it reads by itself (docs/decisions/damage.md).
"""

from collections.abc import Callable
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created

from core.ledger_notes import note_writes, table_written


def watch_writes() -> None:
    """From now on each connection of this process notes what it writes."""
    connection_created.connect(_begin, dispatch_uid="records.noted_writes")


def _begin(sender: object, connection: BaseDatabaseWrapper, **_: object) -> None:
    if connection.vendor == "sqlite" and _noting not in connection.execute_wrappers:
        connection.execute_wrappers.append(_noting)


def _noting(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
    if table := table_written(sql):
        wrapper: BaseDatabaseWrapper = context["connection"]
        with wrapper.wrap_database_errors:
            note_writes(wrapper.connection, table)
    return execute(sql, params, many, context)
