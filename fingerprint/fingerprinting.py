"""The chain of stages: text -> stream -> windows and anchors -> seeds."""

from fingerprint.algorithms import DEFAULT, Algorithm
from fingerprint.record import Fingerprint
from fingerprint.seeds import find_seeds
from fingerprint.stages import fingerprint_windows


def fingerprint_text(text: str, algorithm: Algorithm = DEFAULT) -> Fingerprint:
    """Return the fingerprint of any text, by the algorithm's record alone; one without Chinese has an empty stream.

    Time and memory are linear in the length of the text. Raises BrokenInvariant when the installed table of readings is
    not the one that the algorithm names.
    """
    rule, initials = algorithm.normalization, algorithm.tables.initials
    stream = rule.stage(text, rule.tables)
    windows = tuple(fingerprint_windows(stream.tokens, each, initials) for each in algorithm.windows)
    hashes, positions = find_seeds(stream.tokens, windows, algorithm)
    return Fingerprint(algorithm.id, stream.tokens, stream.offsets, hashes, positions, windows, stream.noise)
