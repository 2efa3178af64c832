"""Cuts passages that begin and end with sentences."""

from random import Random

import numpy as np
from numpy.typing import NDArray

from core.text import TextRange
from fingerprint.readings import code_points
from laboratory import draws
from laboratory.edits.sentences import sentence_ends

PAGE_CHARS = 2_500  # main text of a web page; the length used for the published tables
CLOSE = 0.1  # share of the requested length by which a cut may move to reach the end of a sentence


def cuts(text: str, chars: int) -> list[TextRange]:
    """Return the whole text in pieces of about `chars` characters, each ending with a sentence if one ends nearby."""
    ends = sentence_ends(code_points(text))
    pieces, start = [], 0
    while start < len(text):
        end = _end_near(ends, start + chars, int(chars * CLOSE), len(text))
        pieces.append(TextRange(start, end))
        start = end
    return pieces


def passage(text: str, within: TextRange, chars: int, rng: Random) -> TextRange | None:
    """Return about `chars` characters, whole sentences if possible, or the whole range if it is not longer.

    Return None if the range contains no text.
    """
    part = text[within.start : within.end]
    ends = sentence_ends(code_points(part))
    starts = np.concatenate([[0], ends[:-1]])
    starts = starts[starts + chars <= len(part)] if len(part) > chars else starts[:1]
    if not starts.size:
        starts = np.zeros(1, np.int64)
    start = int(starts[draws.one_below(rng, starts.size)])
    end = _end_near(ends, start + chars, int(chars * CLOSE), len(part))
    return TextRange(within.start + start, within.start + end) if part[start:end].strip() else None


def exact_passage(text: str, within: TextRange, chars: int, rng: Random) -> TextRange | None:
    """Return exactly `chars` characters of a paragraph, not counting spaces, from the beginning of a sentence.

    Return None if too little follows the drawn sentence in its paragraph.
    """
    part = text[within.start : within.end]
    ends = sentence_ends(code_points(part))
    if not ends.size:
        return None
    starts = np.concatenate([[0], ends[:-1]])
    start = int(starts[draws.one_below(rng, starts.size)])
    start += len(part[start:]) - len(part[start:].lstrip())
    paragraph = part[start:].split("\n", 1)[0] if chars < SEVERAL_PARAGRAPHS else part[start:]
    counted = np.cumsum([not character.isspace() for character in paragraph[: 2 * chars]])
    end = int(np.searchsorted(counted, chars)) + 1
    if end > counted.size:
        return None
    return TextRange(within.start + start, within.start + start + end)


def _end_near(ends: NDArray[np.int64], wanted: int, reach: int, length: int) -> int:
    """Return the sentence end closest to `wanted` if it is within reach, else `wanted` itself, at most the length."""
    if wanted + reach >= length:
        return length
    place = int(np.searchsorted(ends, wanted))
    near = [int(end) for end in ends[max(0, place - 1) : place + 1] if abs(int(end) - wanted) <= reach]
    return min(near, key=lambda end: abs(end - wanted)) if near else wanted


SEVERAL_PARAGRAPHS = 200  # excerpts of this many characters or more may span paragraphs
