"""Moves hits of frequency windows to positions from which page and work agree.

A hit of two windows means that n tokens of the page and n of a work have the same letters, in the precision of the
rule. It says nothing about their order, and the windows may be out of phase by some tokens. Extension begins at hits
that agree token by token, so each hit of windows is moved to where the two windows agree most, or is dropped.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.stream import WILDCARD
from matcher.corpus import Hits, TokenStreams

Tokens = NDArray[np.uint16]
Numbers = NDArray[np.int32]


def align_window_hits(page: Tokens, streams: TokenStreams, hits: Hits, widths: Numbers, gram_tokens: int) -> Hits:
    """Return hits that agree in `gram_tokens` tokens from their positions on. Hits of anchors (width 0) are unchanged.

    page: uint16[n]; hits: with texts numbered as in `streams`; widths: int32[h], the tokens of both windows, at most
    64. The common runs of `gram_tokens` tokens, none with a wildcard, are counted by diagonal. A hit moves to the first
    run on the diagonal with most runs; of equal ones, on the one that reaches its number first. It is dropped if there
    is no run. Of runs that the page's window repeats, only the first is counted. Time grows with the product of the
    widths.
    """
    return Hits(*_align_hits(page, streams, hits, widths, gram_tokens)) if widths.any() else hits


@kernel()
def _align_hits(page: Tokens, works: TokenStreams, hits: Hits, widths: Numbers, gram: int) -> Hits:
    kept = Hits(np.empty_like(hits.texts), np.empty_like(hits.pages), np.empty_like(hits.works))
    counts, firsts = np.empty(2 * widths.max() + 1, np.int32), np.empty(2 * widths.max() + 1, np.int32)
    count = 0
    for hit in range(hits.texts.size):
        text, page_index, work_index = hits.texts[hit], as_int(hits.pages[hit]), as_int(hits.works[hit])
        width = as_int(widths[hit])
        if width:
            start = works.starts[text] + work_index
            in_work = works.tokens[start : max(start, min(start + width, works.ends[text]))]
            shift = _find_best_position(page[page_index : page_index + width], in_work, gram, counts, firsts)
            if shift[0] < 0:
                continue
            page_index, work_index = page_index + shift[0], work_index + shift[1]
        kept.texts[count], kept.pages[count], kept.works[count] = text, page_index, work_index
        count += 1
    return Hits(kept.texts[:count], kept.pages[:count], kept.works[:count])


@kernel(allocates=False)
def _find_best_position(page: Tokens, work: Tokens, gram: int, counts: Numbers, firsts: Numbers) -> tuple[int, int]:
    """Return the first position at which two windows agree on the fullest diagonal, in tokens from their starts.

    counts, firsts: working memory by diagonal, the most negative first, for the number of runs and the position of the
    first run in the page's window. Returns (-1, -1) if there are no common runs.
    """
    counts[: page.size + work.size] = 0
    best, fullest = 0, -1
    for work_index in range(work.size - gram + 1):
        first = _find_run(page, work, work_index, gram)
        if first >= 0:
            diagonal = work_index - first + page.size
            if not counts[diagonal]:
                firsts[diagonal] = first
            counts[diagonal] += 1
            if counts[diagonal] > best:
                best, fullest = as_int(counts[diagonal]), diagonal
    if fullest < 0:
        return -1, -1
    return as_int(firsts[fullest]), firsts[fullest] + fullest - page.size


@kernel(allocates=False)
def _find_run(page: Tokens, work: Tokens, work_index: int, gram: int) -> int:
    """Return the first position in the page's window of the run that starts at a work token, or -1 if there is none."""
    for first in range(page.size - gram + 1):
        step = 0
        while step < gram and page[first + step] == work[work_index + step] and work[work_index + step] != WILDCARD:
            step += 1
        if step == gram:
            return first
    return -1
