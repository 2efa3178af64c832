"""What somebody else packed, unpacked up to a limit."""

import gzip
import zlib
from io import BytesIO

_READ_BYTES = 1 << 20


class TooLarge(ValueError):
    """What is packed is larger than the limit."""


def gunzip(packed: bytes, most_bytes: int) -> bytes:
    """What the members of a gzip file hold; not much more than `most_bytes` is ever in memory.

    Raises TooLarge, ValueError for what is no gzip or ends early.

    >>> gunzip(gzip.compress(b"a") + gzip.compress(b"b"), 2)
    b'ab'
    """
    content = bytearray()
    try:
        with gzip.GzipFile(fileobj=BytesIO(packed)) as file:
            while read := file.read(_READ_BYTES):
                content += read
                if len(content) > most_bytes:
                    raise TooLarge(f"more than {most_bytes} bytes")
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(str(error)) from error
    return bytes(content)
