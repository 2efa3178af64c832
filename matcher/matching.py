"""Matches pages: looks up, extends, resolves overlaps, then chains, compares and judges (matcher.judging)."""

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
    """Selects the texts that may be compared, each with its work."""

    def __call__(self, texts: Collection[WorkTextId], /) -> Mapping[WorkTextId, Hashable]: ...


class GivenPage(NamedTuple):
    """A page to match.

    sources: called once with all texts of which the page has more than a few tokens; texts missing from the result are
    neither compared nor named. Without it, each text counts as its own work when a patchwork is detected.
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
        """Return the matches of one page: see `match_pages`."""
        return next(self.match_pages([GivenPage(text, fingerprint, sources)]))

    def match_pages(self, pages: Iterable[GivenPage]) -> Iterator[tuple[Match, ...]]:
        """Yield for each page the texts that it copied from, the text with most tokens first; empty if there are none.

        Looks up several pages at once, in the index of that moment. Raises IndexStale, ServiceUnavailable, and
        AlgorithmMismatch if the fingerprint of a page or of a work in the corpus has another algorithm.
        """
        for batch in _page_batches(pages):
            for page in batch:
                require_same_algorithm(page.fingerprint, self._index.algorithm_id)
            if not self._index_postings:
                self._index_postings = self._index.state().postings
            cap = self._calibration.cap(self._index_postings)
            fingerprints = [page.fingerprint for page in batch]
            found, self._index_postings = find_hits(self._index, self._streams, fingerprints, cap, self._calibration)
            for page, hits in zip(batch, found, strict=True):
                yield self._page_matches(page, hits)

    def _page_matches(self, given: GivenPage, hits: PageHits) -> tuple[Match, ...]:
        if not hits.places.texts.size:
            return ()
        written = ReadingOrder.from_fingerprint(given.text, given.fingerprint)
        page = TokenizedPage.from_fingerprint(written.text, written.fingerprint)
        tokens = given.fingerprint.tokens
        found = find_segments(tokens, page.near, hits.streams, hits.places, self._calibration)
        text_ids = {number: hits.text_id(number) for number in sorted(set(found.segments[:, TEXT].tolist()))}
        if not text_ids:
            return ()
        work_of = (given.sources or _map_to_itself)(frozenset(text_ids.values()))
        closed = [number for number, text_id in text_ids.items() if text_id not in work_of]
        if len(closed) == len(text_ids):
            return ()
        segments, phrases = found.segments, found.phrases
        if closed:
            segments, phrases = segments[~np.isin(segments[:, TEXT], closed)], without_texts(phrases, closed)
        resolved = resolve_overlaps(segments, text_ids, tokens.size, self._calibration)
        aligned = AlignedPage(page, written, text_ids, resolved, phrases, hits.capped, self._index_postings)
        return self._judge.matches(aligned, work_of)


def _page_batches(pages: Iterable[GivenPage]) -> Iterator[Sequence[GivenPage]]:
    batch: list[GivenPage] = []
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
