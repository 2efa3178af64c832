"""Fingerprints: how they are computed from a text, and their form as bytes."""

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from core.wording import Message
from fingerprint.algorithms import ALGORITHMS, DEFAULT, Algorithm
from fingerprint.rules import Seeds
from fingerprint.seeds import bytes_per_window, find_seeds, fingerprint_windows, hash_anchors, window_count
from fingerprint.stream import Noise

# Algorithm id, format version, CRC-32 of all other bytes; then the numbers of tokens, anchors, windows and noise items.
HEADER = struct.Struct("<BBIIIII")
COUNTS_AT = 6  # after the checksum
FORMAT_VERSION = 1
COMPRESSION_LEVEL = 6


class DamagedFingerprint(BadInput):
    """Bytes that this version cannot read as a fingerprint. reason: why it cannot."""

    def __init__(self, code: str, /, **params: object) -> None:
        self.reason = Message(code, **params)
        super().__init__("fingerprint.damaged", reason=self.reason)


@dataclass(frozen=True, slots=True, eq=False)
class Fingerprint:
    """The fingerprint of a text, by which it is compared.

    tokens   uint16[n]           syllable ids of the algorithm's reading table, or WILDCARD
    offsets  int32[n]            the start of each token in the text as given; strictly increasing, except
                                 within noise of the kind REARRANGED, where tokens are in reading order
    hashes   uint64[a]           the hashes of the seeds: anchors, windows or both, as in algorithm.seeds
    anchors  int32[a]            stream position of each; increasing, strictly if seeds are of one kind
    windows  uint8[w, bytes]     for each of algorithm.windows: frequency fingerprints, one for every step tokens
    noise                        items left out of the stream because they hide the text
    """

    algorithm_id: int
    tokens: NDArray[np.uint16]
    offsets: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    anchors: NDArray[np.int32]
    windows: tuple[NDArray[np.uint8], ...]
    noise: Noise

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm that computed the fingerprint."""
        return ALGORITHMS[self.algorithm_id]

    @property
    def nbytes(self) -> int:
        """The memory of the arrays, in bytes."""
        of_tokens = self.tokens.nbytes + self.offsets.nbytes + self.hashes.nbytes + self.anchors.nbytes
        return of_tokens + sum(rows.nbytes for rows in self.windows) + 9 * self.noise.starts.size

    def to_bytes(self) -> bytes:
        """Return the stored form, which begins with the algorithm id.

        Hashes are not stored, because they can be computed from tokens and windows.
        """
        columns = (
            self.tokens.astype("<u2"),
            _to_steps(self.offsets),
            _to_steps(self.anchors),
            *self.windows,
            _to_steps(self.noise.starts),
            (self.noise.ends - self.noise.starts).astype("<u4"),
            self.noise.kinds,
        )
        payload = b"".join(_to_planes(column) for column in columns)
        counts = (self.tokens.size, self.anchors.size, sum(map(len, self.windows)), self.noise.starts.size)
        unchecked = HEADER.pack(self.algorithm_id, FORMAT_VERSION, 0, *counts) + zlib.compress(
            payload, COMPRESSION_LEVEL
        )
        return (
            HEADER.pack(self.algorithm_id, FORMAT_VERSION, _stored_checksum(unchecked), *counts)
            + unchecked[HEADER.size :]
        )

    @classmethod
    def from_bytes(cls, stored: bytes, algorithms: Mapping[int, Algorithm] = ALGORITHMS) -> "Fingerprint":
        """Return the fingerprint in the output of `to_bytes`. Raises DamagedFingerprint for any other bytes."""
        if len(stored) < HEADER.size:
            raise DamagedFingerprint("fingerprint.too-short")
        algorithm_id, version, checksum, tokens, anchors, windows, noise = HEADER.unpack_from(stored)
        algorithm = algorithms.get(algorithm_id)
        if algorithm is None or version != FORMAT_VERSION:
            raise DamagedFingerprint("fingerprint.unknown-format", algorithm=algorithm_id, format=version)
        if _stored_checksum(stored) != checksum:
            raise DamagedFingerprint("fingerprint.checksum")
        shapes = [(window_count(tokens, rule), bytes_per_window(rule)) for rule in algorithm.windows]
        if windows != sum(count for count, _ in shapes):
            raise DamagedFingerprint("fingerprint.windows", windows=windows, tokens=tokens)
        bytes_of_windows = sum(count * width for count, width in shapes)
        columns = _Columns(_decompress(stored[HEADER.size :], 6 * tokens + 4 * anchors + bytes_of_windows + 9 * noise))
        read_tokens = columns.take("<u2", tokens).astype(np.uint16)
        offsets, positions = columns.take_delta_coded(tokens), columns.take_delta_coded(anchors)
        read_windows = tuple(columns.take_bytes(count * width).reshape(count, width) for count, width in shapes)
        starts = columns.take_delta_coded(noise)
        ends = starts + columns.take("<u4", noise).astype(np.int32)
        kinds = columns.take_bytes(noise)
        hashes = _seed_hashes(read_tokens, read_windows, positions, algorithm)
        return cls(algorithm_id, read_tokens, offsets, hashes, positions, read_windows, Noise(starts, ends, kinds))


def fingerprint_text(text: str, algorithm: Algorithm = DEFAULT) -> Fingerprint:
    """Return the fingerprint of a text. A text without Chinese has an empty stream.

    Time and memory are linear in the length of the text. Raises BrokenInvariant if the installed table of readings is
    not that of the algorithm.
    """
    stream = algorithm.normalization.stage(text, algorithm.tables)
    windows = fingerprint_windows(stream.tokens, algorithm)
    hashes, positions = find_seeds(stream.tokens, windows, algorithm)
    return Fingerprint(algorithm.id, stream.tokens, stream.offsets, hashes, positions, windows, stream.noise)


def _seed_hashes(
    tokens: NDArray[np.uint16],
    windows: tuple[NDArray[np.uint8], ...],
    positions: NDArray[np.int32],
    algorithm: Algorithm,
) -> NDArray[np.uint64]:
    if algorithm.seeds is Seeds.ANCHORS:
        return hash_anchors(tokens, positions, algorithm.anchors, algorithm.symbols)
    hashes, seed_positions = find_seeds(tokens, windows, algorithm)
    if not np.array_equal(seed_positions, positions):
        raise DamagedFingerprint("fingerprint.seeds")
    return hashes


def _stored_checksum(stored: bytes) -> int:
    """Return the CRC-32 of all stored bytes except the checksum."""
    return zlib.crc32(stored[COUNTS_AT:], zlib.crc32(stored[:2]))


def _to_steps(increasing: NDArray[np.int32]) -> NDArray[np.uint32]:
    return np.diff(increasing, prepend=np.int32(0)).astype("<u4")


def _to_planes(column: NDArray[np.generic]) -> bytes:
    """Return the first bytes of all numbers, then the second bytes, and so on: they compress better in this order."""
    return np.ascontiguousarray(column).view(np.uint8).reshape(-1, column.itemsize).T.tobytes()


def _decompress(compressed: bytes, size: int) -> bytes:
    try:
        inflater = zlib.decompressobj()
        payload = inflater.decompress(compressed, size + 1)
    except (zlib.error, OverflowError) as error:
        raise DamagedFingerprint("fingerprint.not-compressed") from error
    if len(payload) != size or inflater.unused_data or (size and not inflater.eof):
        raise DamagedFingerprint("fingerprint.length")
    return payload


class _Columns:
    """Reads columns from a payload, in the order in which they were written."""

    def __init__(self, payload: bytes) -> None:
        self._bytes, self._position = np.frombuffer(payload, np.uint8), 0

    def take(self, dtype: str, size: int) -> NDArray[np.generic]:
        width = np.dtype(dtype).itemsize
        plane = self._bytes[self._position : self._position + size * width].reshape(width, size)
        self._position += size * width
        return np.ascontiguousarray(plane.T).view(dtype).reshape(size)

    def take_bytes(self, size: int) -> NDArray[np.uint8]:
        return self.take("u1", size).astype(np.uint8)

    def take_delta_coded(self, size: int) -> NDArray[np.int32]:
        """Read differences, and return their running sums."""
        return np.cumsum(self.take("<u4", size), dtype=np.int32)
