"""Matchers over a few works in memory, and two texts compared as one passage."""

from collections.abc import Mapping

import numpy as np

from fingerprint import algorithms
from fingerprint.algorithms import Algorithm
from fingerprint.fingerprinting import fingerprint_text
from matcher import calibration
from matcher.align.changes import PassageComparison, compare_passage
from matcher.align.passages import AlignedPassage
from matcher.align.tokenized_text import TokenizedPage, TokenizedText
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


def sides_of(page: str, work: str) -> tuple[TokenizedPage, TokenizedText]:
    """A page and a work as they are compared."""
    return TokenizedPage.from_fingerprint(page, fingerprint_text(page)), TokenizedText(work, fingerprint_text(work))


def compared(page: str, work: str) -> PassageComparison:
    """The whole of both as one passage."""
    here, there = sides_of(page, work)
    sizes = here.fingerprint.tokens.size, there.fingerprint.tokens.size
    segments = np.array([[0, sizes[0], 0, sizes[1], min(sizes), min(sizes), 0]], np.int32)
    passage = AlignedPassage(segments, 0, sizes[0], 0, sizes[1], min(sizes) - 1, 0, min(sizes))
    return compare_passage(here, there, passage, calibration.DEFAULT, margin=0)
