"""Canonical JSON: equal values have the same bytes, and therefore equal digests.

Keys are sorted, there are no spaces, and characters are not escaped, as in RFC 8785. Numbers are written as in Python.
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
    """Return the SHA-256 of `content` in hex."""
    return Digest(hashlib.sha256(content).hexdigest())


def canonical(value: Any) -> bytes:
    r"""Return `value` as canonical JSON in UTF-8, ending with a line feed. Raises ValueError for NaN and infinities.

    >>> canonical({"b": 1, "a": "文"}).decode()
    '{"a":"文","b":1}\n'
    """
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return (_LONE_SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n").encode()


def parse_canonical(content: bytes, part: str) -> dict[str, Any]:
    """Parse canonical JSON and return its object. part: the name of the file, for the error.

    Raises DoesNotHold if the content is no JSON object, or if it is not in canonical form.
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
