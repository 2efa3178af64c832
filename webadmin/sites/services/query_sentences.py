"""Chooses the sentences of a text to search for, which are prose that is rare in the corpus."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fingerprint.algorithms import Algorithm
from fingerprint.fingerprinting import fingerprint_text
from matcher.index.ports import MatchIndex

# Search engines accept phrases of about 32 Chinese characters and queries of at most 38 (Bing and Baidu, November
# 2026). A sentence of fewer than 20 common characters may occur elsewhere by chance.
MIN_CHARS, MAX_CHARS = 20, 38
MIN_DISTINCT_SHARE = 0.6  # the share of distinct characters; refrains and onomatopoeia have fewer
MAX_POSTINGS = 1_000  # A more frequent seed is a stock phrase; only the counts are used.
_SENTENCE = re.compile(r"[^。！？!?…\n]+")
_CLAUSE = re.compile(r"[，,；;、]")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002ffff]")
# Speech and its tags are formulaic; search engines and copiers change digits, letters and brackets.
_UNFIT = re.compile(
    r"[0-9０-９A-Za-zＡ-Ｚａ-ｚ“”\"「」『』《》〈〉（）()【】\[\]：:·—~～*=|/\\<>&]|[说說问問笑答喊叫骂罵]道|第.{1,6}[章回节節卷]"
)


@dataclass(frozen=True, slots=True)
class QuerySentence:
    """A sentence. commonest, mean: the largest and mean number of occurrences of its seeds in the index."""

    text: str
    commonest: int
    mean: float


def distinctive_sentences(
    text: str, index: MatchIndex, algorithm: Algorithm, wanted: int, asked: Collection[str] = ()
) -> list[QuerySentence]:
    """Return at most `wanted` suitable sentences of `text` that are not in `asked`, the rarest first.

    algorithm: the fingerprint algorithm of the index. Raises IndexStale if the index is empty.
    """
    candidates = [(start, found) for start, found in _candidate_sentences(text) if found not in asked]
    if not candidates:
        return []
    print_of = fingerprint_text(text, algorithm)
    if not print_of.hashes.size:
        return []
    hashes, places = np.unique(print_of.hashes, return_inverse=True)
    counts = index.lookup(hashes, MAX_POSTINGS).counts[places]
    positions = print_of.offsets[print_of.anchors].astype(np.int64)
    order = np.argsort(positions, kind="stable")
    rated = _rate_sentences(candidates, positions[order], counts[order])
    return sorted(rated, key=lambda one: (one.commonest, one.mean, -len(set(one.text)), one.text))[:wanted]


def _rate_sentences(
    candidates: Sequence[tuple[int, str]], positions: NDArray[np.int64], counts: NDArray[np.int32]
) -> Iterator[QuerySentence]:
    """Yield the candidate sentences that contain a seed, with the counts of their seeds.

    candidates: offsets and sentences. positions, counts: the offset and the count of each seed, in ascending order.
    """
    for start, found in candidates:
        first, last = np.searchsorted(positions, [start, start + len(found)])
        own = counts[first:last]
        if own.size:
            yield QuerySentence(found, int(own.max()), float(own.mean()))


def _candidate_sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the distinct suitable sentences of a text with their offsets. Long sentences are cut after a clause."""
    seen: set[str] = set()
    for match in _SENTENCE.finditer(text):
        start, found = _cut_sentence(match.start(), match[0])
        if found and found not in seen and _is_suitable(found):
            seen.add(found)
            yield start, found


def _cut_sentence(start: int, sentence: str) -> tuple[int, str]:
    bare = sentence.strip(" \t\r\u3000，,；;、")
    start += sentence.index(bare) if bare else 0
    if len(bare) <= MAX_CHARS:
        return start, bare
    ends = [match.start() for match in _CLAUSE.finditer(bare) if MIN_CHARS <= match.start() <= MAX_CHARS]
    return start, bare[: ends[-1]] if ends else ""


def _is_suitable(sentence: str) -> bool:
    han = _HAN.findall(sentence)
    is_prose = len(han) >= MIN_CHARS and not _UNFIT.search(sentence)
    return is_prose and len(set(han)) >= MIN_DISTINCT_SHARE * len(han)
