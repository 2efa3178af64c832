"""Fields, indexes and base classes of the models of all applications."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from django.conf import settings
from django.db import models
from django.db.models import Q

from core.errors import BrokenInvariant
from core.wording import Message


class CopiedKey(models.ForeignKey):
    """A foreign key copied from `source` when the row is created: "site.rights_holder" is that of the site.

    Only keys that never change are copied: a page stays on its site, a site with its rights holder. The key is set
    whenever rows are created through the models, including by `bulk_create`.
    """

    def __init__(self, to: Any, on_delete: Any, source: str = "", **kwargs: Any) -> None:
        self.source = source
        super().__init__(to, on_delete, **{"editable": False, "related_name": "+", "db_index": False, **kwargs})

    def deconstruct(self) -> Any:
        name, path, args, kwargs = super().deconstruct()
        return name, path, args, {**kwargs, "source": self.source, "db_index": False}

    def pre_save(self, model_instance: Any, add: bool) -> Any:
        key = getattr(model_instance, self.attname)
        if key is None:
            *steps, last = self.source.split(".")
            at = model_instance
            for step in steps:
                at = getattr(at, step)
            key = getattr(at, f"{last}_id")
            setattr(model_instance, self.attname, key)
        return key


def user_key(verbose_name: Any, on_delete: Any, **options: Any) -> models.ForeignKey[Any, Any]:
    """Return a foreign key to a user, without a reverse relation."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete, verbose_name=verbose_name, related_name="+", **options
    )


MAX_TEXT_CHARS = 1_000  # characters of one parameter; URLs and messages of other programs can be long


class MessageField(models.JSONField):
    """A field for a `core.wording.Message`, None, or a list of messages.

    A plain text, such as the output of another program, is stored as a message that contains it.
    """

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return _load_value(super().from_db_value(value, expression, connection))

    def get_db_prep_save(self, value: Any, connection: Any) -> Any:
        return super().get_db_prep_save(_dump_value(value), connection)

    def value_to_string(self, obj: models.Model) -> Any:
        return _dump_value(self.value_from_object(obj))


def convert_to_message(said: object) -> Message:
    """Convert a message, an error of the product, or any other text to a message."""
    if isinstance(said, Message):
        return said
    inner = getattr(said, "message", None)
    return inner if isinstance(inner, Message) else Message("core.verbatim", text=said)


def _load_value(value: Any) -> Any:
    if isinstance(value, list):
        return [_load_value(each) for each in value]
    return Message.from_json(value) if isinstance(value, Mapping) and "code" in value else value


def _dump_value(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_dump_value(each) for each in value]
    if value is None or value == "" or isinstance(value, models.Expression | Mapping):
        return value or None
    return _storable_value(convert_to_message(value).to_json())


def _storable_value(value: Any) -> Any:
    """Return a JSON value whose texts are cut to MAX_TEXT_CHARS and can be stored by every database."""
    if isinstance(value, str):
        return with_length_kept(value)[:MAX_TEXT_CHARS]
    if isinstance(value, Mapping):
        return {name: _storable_value(each) for name, each in value.items()}
    return [_storable_value(each) for each in value] if isinstance(value, list) else value


class ObfuscationKinds(models.CharField):
    """A field with the kinds in `obfuscations`, set when the row is saved.

    `bulk_update` requires that it is set explicitly.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"max_length": 1_000, "blank": True, "editable": False, **kwargs})

    def pre_save(self, model_instance: Any, add: bool) -> str:
        kinds = obfuscation_kinds(model_instance.obfuscations)
        setattr(model_instance, self.attname, kinds)
        return kinds


def obfuscation_kinds(obfuscations: Iterable[Mapping[str, Any]]) -> str:
    """Return the kinds of obfuscations, each between spaces.

    A search for a kind between spaces does not match within another name.

    >>> obfuscation_kinds([{"kind": "homophone", "count": 6}, {"kind": "inserted", "count": 1}]), obfuscation_kinds([])
    (' homophone inserted ', '')
    """
    return join_kinds(sorted({str(each.get("kind")) for each in obfuscations}))


def join_kinds(kinds: Sequence[str]) -> str:
    return f" {' '.join(kinds)} " if kinds else ""


def in_order(name: str, *fields: str, condition: Q | None = None) -> list[models.Index]:
    """Return the indexes that sort a list without reading rows, for one rights holder and for all.

    name: the prefix of the index names. fields: the sort order. condition: of partial indexes.
    """
    return [
        models.Index(fields=["rights_holder", *fields], condition=condition, name=f"{name}_of_holder"),
        models.Index(fields=fields, condition=condition, name=f"{name}_all"),
    ]


class AppendOnly(models.Model):
    """A base class for rows that are written once. CHANGING: the fields that may be updated later."""

    CHANGING: frozenset[str] = frozenset()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        changed = kwargs.get("update_fields")
        if not self._state.adding and (changed is None or not self.CHANGING.issuperset(changed)):
            raise BrokenInvariant("bundle.not-written-over", record=self._meta.label, key=self.pk)
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise BrokenInvariant("bundle.not-removed", record=self._meta.label, key=self.pk)


# PostgreSQL cannot store NUL, and no database a lone surrogate. Each is replaced by one character, so that offsets stay
# valid.
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
REPLACEMENT = "\ufffd"


def with_length_kept(text: str) -> str:
    r"""Return `text` with the same length and without characters that a database cannot store.

    >>> with_length_kept("a\x00b")
    'a\ufffdb'
    """
    return UNSTORABLE.sub(REPLACEMENT, text)
