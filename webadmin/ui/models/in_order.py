"""Indexes of long lists."""

from django.db import models
from django.db.models import Q


def in_order(name: str, *fields: str, condition: Q | None = None) -> list[models.Index]:
    """What answers an order of a list without a look at a row, of one rights holder and of all."""
    return [
        models.Index(fields=["rights_holder", *fields], condition=condition, name=f"{name}_of_holder"),
        models.Index(fields=fields, condition=condition, name=f"{name}_all"),
    ]
