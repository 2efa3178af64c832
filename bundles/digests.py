"""SHA-256 of bytes or views."""

import hashlib

from core.ids import Digest


def sha256(content: bytes | memoryview) -> Digest:
    """Return the 64 hex digits, without copying a view."""
    return Digest(hashlib.sha256(content).hexdigest())
