"""I-Match: one digest of the words of a text that are neither common nor rare in the corpus.

Source: Chowdhury, Frieder, Grossman, McCabe, "Collection statistics for fast duplicate document detection", ACM TOIS
2002.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.wording import Message
from fingerprint.engines.chapter_words import UNKNOWN, ChapterTable, WordEngine, word_counts
from fingerprint.engines.chapters import chapter_entry
from fingerprint.engines.engine import EngineMatch
from fingerprint.engines.tokens import CHINESE_WORDS

# The minimum share of the highest idf, log N, for a word. The source normalises idf in this way and tries cut-offs at
# both ends; it keeps the words in the middle.
MIN_NORMAL_IDF = 0.1
MAX_NORMAL_IDF = 0.9
# With fewer words a digest is not informative: two short texts with the same one or two words in the middle would
# match.
MIN_TERMS = 5


@dataclass(eq=False)
class IMatch(WordEngine):
    """Finds chapters with the same digest as the page.

    Adding a work changes the selected words, and therefore all digests.
    """

    min_normal_idf: float = MIN_NORMAL_IDF
    max_normal_idf: float = MAX_NORMAL_IDF
    min_terms: int = MIN_TERMS

    def _find_chapter(self, text: str) -> Iterator[EngineMatch]:
        table = self._works.table()
        words = word_counts(text)[0]
        numbers = table.term_numbers(words)
        digest = self._words_digest(words[numbers != UNKNOWN], numbers[numbers != UNKNOWN])
        return self._works.owners.works((chapter, 1.0) for chapter in self._chapters.get(digest, ()))

    def _words_digest(self, words: NDArray[np.uint64], numbers: NDArray[np.integer]) -> bytes:
        """Return the digest of the selected words in order; b"" if there are too few."""
        selected_words = words[self._is_chosen[numbers]]
        return (
            hashlib.sha1(selected_words, usedforsecurity=False).digest()
            if selected_words.size >= self.min_terms
            else b""
        )

    def _prepare(self, table: ChapterTable) -> None:
        normal_idf = table.inverse_frequencies() / (np.log(table.chapters) if table.chapters > 1 else 1)
        self._is_chosen = (normal_idf >= self.min_normal_idf) & (normal_idf <= self.max_normal_idf)
        self._chapters: dict[bytes, list[int]] = {}
        for chapter in range(table.chapters):
            numbers = table.terms[table.starts[chapter] : table.starts[chapter + 1]]
            digest = self._words_digest(table.vocabulary[numbers], numbers)
            if digest:
                self._chapters.setdefault(digest, []).append(chapter)


ENTRIES = (
    chapter_entry(
        "i-match",
        IMatch,
        Message("engine.one-digest-of-the-words-that-are-neither"),
        "Chowdhury et al., ACM TOIS 2002",
        (
            CHINESE_WORDS,
            Message("engine.the-source-tries-several-cut-offs-of-idf"),
            Message("engine.words-are-counted-over-the-pieces-of-the"),
        ),
        {
            "min_normal_idf": Message("engine.words-below-this-share-of-the-highest-idf"),
            "max_normal_idf": Message("engine.words-above-this-share-are-too-rare"),
            "min_terms": Message("engine.words-that-a-text-needs-for-a-digest"),
        },
        needs_corpus=True,
    ),
)
