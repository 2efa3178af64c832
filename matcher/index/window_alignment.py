"""Turns hits of frequency windows into places that agree.

A hit of two windows means that n tokens of the page and n of a work have the same letters, in the precision of the
rule. It says nothing about their order, and the windows may be out of phase by some tokens. Extension begins at hits
that agree token by token. Each hit of windows is therefore moved to the place where both agree most, or dropped.
"""

import numpy as np
from numpy.typing import NDArray

from fingerprint.compilation import as_int, kernel
from fingerprint.stream import WILDCARD
from matcher.corpus import Hits, TokenStreams

Tokens = NDArray[np.uint16]
Numbers = NDArray[np.int32]


def align_window_hits(page: Tokens, streams: TokenStreams, hits: Hits, widths: Numbers, gram_tokens: int) -> Hits:
    """Return hits that agree in `gram_tokens` tokens from their positions on; hits of anchors (width 0) are unchanged.

    page: uint16[n]; hits: texts numbered as in `streams`; widths: int32[h], tokens of both windows. The runs of
    `gram_tokens` tokens that two windows share are counted by diagonal. The hit moves to the first run on the fullest
    diagonal (of equal ones, the one that is full first), and is dropped if there is none. Of runs that the page's
    window repeats, the first counts; none has a wildcard. Takes the product of the widths, of at most 64 tokens each.
    """
    return Hits(*_align_hits(page, streams, hits, widths, gram_tokens)) if widths.any() else hits


@kernel()
def _align_hits(page: Tokens, works: TokenStreams, hits: Hits, widths: Numbers, gram: int) -> Hits:
    kept = Hits(np.empty_like(hits.texts), np.empty_like(hits.pages), np.empty_like(hits.works))
    counts, firsts = np.empty(2 * widths.max() + 1, np.int32), np.empty(2 * widths.max() + 1, np.int32)
    count = 0
    for hit in range(hits.texts.size):
        text, page_at, work_at = hits.texts[hit], as_int(hits.pages[hit]), as_int(hits.works[hit])
        width = as_int(widths[hit])
        if width:
            start = works.starts[text] + work_at
            in_work = works.tokens[start : max(start, min(start + width, works.ends[text]))]
            moved = _find_place(page[page_at : page_at + width], in_work, gram, counts, firsts)
            if moved[0] < 0:
                continue
            page_at, work_at = page_at + moved[0], work_at + moved[1]
        kept.texts[count], kept.pages[count], kept.works[count] = text, page_at, work_at
        count += 1
    return Hits(kept.texts[:count], kept.pages[:count], kept.works[:count])


@kernel(allocates=False)
def _find_place(page: Tokens, work: Tokens, gram: int, counts: Numbers, firsts: Numbers) -> tuple[int, int]:
    """Return the first place at which two windows agree on the fullest diagonal, in tokens from their starts.

    counts, firsts: memory for the runs of each diagonal, the most negative first: their number, and the place of the
    first in the page's window. Returns -1, -1 if there is none.
    """
    counts[: page.size + work.size] = 0
    best, fullest = 0, -1
    for at in range(work.size - gram + 1):
        first = _find_run(page, work, at, gram)
        if first >= 0:
            diagonal = at - first + page.size
            if not counts[diagonal]:
                firsts[diagonal] = first
            counts[diagonal] += 1
            if counts[diagonal] > best:
                best, fullest = as_int(counts[diagonal]), diagonal
    if fullest < 0:
        return -1, -1
    return as_int(firsts[fullest]), firsts[fullest] + fullest - page.size


@kernel(allocates=False)
def _find_run(page: Tokens, work: Tokens, at: int, gram: int) -> int:
    """Return the first place of the page's window with the run at a place of the work; -1 if there is none."""
    for first in range(page.size - gram + 1):
        step = 0
        while step < gram and page[first + step] == work[at + step] and work[at + step] != WILDCARD:
            step += 1
        if step == gram:
            return first
    return -1
