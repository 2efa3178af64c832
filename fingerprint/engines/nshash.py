"""Longest sentences: two texts are the same if they share one of their n longest sentences.

Source: github.com/veelion/nshash; n = 1 is the older rule with one digest of the longest sentence.
"""

import hashlib
import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial

import xxhash

from core.wording import Message
from fingerprint.engines.chapters import CHAPTER_CHARS, ChapterEngine, chapter_entry
from fingerprint.engines.engine import EngineMatch
from fingerprint.engines.plain_characters import SENTENCE_ENDS, split_sentences

LONGEST_SENTENCES = 5  # published
MIN_SENTENCE_CHARS = 31  # the published code uses sentences with more than 30 characters, if there are any

Digest = Callable[[bytes], bytes]


def md5_digest(sentence: bytes) -> bytes:
    return hashlib.md5(sentence, usedforsecurity=False).digest()


# xxh3 replaces the published farmhash: another fast hash of 64 bits.
DIGESTS: dict[str, Digest] = {"md5": md5_digest, "xxh3": xxhash.xxh3_64_digest}


def longest_sentences(
    text: str, limit: int, min_chars: int = MIN_SENTENCE_CHARS, ends: str = SENTENCE_ENDS
) -> list[str]:
    """Return the `limit` longest sentences, longest first; equally long ones in order of the text.

    Sentences shorter than `min_chars` are used only if the text has no longer one.
    """
    sentences = [sentence.text for sentence in split_sentences(text, ends)]
    long_ones = [sentence for sentence in sentences if len(sentence) >= min_chars]
    return heapq.nlargest(limit, long_ones or sentences, key=len)


def sentence_digests(
    text: str, limit: int = LONGEST_SENTENCES, digest: Digest = md5_digest, ends: str = SENTENCE_ENDS
) -> list[bytes]:
    """Return the distinct digests of the longest sentences."""
    chosen = longest_sentences(text, limit, ends=ends)
    return list(dict.fromkeys(digest(sentence.encode("utf-8", "surrogatepass")) for sentence in chosen))


class NsHash(ChapterEngine):
    """Finds works with a chapter that shares the digest of one of its longest sentences with the page.

    similarity: the highest share, over the pieces of the page, of digests that the work has. sentence_ends: the
    published text names full stop, exclamation and question mark and the end of a line; its code also splits at
    "；：】".
    """

    def __init__(
        self,
        sentences: int = LONGEST_SENTENCES,
        hash_name: str = "md5",
        chapter_chars: int = CHAPTER_CHARS,
        sentence_ends: str = SENTENCE_ENDS,
    ) -> None:
        super().__init__(chapter_chars)
        self._sentences, self._digest, self._sentence_ends = sentences, DIGESTS[hash_name], sentence_ends
        self._works: defaultdict[bytes, set[str]] = defaultdict(set)  # by digest

    def _add_chapter(self, work_id: str, text: str) -> None:
        for digest in self._text_digests(text):
            self._works[digest].add(work_id)

    def _find_chapter(self, text: str) -> Iterator[EngineMatch]:
        digests = self._text_digests(text)
        shared = Counter(work_id for digest in digests for work_id in self._works.get(digest, ()))
        return (EngineMatch(work_id, count / len(digests)) for work_id, count in shared.items())

    def _text_digests(self, text: str) -> list[bytes]:
        return sentence_digests(text, self._sentences, self._digest, self._sentence_ends)


DEPARTURES = (
    Message("engine.sentences-end-as-the-source-s-text-says"),
    Message("engine.farmhash-is-replaced-by-xxh3-another-fast"),
    Message("engine.the-source-numbers-groups-of-texts"),
)
PARAMETERS = {
    "sentences": Message("engine.longest-sentences-of-a-piece-that-are"),
    "hash_name": Message("engine.the-digest-md5-or-xxh3"),
    "sentence_ends": Message("engine.characters-that-end-a-sentence"),
}
_variant = partial(chapter_entry, source="github.com/veelion/nshash", departures=DEPARTURES, parameters=PARAMETERS)
ENTRIES = (
    _variant("longest-sentence", partial(NsHash, sentences=1), Message("engine.digest-of-the-longest-sentence-of-a")),
    _variant("nshash", NsHash, Message("engine.digests-of-the-5-longest-sentences-of-a")),
)
