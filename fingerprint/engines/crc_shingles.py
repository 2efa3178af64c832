"""Shingles of three words as CRC-32 checksums: how many a page and a chapter share, by the words of the longer one.

Source: the shingle test that forums and shops for texts use, of which two worked examples are known (25 %, and 13.04 %
where by its own rules it would be 17.39 %). Its rules, to the letter: lower case; marks and function words are removed;
a word is what stands between blanks; a shingle is the CRC-32 of words joined by one blank.
"""

import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from core.words import Words
from fingerprint.characters import ZERO_WIDTH
from fingerprint.engines.chapters import CHAPTER_CHARS, ChapterEngine, chapter_entry
from fingerprint.engines.engine import Found
from fingerprint.engines.feature_index import FeatureIndex

CRC_BITS = 32
MARKS = ',.!?()-—:;"“”„‘’'  # published
# Those of Chinese that are none of the published ones in full width.
CHINESE_MARKS = "。、《》〈〉「」『』【】〔〕〖〗·~"
FUNCTION_WORDS = "это как так в на над к ко до за то с со для о ну же ж что он она б бы ли и у"  # published
_REMOVED = str.maketrans("", "", MARKS + CHINESE_MARKS + "".join(chr(code) for each in ZERO_WIDTH for code in each))
_FUNCTION_WORDS = frozenset(FUNCTION_WORDS.split())
_HAN = "[〇々㐀-䶿一-鿿豈-﫿\U00020000-\U0003ffff]"
_BLANKS_IN_CHINESE = re.compile(rf"(?<={_HAN})\s+(?={_HAN})")
_RUN = re.compile(rf"({_HAN}+)|(?:(?!{_HAN})\S)+")


class CrcShingleEngine(ChapterEngine):
    """The same story where page and chapter share more than `above_share` of a shingle for each word of the longer one.

    words: the length of a shingle. similarity: shared shingles, each counted once, / words of the longer text.
    """

    def __init__(self, words: int = 3, above_share: float = 0.10, chapter_chars: int = CHAPTER_CHARS) -> None:
        super().__init__(chapter_chars)
        self._words, self._above_share = words, above_share
        self._index = FeatureIndex()
        self._word_counts: list[int] = []

    def _add_chapter(self, work_id: str, text: str) -> None:
        words = canonical_words(text)
        features = _features(words, self._words)
        if features.size:
            self._owners.add(work_id)
            self._index.add(features)
            self._word_counts.append(len(words))

    def _find_chapter(self, text: str) -> Iterator[Found]:
        words = canonical_words(text)
        chapters, shared = self._index.count_shared(_features(words, self._words))
        shares = shared / np.maximum(len(words), np.array(self._word_counts, np.int64)[chapters])
        same = shares > self._above_share
        return self._owners.works(zip(chapters[same].tolist(), shares[same].tolist(), strict=True))


def canonical_words(text: str) -> list[str]:
    """The words of a text, in order, as they are compared.

    >>> canonical_words("Приходите в зал “Огонек” — 天地玄，黄！")
    ['приходите', 'зал', 'огонек', '天地', '地玄', '玄黄']
    """
    return list(_words(unicodedata.normalize("NFKC", text).lower().translate(_REMOVED)))


def crc_shingles(words: Sequence[str], size: int = 3) -> NDArray[np.uint32]:
    """uint32[n - size + 1]: the CRC-32 of every `size` words in a row, joined by blanks; empty where there are fewer.

    >>> crc_shingles("a rose is a rose".split()).size, crc_shingles(["rose"]).size
    (3, 0)
    """
    runs = (" ".join(words[first : first + size]) for first in range(len(words) - size + 1))
    return np.fromiter((zlib.crc32(run.encode("utf-8", "surrogatepass")) for run in runs), np.uint32)


def _words(text: str) -> Iterator[str]:
    for run in _RUN.finditer(_BLANKS_IN_CHINESE.sub("", text)):
        word, chinese = run.group(), run.group(1)
        if chinese:
            yield from (word[first : first + 2] for first in range(max(1, len(word) - 1)))
        elif word not in _FUNCTION_WORDS:
            yield word


def _features(words: Sequence[str], size: int) -> NDArray[np.uint64]:
    checksums = np.unique(crc_shingles(words, size)).astype(np.uint64)
    return checksums << np.uint64(CRC_BITS)  # the index wants its leading bits to differ


ENTRIES = (
    chapter_entry(
        "crc-shingles",
        CrcShingleEngine,
        Words(
            "CRC-32 of runs of 3 words; equal ones by the words of the longer text, more than 10 %",
            "3 个词的连续片段的 CRC-32，相同片段数与较长文本词数之比超过 10%",
        ),
        "Zelenkov, Segalovich, RCDL 2007",
        (
            Words(
                "The source describes the parent of the method; its rules are those of the shingle test of web forums, "
                "which are known by two worked examples.",
                "来源描述的是该方法的前身；规则取自网络论坛所用的片段检测，有两个公开的例子。",
            ),
            Words(
                "A word of Chinese is two neighbouring characters, whatever marks or blanks stand between them; the "
                "source knows texts with blanks between words alone.",
                "中文以相邻两字为一个词，字间的标点和空白不计；原文只处理以空格分词的文本。",
            ),
            Words(
                "Full-width letters count as ordinary ones (NFKC), and Chinese marks and zero-width characters are "
                "removed like the published marks. Function words are the published Russian ones: none of Chinese.",
                "全角字母按半角计（NFKC），中文标点与零宽字符同原文所列标点一样去除。虚词只用原文的俄语词表，中文不去虚词。",
            ),
            Words(
                "A shingle that occurs several times counts once; the examples have none.",
                "重复出现的片段只计一次；原文例子中没有这种情况。",
            ),
            Words(
                "The first published example gives 25 %. The second gives 17.39 % (4 of 23) as its rules say; 13.04 % "
                "(3 of 23) is printed, because the capital of the text's first word was kept there.",
                "原文第一例得 25%。第二例按其规则得 17.39%（23 分之 4）；原文印作 13.04%（23 分之 3），"
                "因为那里没有把首词的大写字母转为小写。",
            ),
        ),
        {
            "words": Words("words of a shingle", "每个片段的词数"),
            "above_share": Words(
                "the same story above this share: equal shingles / words of the longer text",
                "高于此比例即为同一文章：相同片段数 / 较长文本的词数",
            ),
        },
    ),
)
