"""COPS: the share of a page's sentences that occur word for word in a work.

Source: Brin, Davis, Garcia-Molina, "Copy detection mechanisms for digital documents", SIGMOD 1995.
"""

from collections.abc import Iterator

import xxhash

from core.text import TextRange
from core.wording import Message
from fingerprint.engines.chapters import best_works
from fingerprint.engines.engine import EngineEntry, EngineMatch, SharedSpan
from fingerprint.engines.plain_characters import PlacedSentence, plain_characters, split_sentences

# Shorter sentences are common phrases ("he laughed", "CCTV reports").
MIN_SENTENCE_CHARS = 10
# The source leaves the share to the user. With this one 1 % of innocent pages are named (8,600 pages against 14.6 M
# characters, November 2026; at .05 some 4 %), because both texts contain a poem, a proverb or the site's line.
MIN_SHARE = 0.1


class Cops:
    """Finds works that contain at least `min_share` of the page's sentences.

    Sentences are compared without punctuation. A sentence counts if it has at least `min_sentence_chars` letters,
    digits and Chinese characters. similarity: the share; spans: the equal sentences, each at its first occurrence in
    the work.
    """

    def __init__(self, min_share: float = MIN_SHARE, min_sentence_chars: int = MIN_SENTENCE_CHARS) -> None:
        self._min_share, self._min_sentence_chars = min_share, min_sentence_chars
        self._places: dict[int, list[tuple[str, TextRange]]] = {}

    def add_work(self, work_id: str, text: str) -> None:
        first_ranges: dict[int, TextRange] = {}
        for sentence, digest in self._sentence_units(text):
            first_ranges.setdefault(digest, sentence.place)
        for digest, text_range in first_ranges.items():
            self._places.setdefault(digest, []).append((work_id, text_range))

    def find(self, text: str) -> list[EngineMatch]:
        units = list(self._sentence_units(text))
        spans: dict[str, list[SharedSpan]] = {}
        for sentence, digest in units:
            for work_id, work_range in self._places.get(digest, ()):
                spans.setdefault(work_id, []).append(SharedSpan(sentence.place, work_range))
        matches = (EngineMatch(work_id, len(shared) / len(units), tuple(shared)) for work_id, shared in spans.items())
        return best_works(work for work in matches if work.similarity >= self._min_share)

    def _sentence_units(self, text: str) -> Iterator[tuple[PlacedSentence, int]]:
        for sentence in split_sentences(text):
            codes = plain_characters(sentence.text)[0]
            if codes.size >= self._min_sentence_chars:
                yield sentence, xxhash.xxh3_64_intdigest(codes.tobytes())


ENTRIES = (
    EngineEntry(
        "cops",
        Cops,
        Message("engine.the-share-of-the-page-s-sentences-that"),
        "Brin, Davis, Garcia-Molina, SIGMOD 1995",
        (
            Message("engine.sentences-of-fewer-than-10-characters-do"),
            Message("engine.the-source-leaves-the-share-to-the-user-2"),
            Message("engine.a-sentence-is-shown-at-its-first-place-in"),
        ),
        {
            "min_share": Message("engine.a-copy-from-this-share-of-the-page-s-2"),
            "min_sentence_chars": Message("engine.characters-of-a-sentence-that-counts"),
        },
        gives_spans=True,
    ),
)
