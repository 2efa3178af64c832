"""Matchers over a few works in memory."""

from collections.abc import Mapping

from fingerprint import algorithms
from fingerprint.algorithms import Algorithm
from fingerprint.fingerprinting import fingerprint_text
from matcher import calibration
from matcher.calibration import Calibration
from matcher.corpus import MemoryCorpus, WorkEntry
from matcher.index.memory import MemoryIndex
from matcher.matching import Matcher


def matcher_of(
    texts: Mapping[str, str], algorithm: Algorithm = algorithms.DEFAULT, thresholds: Calibration = calibration.DEFAULT
) -> Matcher:
    """Make a matcher of works by their ids."""
    index, corpus = MemoryIndex(algorithm.id), MemoryCorpus()
    for text_id, text in texts.items():
        corpus[text_id] = WorkEntry(text, fingerprint_text(text, algorithm))
        index.add(text_id, corpus[text_id].fingerprint)
    return Matcher(index, corpus, thresholds)
