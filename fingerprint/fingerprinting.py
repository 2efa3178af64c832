"""The chain of stages: text -> stream -> windows and anchors."""

from core.errors import BrokenInvariant
from fingerprint.algorithms import DEFAULT, Algorithm
from fingerprint.anchors import anchor_positions
from fingerprint.letters import initials
from fingerprint.normalization import normalize
from fingerprint.readings import TABLE
from fingerprint.record import Fingerprint
from fingerprint.windows import window_fingerprints


def fingerprint_text(text: str, algorithm: Algorithm = DEFAULT) -> Fingerprint:
    """The fingerprint of any text; one without Chinese has an empty stream. Time and memory are linear in its length.

    Raises BrokenInvariant when the installed table of readings is not the one that the algorithm names.
    """
    if algorithm.readings_digest != TABLE.digest:
        raise BrokenInvariant(f"algorithm {algorithm.id} needs another table of readings; install the product again")
    stream = normalize(text)
    hashes, positions = anchor_positions(stream.tokens, algorithm.anchors)
    windows = window_fingerprints(initials(stream.tokens), algorithm.windows)
    return Fingerprint(algorithm.id, stream.tokens, stream.offsets, hashes, positions, windows, stream.noise)
