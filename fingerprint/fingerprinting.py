"""The chain of stages: text -> stream -> windows and anchors -> seeds."""

from core.errors import BrokenInvariant
from fingerprint.algorithms import DEFAULT, Algorithm
from fingerprint.anchors import anchor_positions
from fingerprint.compiled import stream_of, windows_of
from fingerprint.letters import initials
from fingerprint.normalization import normalize
from fingerprint.readings import TABLE
from fingerprint.record import Fingerprint
from fingerprint.seeds import seeds_of
from fingerprint.windows import window_fingerprints


def fingerprint_text(text: str, algorithm: Algorithm = DEFAULT) -> Fingerprint:
    """The fingerprint of any text; one without Chinese has an empty stream. Time and memory are linear in its length.

    Raises BrokenInvariant when the installed table of readings is not the one that the algorithm names.
    """
    _check_table(algorithm)
    stream = stream_of(text)
    windows = tuple(windows_of(stream.tokens, rule) for rule in algorithm.windows)
    hashes, positions = seeds_of(stream.tokens, windows, algorithm)
    return Fingerprint(algorithm.id, stream.tokens, stream.offsets, hashes, positions, windows, stream.noise)


def fingerprint_by_definition(text: str, algorithm: Algorithm = DEFAULT) -> Fingerprint:
    """What `fingerprint_text` gives, worked out by the plain definition of every stage, some ten times slower."""
    _check_table(algorithm)
    stream = normalize(text)
    windows = tuple(window_fingerprints(initials(stream.tokens), rule) for rule in algorithm.windows)
    hashes, positions = seeds_of(stream.tokens, windows, algorithm, anchor_positions)
    return Fingerprint(algorithm.id, stream.tokens, stream.offsets, hashes, positions, windows, stream.noise)


def _check_table(algorithm: Algorithm) -> None:
    if algorithm.readings_digest != TABLE.digest:
        raise BrokenInvariant(f"algorithm {algorithm.id} needs another table of readings; install the product again")
