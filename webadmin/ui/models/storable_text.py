"""Text as every database takes it."""

import re

# PostgreSQL stores no NUL, and no database a half of a surrogate pair. One character for one: offsets stay true.
UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


REPLACEMENT = "\ufffd"


def with_length_kept(text: str) -> str:
    r"""`text` as every database takes it, of the same length.

    >>> with_length_kept("a\x00b")
    'a\ufffdb'
    """
    return UNSTORABLE.sub(REPLACEMENT, text)
