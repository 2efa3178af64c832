"""Packs the codes of a work's text as bytes. They are stored with its fingerprints under their own algorithm ids."""

import struct
import zlib

from core.errors import BadInput
from core.wording import Message

# Beside the ids of fingerprint.algorithms, which count up from 1: an id is one byte, and the first stored byte.
CELLS_ID, MEANINGS_ID = 201, 202
# Algorithm id, version, digest of the ingredients, CRC-32 of all other bytes.
_HEADER = struct.Struct("<BB8sI")


class DamagedCodes(BadInput):
    """Bytes that this version cannot read; the codes must be computed again from the text."""

    def __init__(self, code: str, /, **params: object) -> None:
        super().__init__("reworded.damaged-codes", reason=Message(code, **params))


def pack_codes(algorithm_id: int, version: int, ingredients: bytes, body: bytes) -> bytes:
    """Return a body of codes with a header.

    ingredients: 8 bytes that identify the data from which codes are computed; codes with different ingredients must not
    be compared.
    """
    head = _HEADER.pack(algorithm_id, version, ingredients, 0)
    return _HEADER.pack(algorithm_id, version, ingredients, zlib.crc32(head + body)) + body


def unpack_codes(payload: bytes, algorithm_id: int, version: int, ingredients: bytes) -> bytes:
    """Return the body of codes packed with the same algorithm, version and ingredients.

    Raises DamagedCodes otherwise.
    """
    if len(payload) < _HEADER.size:
        raise DamagedCodes("reworded.codes-cut-off", size=len(payload))
    *header, checksum = _HEADER.unpack_from(payload)
    if header != [algorithm_id, version, ingredients]:
        raise DamagedCodes("reworded.codes-of-another", algorithm=header[0], version=header[1])
    body = payload[_HEADER.size :]
    if zlib.crc32(_HEADER.pack(*header, 0) + body) != checksum:
        raise DamagedCodes("reworded.codes-changed", algorithm=algorithm_id)
    return body
