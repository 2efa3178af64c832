"""A fixed sample of sentences in general, with which the similarity of two sentences is compared.

A vector that is near to everything is not informative. So the mean of many texts is subtracted from vectors, and the
nearness of both vectors from their cosine: the mean cosine with the nearest vectors of the sample (CSLS: Conneau and
others, Word Translation Without Parallel Data, 2018, with a sample in place of the other side).
"""

import hashlib
import io
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import BrokenInvariant
from matcher.reworded.encoding import DIMENSIONS, Encoded
from matcher.reworded.record import BACKGROUND_SHA256
from matcher.reworded.weights import Floats

BACKGROUND_2026 = Path(__file__).with_name("background_2026.bin")
AXES = 96  # kept of each vector for look-ups by meaning (matcher.reworded.meanings)
NEAREST = 8  # vectors of the sample whose mean cosine is the nearness; the design had 8 and 10, which were alike
_TINY = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class SentenceWindows:
    """The sentences of a text and its pairs of neighbours, prepared for comparison with another text.

    vectors   float32[2n-1, 512]  centred, of length 1: first the n sentences, then the pairs; [0, 512] if empty
    nearness  float32[2n-1]       mean cosine with the nearest vectors of the background
    """

    vectors: Floats
    nearness: Floats

    @property
    def units(self) -> int:
        """The number of sentences."""
        return (len(self.vectors) + 1) // 2

    def subset(self, start: int, end: int) -> "SentenceWindows":
        """Return the windows of the sentences [start, end): these sentences and their pairs."""
        rows = self.rows(start, end)
        return SentenceWindows(self.vectors[rows], self.nearness[rows])

    def rows(self, start: int, end: int) -> NDArray[np.intp]:
        """Return the rows of the sentences [start, end) and of their pairs."""
        units = self.units
        pairs = np.arange(units + start, units + max(start, end - 1))
        return np.concatenate([np.arange(start, end), pairs])


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """The sample of sentences in general.

    mean    float32[512]        the mean of all vectors
    sample  float32[size, 512]  centred, of length 1
    axes    float32[512, AXES]  the axes of greatest variance of the sample, in decreasing order; of length 1
    digest  SHA-256 of the file, 64 hex digits
    """

    mean: Floats
    sample: Floats
    axes: Floats
    digest: str

    def windows(self, encoded: Encoded) -> SentenceWindows:
        """Return the windows of a text, with their nearness to this background."""
        vectors = centre_vectors(np.concatenate([encoded.singles, encoded.pairs]), self.mean)
        return SentenceWindows(vectors, nearness(vectors, self.sample))


def centre_vectors(vectors: Floats, mean: Floats) -> Floats:
    """Return the vectors minus `mean`, scaled to length 1, float32[n, 512]."""
    centred = vectors - mean
    centred /= np.linalg.norm(centred, axis=1, keepdims=True) + _TINY
    return centred


def nearness(vectors: Floats, sample: Floats) -> Floats:
    """Return the mean cosine of each vector with the NEAREST vectors of the sample, float32[n]."""
    cosines = vectors @ sample.T
    return np.asarray(np.partition(cosines, -NEAREST, axis=1)[:, -NEAREST:].mean(axis=1), np.float32)


def pack_background(mean: Floats, sample: Floats) -> bytes:
    """Return a background as a file in numpy's format, with 8 bits for each number of the sample.

    Equal inputs give equal bytes.
    """
    scale = np.abs(sample).max(axis=1, keepdims=True) / 127
    axes = np.linalg.svd(sample.astype(np.float64), full_matrices=False)[2][:AXES].T
    file = io.BytesIO()
    np.save(file, mean.astype("<f4"))
    np.save(file, np.round(sample / scale).astype(np.int8))
    np.save(file, axes.astype("<f2"))
    return file.getvalue()


def unpack_background(content: bytes) -> Background:
    """Return the background in a file written by `pack_background`. Raises ValueError if the content is not valid."""
    file = io.BytesIO(content)
    mean, sample, axes = (np.load(file, allow_pickle=False).astype(np.float32) for _ in range(3))
    if mean.shape != (DIMENSIONS,) or sample.shape[1:] != (DIMENSIONS,) or axes.shape != (DIMENSIONS, AXES):
        raise ValueError(f"shapes {mean.shape}, {sample.shape}, {axes.shape}")
    sample /= np.linalg.norm(sample, axis=1, keepdims=True)
    return Background(mean, sample, axes, hashlib.sha256(content).hexdigest())


@cache
def load_background(path: Path = BACKGROUND_2026, digest: str = BACKGROUND_SHA256) -> Background:
    """Return the background that is part of the product.

    Raises BrokenInvariant if the file cannot be read or has another digest.
    """
    try:
        background = unpack_background(path.read_bytes())
    except (OSError, ValueError) as error:
        raise BrokenInvariant("reworded.unreadable-background", path=path, error=error) from error
    if background.digest != digest:
        raise BrokenInvariant("reworded.wrong-background", path=path)
    return background
