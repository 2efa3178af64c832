"""Reads the admin database as portable rows in one snapshot, and writes them in one transaction."""

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from functools import cache
from typing import Any

from django.apps import apps
from django.core.management.color import no_style
from django.db import connections, models, transaction
from django.db.models.functions import Collate
from django.utils.duration import duration_iso_string
from django.utils.encoding import force_str

from core.ids import Digest, digest
from core.wording import Message

Row = tuple[Any, ...]

ALIAS = "default"
FETCHED_ROWS = 2_000
# The key of a row decides whether a piece ends after it, so that an added or removed row changes only one piece.
ROWS_A_PIECE = 1_024  # rows in a piece on average; if the last 1,000 of 100,000 rows change, 2 % of the pieces change
PIECE_BYTES = 8 * 1024 * 1024

# Sessions and failed logins, which are useless later.
LEFT_OUT_APPS = frozenset({"sessions", "axes"})
# Apps and tables whose rows are created by `migrate` and the first `up`.
MADE_BY_ITSELF = frozenset({"contenttypes", "django_celery_beat"})
MADE_TABLES = frozenset({"auth_permission", "backups_installation"})


@cache
def tables() -> tuple[type[models.Model], ...]:
    """Return the models of all tables in a backup, including many-to-many tables, sorted by table name."""
    found = [
        model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.app_label not in LEFT_OUT_APPS and model._meta.managed and not model._meta.proxy
    ]
    return tuple(sorted(found, key=lambda model: model._meta.db_table))


def schema_digest() -> Digest:
    """Return a digest of all tables and columns. Rows fit any database with the same digest."""
    lines = [
        f"{model._meta.db_table} {field.column} {field.get_internal_type()} {field.null}\n"
        for model in tables()
        for field in _column_fields(model)
    ]
    return digest("".join(sorted(lines)).encode())


@contextmanager
def snapshot_transaction() -> Iterator[None]:
    """Open a transaction in which `table_pieces` reads one snapshot of the database, without blocking other writers."""
    connection = connections[ALIAS]
    connection.ensure_connection()
    mode = getattr(connection, "transaction_mode", None)
    if mode is not None:  # SQLite: IMMEDIATE would block all other writers
        connection.transaction_mode = None  # type: ignore[attr-defined]
    try:
        with transaction.atomic(using=ALIAS), connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            cursor.execute("SELECT 1 FROM django_migrations")  # takes the snapshot
            yield
    finally:
        if mode is not None:
            connection.transaction_mode = mode  # type: ignore[attr-defined]


def table_columns(model: type[models.Model]) -> tuple[str, ...]:
    return tuple(field.column for field in _column_fields(model))


def table_pieces(model: type[models.Model]) -> Iterator[tuple[bytes, list[Row]]]:
    """Yield the pieces of a table, sorted by key: the JSON lines, and the rows in them."""
    names = [field.attname for field in _column_fields(model)]
    key_at = names.index(str(model._meta.pk.attname))
    order = "pk" if connections[ALIAS].vendor == "sqlite" or not _is_text(model) else Collate("pk", "C")
    rows = model._base_manager.using(ALIAS).order_by(order).values_list(*names).iterator(chunk_size=FETCHED_ROWS)
    lines: list[bytes] = []
    held: list[Row] = []
    size = 0
    for row in rows:
        lines.append(_json_line(row))
        held.append(row)
        size += len(lines[-1])
        if size >= PIECE_BYTES or zlib.crc32(str(row[key_at]).encode()) % ROWS_A_PIECE == 0:
            yield _join_lines(lines), held
            lines, held, size = [], [], 0
    if lines:
        yield _join_lines(lines), held


def parse_row(model: type[models.Model], given: Sequence[str], plain: object) -> Row:
    """Return a row with values for its columns from a parsed line.

    given: the names of the columns. Raises ValueError, TypeError or ValidationError for a malformed row.
    """
    if not isinstance(plain, list):
        raise TypeError("no row")
    return tuple(_column_value(field, value) for field, value in zip(_ordered_fields(model, given), plain, strict=True))


def find_model(name: str) -> type[models.Model]:
    """Return the model of the table with this name. Raises KeyError if there is none."""
    return {model._meta.db_table: model for model in tables()}[name]


def row_count(model: type[models.Model]) -> int:
    return model._base_manager.using(ALIAS).count()


def filled_tables() -> list[Message]:
    """Return a message for each table with rows that a new installation does not have."""
    found = []
    for model in tables():
        is_made = model._meta.app_label in MADE_BY_ITSELF or model._meta.db_table in MADE_TABLES
        if not is_made and (count := row_count(model)):
            found.append(Message("backup.rows", table=force_str(model._meta.db_table), count=count))
    return found


def insert_rows(model: type[models.Model], given: Sequence[str], rows: Sequence[Row]) -> None:
    """Insert rows into a table emptied by `replace_tables`. given: the names of their columns.

    Raises the errors of the database or its driver.
    """
    connection = connections[ALIAS]
    ordered = _ordered_fields(model, given)
    quote = connection.ops.quote_name
    names = ", ".join(quote(name) for name in given)
    marks = ", ".join(["%s"] * len(given))
    prepared = [
        [field.get_db_prep_save(value, connection) for field, value in zip(ordered, row, strict=True)] for row in rows
    ]
    with connection.cursor() as cursor:
        statement = f"INSERT INTO {quote(model._meta.db_table)} ({names}) VALUES ({marks})"  # noqa: S608 - our names
        cursor.executemany(statement, prepared)


@contextmanager
def replace_tables() -> Iterator[None]:
    """Empty all tables in a transaction for the block, which may insert rows in any order."""
    connection = connections[ALIAS]
    with transaction.atomic(using=ALIAS):
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SET CONSTRAINTS ALL DEFERRED")
            for model in tables():
                name = connection.ops.quote_name(model._meta.db_table)
                cursor.execute(f"DELETE FROM {name}")  # noqa: S608 - a table of the product
        yield
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), list(tables())):
                cursor.execute(statement)


def _column_fields(model: type[models.Model]) -> list[Any]:
    return [field for field in model._meta.concrete_fields if not getattr(field, "generated", False)]


def _ordered_fields(model: type[models.Model], given: Sequence[str]) -> list[Any]:
    fields = {field.column: field for field in _column_fields(model)}
    return [fields[name] for name in given]


def _is_text(model: type[models.Model]) -> bool:
    return isinstance(model._meta.pk, models.CharField)


def _json_line(row: tuple[Any, ...]) -> bytes:
    """Return a row as JSON with sorted names, because PostgreSQL reorders them."""
    return json.dumps(row, default=_json_value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def _join_lines(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _json_value(value: Any) -> Any:
    """Convert a value that JSON does not support. Its column determines how `_column_value` converts it back."""
    match value:
        case bytes() | memoryview() | bytearray():
            return base64.b64encode(bytes(value)).decode("ascii")
        case datetime() | date() | time():
            return value.isoformat()
        case timedelta():
            return duration_iso_string(value)
        case Message():
            return value.to_json()
    return str(value)  # decimals, UUIDs and time zones


def _column_value(field: Any, plain: Any) -> Any:
    """Return the value of a column from the result of `_json_value`."""
    while field.remote_field is not None and hasattr(field, "target_field"):
        field = field.target_field
    if plain is None or isinstance(field, models.JSONField):
        return plain
    if isinstance(field, models.BinaryField):
        return base64.b64decode(plain)
    return field.to_python(plain)
