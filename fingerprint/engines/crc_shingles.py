"""Shingles of three words as CRC-32 checksums, compared by the shared number per word of the longer text.

Source: the shingle test used by forums and shops for texts, for which two worked examples are known (25 %, and 13.04 %
although its own rules give 17.39 %). Its rules: lower case; marks and function words are removed; a word is the text
between blanks; a shingle is the CRC-32 of words joined by one blank.
"""

import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.wording import Message
from fingerprint.characters import ZERO_WIDTH
from fingerprint.engines.chapters import ChapterEngine, chapter_entry
from fingerprint.engines.engine import EngineMatch
from fingerprint.engines.feature_engine import FeatureIndex

CRC_BITS = 32
MARKS = ',.!?()-—:;"“”„‘’'  # published
# Chinese marks that are not full-width forms of the published ones.
CHINESE_MARKS = "。、《》〈〉「」『』【】〔〕〖〗·~"
FUNCTION_WORDS = "это как так в на над к ко до за то с со для о ну же ж что он она б бы ли и у"  # published
_REMOVED = str.maketrans("", "", MARKS + CHINESE_MARKS + "".join(chr(code) for each in ZERO_WIDTH for code in each))
_FUNCTION_WORDS = frozenset(FUNCTION_WORDS.split())
_HAN = "[〇々㐀-䶿一-鿿豈-﫿\U00020000-\U0003ffff]"
_BLANKS_IN_CHINESE = re.compile(rf"(?<={_HAN})\s+(?={_HAN})")
_RUN = re.compile(rf"({_HAN}+)|(?:(?!{_HAN})\S)+")


@dataclass(eq=False)
class CrcShingleEngine(ChapterEngine):
    """Finds chapters that share more than `above_share` of a shingle with the page for each word of the longer text.

    words: the number of words in a shingle. similarity: distinct shared shingles / words of the longer text.
    """

    words: int = 3
    above_share: float = 0.10
    _index: FeatureIndex = field(init=False, repr=False, default_factory=FeatureIndex)
    _word_counts: list[int] = field(init=False, repr=False, default_factory=list)

    def _add_chapter(self, work_id: str, text: str) -> None:
        words = canonical_words(text)
        features = _shingle_features(words, self.words)
        if features.size:
            self._owners.add_chapter(work_id)
            self._index.add_features(features)
            self._word_counts.append(len(words))

    def _find_chapter(self, text: str) -> Iterator[EngineMatch]:
        words = canonical_words(text)
        chapters, shared = self._index.count_shared(_shingle_features(words, self.words))
        shares = shared / np.maximum(len(words), np.array(self._word_counts, np.int64)[chapters])
        is_similar = shares > self.above_share
        return self._owners.works(zip(chapters[is_similar].tolist(), shares[is_similar].tolist(), strict=True))


def canonical_words(text: str) -> list[str]:
    """Return the words of a text in order, in the form in which they are compared.

    >>> canonical_words("Приходите в зал “Огонек” — 天地玄，黄！")
    ['приходите', 'зал', 'огонек', '天地', '地玄', '玄黄']
    """
    return list(_text_words(unicodedata.normalize("NFKC", text).lower().translate(_REMOVED)))


def crc_shingles(words: Sequence[str], size: int = 3) -> NDArray[np.uint32]:
    """Return the CRC-32 of every `size` consecutive words, joined by blanks, uint32[n]; empty if there are fewer words.

    >>> crc_shingles("a rose is a rose".split()).size, crc_shingles(["rose"]).size
    (3, 0)
    """
    runs = (" ".join(words[first : first + size]) for first in range(len(words) - size + 1))
    return np.fromiter((zlib.crc32(run.encode("utf-8", "surrogatepass")) for run in runs), np.uint32)


def _text_words(text: str) -> Iterator[str]:
    for run in _RUN.finditer(_BLANKS_IN_CHINESE.sub("", text)):
        word, chinese = run.group(), run.group(1)
        if chinese:
            yield from (word[first : first + 2] for first in range(max(1, len(word) - 1)))
        elif word not in _FUNCTION_WORDS:
            yield word


def _shingle_features(words: Sequence[str], size: int) -> NDArray[np.uint64]:
    checksums = np.unique(crc_shingles(words, size)).astype(np.uint64)
    return checksums << np.uint64(CRC_BITS)  # the index needs varied leading bits


ENTRIES = (
    chapter_entry(
        "crc-shingles",
        CrcShingleEngine,
        Message("engine.crc-32-of-runs-of-3-words-equal-ones-by"),
        "Zelenkov, Segalovich, RCDL 2007",
        (
            Message("engine.the-source-describes-the-parent-of-the"),
            Message("engine.a-word-of-chinese-is-two-neighbouring-2"),
            Message("engine.full-width-letters-count-as-ordinary-ones"),
            Message("engine.a-shingle-that-occurs-several-times"),
            Message("engine.the-first-published-example-gives-25-the"),
        ),
        {
            "words": Message("engine.words-of-a-shingle"),
            "above_share": Message("engine.the-same-story-above-this-share-equal"),
        },
    ),
)
