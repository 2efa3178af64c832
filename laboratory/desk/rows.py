"""Rows written past the models: no objects, no signals. Millions in minutes, where bulk_create takes an hour."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from django.db import connection, transaction
from django.db.models import Model

STEP = timedelta(minutes=10)
YEARS = timedelta(days=730)
_CACHE_KB = 1_000_000


class Rows:
    """The rows of one table, kept until `write`. Keys are numbers from 1 on where none is given."""

    def __init__(self, model: type[Model]) -> None:
        self.model = model
        fields = model._meta.concrete_fields
        self._key = model._meta.pk.attname
        self._keys = count(1)
        self._defaults = {each.attname: each.get_db_prep_save(each.get_default(), connection) for each in fields}
        quoted = connection.ops.quote_name
        columns = ", ".join(quoted(str(each.column)) for each in fields)
        self._into = f"{quoted(model._meta.db_table)} ({columns})"
        self._places = ", ".join(["%s"] * len(fields))
        self._waiting: list[tuple[Any, ...]] = []

    def add(self, **values: Any) -> Any:
        """Add a row of values as the database takes them; returns its key."""
        row = self._defaults | values
        if row[self._key] is None:
            row[self._key] = next(self._keys)
        self._waiting.append(tuple(row.values()))
        return row[self._key]

    def write(self) -> None:
        """Send what waits."""
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                with cursor.copy(f"COPY {self._into} FROM STDIN") as copy:
                    for row in self._waiting:
                        copy.write_row(row)
            else:
                cursor.executemany(f"INSERT INTO {self._into} VALUES ({self._places})", self._waiting)  # noqa: S608 - names of our own tables
        self._waiting.clear()


@contextmanager
def without_indexes(*models: type[Model]) -> Iterator[None]:
    """Take the indexes away that serve lists, and make them when the rows are there: sorted once, not kept sorted."""
    editor = connection.schema_editor()
    named = [(model, index) for model in models for index in model._meta.indexes]
    with connection.cursor() as cursor:
        for _, index in named:
            cursor.execute(f"DROP INDEX {connection.ops.quote_name(index.name)}")
    yield
    with connection.cursor() as cursor:
        for model, index in named:
            cursor.execute(str(index.create_sql(model, editor)))


@contextmanager
def quick_writes() -> Iterator[None]:
    """Have the database wait for no disk, and keep no journal: one that is not whole in the end is thrown away.

    PostgreSQL looks at each reference of each row besides, unless the user may turn that off.
    """
    if connection.vendor != "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("SET synchronous_commit = off")
            cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
            if cursor.fetchone()[0]:
                cursor.execute("SET session_replication_role = replica")
        yield
        connection.close()
        return
    with connection.cursor() as cursor:
        for setting in ("journal_mode=OFF", "synchronous=OFF", f"cache_size=-{_CACHE_KB}", "foreign_keys=OFF"):
            cursor.execute(f"PRAGMA {setting}")
    yield
    connection.close()  # the next one has the settings of the product


def write_together(*tables: Rows) -> None:
    """Send the rows of several tables that refer to each other."""
    with transaction.atomic():
        for table in tables:
            table.write()


class Calendar:
    """The last two years in steps of ten minutes, as the database takes moments: made once, looked up by number."""

    def __init__(self, now: datetime) -> None:
        self.first = now - YEARS
        self.last = int(YEARS / STEP)
        self._moments = [connection.ops.adapt_datetimefield_value(self.moment(step)) for step in range(self.last + 1)]
        self._days = [
            connection.ops.adapt_datefield_value(self.moment(step).date()) for step in range(0, self.last + 1, 144)
        ]

    def moment(self, step: int) -> datetime:
        return self.first + step * STEP

    def at(self, step: int) -> Any:
        """The moment for a row; one that is not over yet is now."""
        return self._moments[min(step, self.last)]

    def day(self, step: int) -> Any:
        return self._days[min(step, self.last) // 144]
