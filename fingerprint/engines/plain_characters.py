"""The characters of a text without punctuation and blanks, with their offsets, and the sentences of a text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.text import TextRange
from core.wording import Message
from fingerprint.engines.tokens import canonical_codes

WITHOUT_MARKS = Message("engine.chinese-characters-latin-letters-and")
# Full stop, exclamation and question mark (full-width forms of Latin marks too) and the end of a line.
SENTENCE_ENDS = "。．！!？?\r\n"


def plain_characters(text: str) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return the Chinese characters, digits and letters of a text, uint32[n], and their offsets, int64[n].

    Case, width and the forms of digits are folded. Simplified and traditional characters remain different.

    >>> codes, offsets = plain_characters("網，Ａb")
    >>> "".join(map(chr, codes)), offsets.tolist()
    ('網ab', [0, 2, 3])
    """
    codes = canonical_codes(text)
    offsets = np.flatnonzero(codes)
    return codes[offsets], offsets


@dataclass(frozen=True, slots=True)
class PlacedSentence:
    """A sentence without its end mark and surrounding blanks. place: its range in the text as given."""

    text: str
    place: TextRange


def split_sentences(text: str) -> Iterator[PlacedSentence]:
    """Yield the sentences of a text. Parts without a letter, digit or Chinese character are omitted.

    >>> [(sentence.text, sentence.place.start) for sentence in split_sentences("雨停了。　“走！”……？！")]
    [('雨停了', 0), ('“走', 5)]
    """
    for match in re.finditer(f"[^{re.escape(SENTENCE_ENDS)}]+", text):
        sentence = match.group().strip()
        if sentence and plain_characters(sentence)[0].size:
            start = match.start() + len(match.group()) - len(match.group().lstrip())
            yield PlacedSentence(sentence, TextRange(start, start + len(sentence)))
