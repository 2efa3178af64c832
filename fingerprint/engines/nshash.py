"""Longest sentences: two texts are the same if they share one of their n longest sentences.

Source: github.com/veelion/nshash; n = 1 is the older rule with one digest of the longest sentence.
"""

import hashlib
import heapq
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

from core.wording import Message
from fingerprint.engines.chapters import ChapterEngine, chapter_entry
from fingerprint.engines.engine import EngineMatch
from fingerprint.engines.plain_characters import split_sentences

LONGEST_SENTENCES = 5  # published
MIN_SENTENCE_CHARS = 31  # the published code uses sentences with more than 30 characters, if there are any


def longest_sentences(text: str, limit: int) -> list[str]:
    """Return the `limit` longest sentences, the longest first; sentences of equal length are in order of the text.

    Sentences shorter than MIN_SENTENCE_CHARS are used only if the text has no longer sentences.
    """
    sentences = [sentence.text for sentence in split_sentences(text)]
    long_ones = [sentence for sentence in sentences if len(sentence) >= MIN_SENTENCE_CHARS]
    return heapq.nlargest(limit, long_ones or sentences, key=len)


@dataclass(eq=False)
class NsHash(ChapterEngine):
    """Finds works with a chapter that shares the digest of one of its longest sentences with the page.

    similarity: the highest share, over the chapters of the page, of digests that the work has.
    """

    sentences: int = LONGEST_SENTENCES
    _works: defaultdict[bytes, set[str]] = field(init=False, repr=False, default_factory=lambda: defaultdict(set))

    def _add_chapter(self, work_id: str, text: str) -> None:
        for digest in self._text_digests(text):
            self._works[digest].add(work_id)

    def _find_chapter(self, text: str) -> Iterator[EngineMatch]:
        digests = self._text_digests(text)
        shared = Counter(work_id for digest in digests for work_id in self._works.get(digest, ()))
        return (EngineMatch(work_id, count / len(digests)) for work_id, count in shared.items())

    def _text_digests(self, text: str) -> list[bytes]:
        """Return the distinct digests of the longest sentences."""
        sentences_of_text = (
            sentence.encode("utf-8", "surrogatepass") for sentence in longest_sentences(text, self.sentences)
        )
        return list(
            dict.fromkeys(hashlib.md5(sentence, usedforsecurity=False).digest() for sentence in sentences_of_text)
        )


DEPARTURES = (
    Message("engine.sentences-end-as-the-source-s-text-says"),
    Message("engine.the-digest-is-md5-and-a-table-in-memory"),
    Message("engine.the-source-numbers-groups-of-texts"),
)
PARAMETERS = {
    "sentences": Message("engine.longest-sentences-of-a-piece-that-are"),
}
_variant = partial(chapter_entry, source="github.com/veelion/nshash", departures=DEPARTURES, parameters=PARAMETERS)
ENTRIES = (
    _variant("longest-sentence", partial(NsHash, sentences=1), Message("engine.digest-of-the-longest-sentence-of-a")),
    _variant("nshash", NsHash, Message("engine.digests-of-the-5-longest-sentences-of-a")),
)
