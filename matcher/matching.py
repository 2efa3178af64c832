"""Matches pages: looks up seeds, extends hits, resolves overlaps, and judges the passages (matcher.judging)."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from core.ids import WorkTextId
from core.matches import Match
from fingerprint.fingerprinting import Fingerprint
from matcher.align.extension import find_segments
from matcher.align.overlaps import resolve_overlaps
from matcher.align.segments import TEXT
from matcher.align.tokenized_text import TokenizedPage
from matcher.calibration import DEFAULT, Calibration
from matcher.corpus import Corpus, TokenCache
from matcher.index.lookups import PageHits, find_hits
from matcher.index.ports import MatchIndex
from matcher.index.postings import require_same_algorithm
from matcher.judge.classification import without_texts
from matcher.judging import AlignedPage, Judge
from matcher.reading_order import ReadingOrder

# Pages looked up at once; whichever limit is reached first. 8 pages take .94 of the time of single pages, 32 .9, 128
# the same.
MAX_PAGES_AT_ONCE, MAX_TOKENS_AT_ONCE = 32, 1 << 18


class ComparableWorks(Protocol):
    """Returns the work of each text that may be compared."""

    def __call__(self, texts: Collection[WorkTextId], /) -> Mapping[WorkTextId, Hashable]: ...


class PageToMatch(NamedTuple):
    """A page to match.

    sources: called once, with all texts that share more than a few tokens with the page. Texts missing from its result
    are neither compared nor named. By default all texts are compared, each as a work of its own.
    """

    text: str
    fingerprint: Fingerprint
    sources: ComparableWorks | None = None


class Matcher:
    """Finds the passages that pages copied from the texts of an index. For one thread at a time."""

    def __init__(self, index: MatchIndex, corpus: Corpus, calibration: Calibration = DEFAULT) -> None:
        self._index = index
        self._calibration = calibration
        self._streams = TokenCache(corpus, calibration.max_cached_tokens)
        self._judge = Judge(corpus, index.algorithm_id, calibration)
        self._index_postings = 0  # as of the last look-up; the cap grows with it

    def match(self, text: str, fingerprint: Fingerprint, sources: ComparableWorks | None = None) -> tuple[Match, ...]:
        """Return the matches of one page. See `match_pages`."""
        return next(self.match_pages([PageToMatch(text, fingerprint, sources)]))

    def match_pages(self, pages: Iterable[PageToMatch]) -> Iterator[tuple[Match, ...]]:
        """Yield the matches of each page, the text with the most matched tokens first.

        Several pages are looked up at once, in the current state of the index. Raises IndexStale, ServiceUnavailable,
        and AlgorithmMismatch if a page or a work of the corpus was fingerprinted by another algorithm.
        """
        for batch in _page_batches(pages):
            for page in batch:
                require_same_algorithm(page.fingerprint, self._index.algorithm_id)
            if not self._index_postings:
                self._index_postings = self._index.state().postings
            cap = self._calibration.cap(self._index_postings)
            fingerprints = [page.fingerprint for page in batch]
            page_hits, self._index_postings = find_hits(
                self._index, self._streams, fingerprints, cap, self._calibration
            )
            for page, hits in zip(batch, page_hits, strict=True):
                yield self._page_matches(page, hits)

    def _page_matches(self, page_to_match: PageToMatch, hits: PageHits) -> tuple[Match, ...]:
        if not hits.places.texts.size:
            return ()
        written = ReadingOrder.from_fingerprint(page_to_match.text, page_to_match.fingerprint)
        page = TokenizedPage.from_fingerprint(written.text, written.fingerprint)
        tokens = page_to_match.fingerprint.tokens
        page_segments = find_segments(tokens, page.near, hits.streams, hits.places, self._calibration)
        text_ids = {number: hits.text_id(number) for number in sorted(set(page_segments.segments[:, TEXT].tolist()))}
        if not text_ids:
            return ()
        work_of = (page_to_match.sources or _map_to_itself)(frozenset(text_ids.values()))
        excluded = [number for number, text_id in text_ids.items() if text_id not in work_of]
        if len(excluded) == len(text_ids):
            return ()
        segments, phrases = page_segments.segments, page_segments.phrases
        if excluded:
            segments, phrases = segments[~np.isin(segments[:, TEXT], excluded)], without_texts(phrases, excluded)
        resolved = resolve_overlaps(segments, text_ids, tokens.size, self._calibration)
        aligned = AlignedPage(page, written, text_ids, resolved, phrases, hits.capped, self._index_postings)
        return self._judge.matches(aligned, work_of)


def _page_batches(pages: Iterable[PageToMatch]) -> Iterator[Sequence[PageToMatch]]:
    batch: list[PageToMatch] = []
    tokens = 0
    for page in pages:
        batch.append(page)
        tokens += page.fingerprint.tokens.size
        if len(batch) == MAX_PAGES_AT_ONCE or tokens >= MAX_TOKENS_AT_ONCE:
            yield batch
            batch, tokens = [], 0
    if batch:
        yield batch


def _map_to_itself(texts: Collection[WorkTextId]) -> Mapping[WorkTextId, Hashable]:
    return {text_id: text_id for text_id in texts}
