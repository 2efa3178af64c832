"""Decompresses data from third parties up to a limit."""

import gzip
import zlib
from io import BytesIO

_READ_BYTES = 1 << 20


class TooLarge(ValueError):
    """The decompressed data exceed the limit."""


def gunzip(packed: bytes, most_bytes: int) -> bytes:
    """Return the decompressed members of a gzip file, with little more than `most_bytes` in memory.

    Raises TooLarge if the limit is exceeded, and ValueError if the data are not gzip or are truncated.

    >>> gunzip(gzip.compress(b"a") + gzip.compress(b"b"), 2)
    b'ab'
    """
    content = bytearray()
    try:
        with gzip.GzipFile(fileobj=BytesIO(packed)) as file:
            while chunk := file.read(_READ_BYTES):
                content += chunk
                if len(content) > most_bytes:
                    raise TooLarge(f"more than {most_bytes} bytes")
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(str(error)) from error
    return bytes(content)
