"""Messages in the database: their code and parameters, so that the reader's language decides."""

from collections.abc import Mapping
from typing import Any

from django.db import models

from core.wording import Message
from webadmin.ui.models.storable_text import with_length_kept

MAX_TEXT_CHARS = 1_000  # of one parameter; addresses and what other programs say can be long


class MessageField(models.JSONField):
    """A `core.wording.Message` or None, or a list of messages.

    What another program said, a plain text, is stored as a message of that text.
    """

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return _loaded(super().from_db_value(value, expression, connection))

    def get_db_prep_save(self, value: Any, connection: Any) -> Any:
        return super().get_db_prep_save(_dumped(value), connection)

    def value_to_string(self, obj: models.Model) -> Any:
        return _dumped(self.value_from_object(obj))


def message_of(said: object) -> Message:
    """The message of an error of ours, or of what is said; any other text is one by itself."""
    if isinstance(said, Message):
        return said
    inner = getattr(said, "message", None)
    return inner if isinstance(inner, Message) else Message("core.verbatim", text=said)


def _loaded(value: Any) -> Any:
    if isinstance(value, list):
        return [_loaded(each) for each in value]
    return Message.from_json(value) if isinstance(value, Mapping) and "code" in value else value


def _dumped(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_dumped(each) for each in value]
    if value is None or value == "" or isinstance(value, models.Expression | Mapping):
        return value or None
    return _storable(message_of(value).to_json())


def _storable(value: Any) -> Any:
    """The same in texts that every database takes."""
    if isinstance(value, str):
        return with_length_kept(value)[:MAX_TEXT_CHARS]
    if isinstance(value, Mapping):
        return {name: _storable(each) for name, each in value.items()}
    return [_storable(each) for each in value] if isinstance(value, list) else value
