"""SHA-256 of what may be a view of a file."""

import hashlib

from core.ids import Digest


def sha256(content: bytes | memoryview) -> Digest:
    """64 hex digits; a view is not copied."""
    return Digest(hashlib.sha256(content).hexdigest())
