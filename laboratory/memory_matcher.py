"""The product's matcher with works in memory, for measurements."""

from collections.abc import Iterable

import numpy as np

from core.ids import work_text_id
from fingerprint import algorithms
from fingerprint.algorithms import Algorithm
from fingerprint.fingerprinting import fingerprint_text
from matcher import calibration
from matcher.calibration import Calibration
from matcher.corpus import MemoryCorpus, WorkEntry
from matcher.index.memory import MemoryIndex
from matcher.matching import Matcher


def memory_matcher(
    works: Iterable[str], algorithm: Algorithm = algorithms.DEFAULT, thresholds: Calibration = calibration.DEFAULT
) -> Matcher:
    """Return a matcher of these works, with sorted postings; works with the same text are merged."""
    index, corpus = MemoryIndex(algorithm.id), MemoryCorpus()
    for text in works:
        text_id = work_text_id(text)
        if text_id not in corpus:
            corpus[text_id] = WorkEntry(text, fingerprint_text(text, algorithm))
            index.add(text_id, corpus[text_id].fingerprint)
    index.lookup(np.zeros(1, np.uint64), 1)
    return Matcher(index, corpus, thresholds)
