"""Finds rows by the keys that a user enters, and rejects unknown keys."""

from typing import TYPE_CHECKING, TypeVar

from core.errors import BadInput

if TYPE_CHECKING:
    from django.db.models import Model, QuerySet

    M = TypeVar("M", bound=Model)


def find_row(rows: "QuerySet[M]", number: int, code: str) -> "M":
    found = rows.filter(pk=number).first()
    if found is None:
        raise BadInput(code, number=number)
    return found


def as_number(text: str, fault: BadInput) -> int:
    if not is_number(text):
        raise fault
    return int(text)


def is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19  # A larger number does not fit into the database.
