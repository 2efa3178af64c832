"""The elements of a DER sequence or set, each with the bytes that it has there. Source: X.690, 8.1 and 10.1."""

SEQUENCE = 0x30
_LONG = 0x80


def children(element: bytes) -> list[bytes]:
    r"""What stands inside a constructed element. Raises ValueError where a length does not fit.

    >>> children(bytes.fromhex("3006020105020107"))
    [b'\x02\x01\x05', b'\x02\x01\x07']
    """
    position, end = _content(element, 0)
    if end != len(element):
        raise ValueError("bytes after the end")
    found = []
    while position < end:
        _, after = _content(element, position)
        found.append(element[position:after])
        position = after
    return found


def _content(der: bytes, position: int) -> tuple[int, int]:
    """Return where the content of the element at `position` begins and ends."""
    if position + 2 > len(der):
        raise ValueError("an element ends early")
    size, start = der[position + 1], position + 2
    if size >= _LONG:
        count = size - _LONG
        if not 1 <= count <= 4:
            raise ValueError("no definite length")
        size, start = int.from_bytes(der[start : start + count], "big"), start + count
    if start + size > len(der):
        raise ValueError("an element ends early")
    return start, start + size
