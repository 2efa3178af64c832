"""Base64 as pages write it: without padding, with blanks, in the alphabet for URLs."""

import base64
import binascii
import re

_BLANKS = re.compile(r"\s+")


def from_base64(text: str) -> bytes | None:
    """The bytes that `text` stands for, None where it is no Base64.

    >>> from_base64("6L+9 5paH").decode()
    '追文'
    """
    plain = _BLANKS.sub("", text).replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
