"""Mutates bytes at random, reproducibly for the same seed."""

from random import Random

# Strings with a meaning for parsers, to be inserted anywhere.
_WORDS = (
    *(b"\xff\xff\xff\xff", b"\0\0\0\0", b"\r\n\r\n", b"\n\n", b": ", b"-1", b"99999999999", b"1e999", b'"', b"://["),
    *(b"<![CDATA[", b"]]>", b"&#0;", b"&#x110000;", b"<a href='[", b"<!--"),
)


def mutated(data: bytes, rng: Random) -> bytes:
    """Return `data` with some bytes changed, deleted, duplicated or inserted; never empty."""
    spoilt = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5, 20))):
        at, other = rng.randrange(len(spoilt) + 1), rng.randrange(len(spoilt) + 1)
        length = rng.choice((1, 4, 50, 500))
        piece = rng.choice((rng.randbytes(length), spoilt[other : other + length], rng.choice(_WORDS), b""))
        spoilt[at : at + rng.choice((0, 1, len(piece), length))] = piece
        if rng.random() < 0.05:
            del spoilt[at:]
    return bytes(spoilt) or b"\0"
