"""The kinds of obfuscation of a row in one short text, which an index holds; with counts and examples it is long."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import models


class ObfuscationKinds(models.CharField):
    """Of the row's `obfuscations`, whenever the row is saved or made. Who writes by `bulk_update` sets it as well."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"max_length": 1_000, "blank": True, "editable": False, **kwargs})

    def pre_save(self, model_instance: Any, add: bool) -> str:
        kinds = kinds_of(model_instance.obfuscations)
        setattr(model_instance, self.attname, kinds)
        return kinds


def kinds_of(obfuscations: Iterable[Mapping[str, Any]]) -> str:
    """Each kind between spaces, so that none is found in the name of another.

    >>> kinds_of([{"kind": "homophone", "count": 6}, {"kind": "inserted", "count": 1}]), kinds_of([])
    (' homophone inserted ', '')
    """
    return spaced(sorted({str(each.get("kind")) for each in obfuscations}))


def spaced(kinds: Sequence[str]) -> str:
    return f" {' '.join(kinds)} " if kinds else ""
