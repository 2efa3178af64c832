"""Prints lists as tables for people or as JSON for programs, from one description of the columns."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any

from core.settings import Settings
from core.shares import cut_share, format_percentage
from webadmin.ui.console.output import as_json, print_table
from webadmin.ui.console.session import local_iso, local_time

Value = str | Callable[[Any], object]


@dataclass(frozen=True, slots=True)
class ConsoleColumn:
    """A column of a list. value: the name of an attribute ("site.name"), or a function of the row.

    key: the name in JSON, or "" to omit the column there. head: the message code of the heading in the table, or "" to
    omit the column there. cell: replaces `value` in the table. is_number: whether the column is aligned to the right.
    """

    key: str
    head: str
    value: Value
    cell: Value | None = None
    is_number: bool = False


def share_column(key: str, head: str, name: str) -> ConsoleColumn:
    """Return a column for a share in [0, 1], which core.shares formats for programs and for people.

    name: the attribute that contains the share.
    """
    share = attrgetter(name)
    return ConsoleColumn(
        key, head, lambda row: cut_share(share(row)), lambda row: format_percentage(share(row)), is_number=True
    )


def print_list(rows: Iterable[Any], columns: Sequence[ConsoleColumn], settings: Settings, *, is_json: bool) -> None:
    """Print the rows as JSON or as a table. Times are in the user's time zone."""
    if is_json:
        as_json([as_record(row, columns, settings) for row in rows])
        return
    in_table = [column for column in columns if column.head]
    print_table(
        [column.head for column in in_table],
        [[_column_cell(row, column, settings) for column in in_table] for row in rows],
        right=[column.head for column in in_table if column.is_number],
    )


def as_record(row: Any, columns: Sequence[ConsoleColumn], settings: Settings) -> dict[str, Any]:
    """Return a row as JSON values. Times are in the user's time zone."""
    values = {column.key: _column_value(row, column.value) for column in columns if column.key}
    return {key: local_iso(value, settings) if isinstance(value, datetime) else value for key, value in values.items()}


def _column_cell(row: Any, column: ConsoleColumn, settings: Settings) -> object:
    value = _column_value(row, column.value if column.cell is None else column.cell)
    if isinstance(value, datetime):
        return local_time(value, settings)
    return "" if value is None else value


def _column_value(row: Any, value: Value) -> Any:
    if callable(value):
        return value(row)
    found = attrgetter(value)(row)
    return found() if callable(found) else found
