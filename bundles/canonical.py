"""Canonical JSON: each value has a single form, so that equal values have equal digests.

Sorted keys, no spaces, unescaped UTF-8; as in RFC 8785, except that numbers are written as in Python.
"""

import hashlib
import json
import re
from typing import Any

from bundles.faults import DoesNotHold, Fault
from core.ids import Digest
from core.wording import Message

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def sha256(content: bytes | memoryview) -> Digest:
    """Return the SHA-256 as 64 hex digits, without copying a view."""
    return Digest(hashlib.sha256(content).hexdigest())


def canonical(value: Any) -> bytes:
    r"""Return the bytes of `value`, ending with a line feed. Raises ValueError if JSON cannot represent it (NaN).

    >>> canonical({"b": 1, "a": "文"}).decode()
    '{"a":"文","b":1}\n'
    """
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return (_LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n").encode()


def parse_canonical(content: bytes, part: str) -> dict[str, Any]:
    """Return the object in canonical `content`.

    Raises DoesNotHold if the content is anything else, even a different form of the same object.
    """
    try:
        value = json.loads(content.decode("utf-8"))
        is_canonical = isinstance(value, dict) and canonical(value) == content
    except (ValueError, RecursionError) as error:
        raise DoesNotHold(Fault.UNREADABLE, part, why=Message("flaw.not-json")) from error
    if not is_canonical:
        raise DoesNotHold(Fault.UNREADABLE, part, why=Message("flaw.not-canonical"))
    assert isinstance(value, dict)
    return value
