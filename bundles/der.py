"""Splits a DER sequence or set into the bytes of its elements. Source: X.690, 8.1 and 10.1."""

SEQUENCE = 0x30
_LONG = 0x80


def children(element: bytes) -> list[bytes]:
    r"""Return the elements inside a constructed element, with their headers. Raises ValueError if a length is wrong.

    >>> children(bytes.fromhex("3006020105020107"))
    [b'\x02\x01\x05', b'\x02\x01\x07']
    """
    position, end = _content_bounds(element, 0)
    if end != len(element):
        raise ValueError("bytes after the end")
    found = []
    while position < end:
        _, after = _content_bounds(element, position)
        found.append(element[position:after])
        position = after
    return found


def _content_bounds(der: bytes, position: int) -> tuple[int, int]:
    """Return the start and end of the content of the element at `position`. Raises ValueError if it ends too early."""
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
