"""Values that every server of MongoDB's protocol can hold: strings, moments, lists of documents.

MongoDB allows more than its relatives do: FerretDB 1.24 takes no list in a list, and none that keeps its documents in
PostgreSQL takes a string with a NUL.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from math import isfinite
from typing import Any

from core.errors import BrokenInvariant

Document = dict[str, Any]

NUL = "\0"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_KINDS = (Mapping, list, tuple, str, bytes, bool, int, float, type(None))


def pack_text(text: str) -> str | bytes:
    r"""Return `text` in a form that every server stores: bytes where it has a lone surrogate or a NUL.

    >>> pack_text("追文"), pack_text("a" + NUL), pack_text(chr(0xD800)) == text_bytes(chr(0xD800))
    ('追文', b'a\x00', True)
    """
    if NUL in text:
        return text_bytes(text)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text_bytes(text)
    return text


def unpack_text(value: str | bytes) -> str:
    """Return the text that `pack_text` made `value` of."""
    return value if isinstance(value, str) else text_from_bytes(value)


def text_bytes(text: str) -> bytes:
    """Return `text` in UTF-8, with any lone surrogates."""
    return text.encode("utf-8", "surrogatepass")


def text_from_bytes(data: bytes) -> str:
    """Return the text that `text_bytes` made `data` of."""
    return data.decode("utf-8", "surrogatepass")


def microseconds(when: datetime) -> int:
    """Return whole microseconds since 1970 in UTC. A moment without a zone is taken as UTC.

    >>> microseconds(datetime(1970, 1, 1, 0, 0, 1))
    1000000
    """
    return ((when if when.tzinfo else when.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND


def moment(value: int) -> datetime:
    """Return the UTC-aware moment that `microseconds` made `value` of."""
    return _EPOCH + value * _MICROSECOND


def pack_document(document: Document) -> Document:
    """Return a document with the texts and moments in it, at any depth, in forms that every server stores.

    >>> pack_document({"at": datetime(1970, 1, 1, 0, 0, 1), "names": ("追文", None)})
    {'at': 1000000, 'names': ['追文', None]}
    """
    return {name: _pack_value(value) for name, value in document.items()}


def _pack_value(value: Any) -> Any:
    if isinstance(value, str):
        return pack_text(value)
    if isinstance(value, datetime):
        return microseconds(value)
    if isinstance(value, Mapping):
        return {name: _pack_value(each) for name, each in value.items()}
    return list(map(_pack_value, value)) if isinstance(value, (list, tuple)) else value


def required_portable(document: Document) -> Document:
    """Return `document` if every server can store it.

    No list stands in a list, no string has a NUL or a lone surrogate, and all else is of the kinds that documents have.

    The stores in memory write nothing that has not passed it. Raises BrokenInvariant with the place.

    >>> required_portable({"rows": [{"names": ["a"]}]})
    {'rows': [{'names': ['a']}]}
    >>> required_portable({"rows": [["a"]]})
    Traceback (most recent call last):
    core.errors.BrokenInvariant: the page store rejects a document: rows.0 is a list in a list
    """
    _require_portable(document, "")
    return document


def _require_portable(value: Any, place: str, *, is_in_list: bool = False) -> None:
    fault = _fault(value, is_in_list=is_in_list)
    if fault:
        raise BrokenInvariant("store.document", error=f"{place} {fault}")
    if isinstance(value, Mapping):
        for name, each in value.items():
            _require_portable(name, f"the name {name!r}")
            _require_portable(each, f"{place}.{name}" if place else name)
    elif isinstance(value, (list, tuple)):
        for number, each in enumerate(value):
            _require_portable(each, f"{place}.{number}", is_in_list=True)


def _fault(value: Any, *, is_in_list: bool) -> str:
    if isinstance(value, (list, tuple)) and is_in_list:
        return "is a list in a list"
    if isinstance(value, str) and pack_text(value) is not value:
        return "is a string with a NUL or a lone surrogate"
    if isinstance(value, float) and not isfinite(value):
        return "is no number"
    return "" if isinstance(value, _KINDS) else "is of a kind that no document has"
