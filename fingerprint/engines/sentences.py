"""Sentences of a text, as the engines that compare whole sentences cut them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.text import TextRange
from fingerprint.engines.plain_characters import plain_characters

# Full stop, exclamation and question mark (also of the Latin script in full width) and the end of a line.
SENTENCE_ENDS = "。．！!？?\r\n"


@dataclass(frozen=True, slots=True)
class PlacedSentence:
    """A sentence without its end mark and without blanks around it; place: where it stands in the text as given."""

    text: str
    place: TextRange


def split_sentences(text: str, ends: str = SENTENCE_ENDS) -> Iterator[PlacedSentence]:
    """Split a text into its sentences; a piece without a letter, digit or Chinese character is not a sentence.

    >>> [(sentence.text, sentence.place.start) for sentence in split_sentences("雨停了。　“走！”……？！")]
    [('雨停了', 0), ('“走', 5)]
    """
    for found in re.finditer(f"[^{re.escape(ends)}]+", text):
        written = found.group().strip()
        if written and plain_characters(written)[0].size:
            start = found.start() + len(found.group()) - len(found.group().lstrip())
            yield PlacedSentence(written, TextRange(start, start + len(written)))
