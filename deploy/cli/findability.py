"""Texts of works that are accepted and can hardly be found: what to tell who adds one."""

import numpy as np

from core.wording import Message
from fingerprint.normalization import normalize
from fingerprint.stream import WILDCARD
from matcher.calibration import DEFAULT

# A text that goes round in 2 to 6 characters was not found on a page of the same 400 characters, one in 8 to 23 was
# (November 2026); any 23 characters of the demo's works have 9 or more different readings.
MIN_DIFFERENT_READINGS = 8
HEAD_CHARS = 4_000  # nearly every chapter shows in its beginning that nothing is wrong with it


def doubt(text: str) -> Message | None:
    """Why little or nothing of `text` can be found, as the end of a sentence about it; None where all is well.

    >>> str(doubt("渡口的灯。"))
    'has characters with a reading: 4; below 23 nothing of it can be found'
    """
    return _doubt(text[:HEAD_CHARS]) and _doubt(text)


def _doubt(text: str) -> Message | None:
    tokens = normalize(text).tokens
    readings = tokens[tokens != WILDCARD]
    if readings.size < DEFAULT.min_matched_tokens:
        return Message("corpus.too-short", count=readings.size, least=DEFAULT.min_matched_tokens)
    different = np.unique(readings).size
    if different < MIN_DIFFERENT_READINGS:
        return Message("corpus.repeats", count=different)
    return None
