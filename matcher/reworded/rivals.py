"""The other places of the works that a block has words in common with.

What they say alike as well is how such things are told: news by formulas, the heroes of a novel in each of its
chapters. It counts against the place that says it best.
"""

from collections.abc import Iterator, Sequence

from matcher.reworded.alignment import Alignment
from matcher.reworded.chunks import FoundChunk, shared_pairs
from matcher.reworded.stretches import Texts

# As long as a chunk with what is read around it: closer places of one text have sentences in common.
NEAR_CHARS = 1_000
# Of the pairs of characters of a stretch; with so many of them around the place itself it is that place once more, in
# another edition or as a quotation. Of 600 characters of 12 works with two editions .87 to 1.0 are in the other, .03 to
# .11 in the best stretch of one that has not the place (shared corpora, 28 November 2026).
SAME_TEXT_SHARE = 0.5


def beside(chunk: FoundChunk, found: Sequence[FoundChunk], texts: Texts) -> Iterator[FoundChunk]:
    """Of what a block was found in, all but what lies near that chunk, and what has the wording that lies there."""
    around = _text(chunk, texts, NEAR_CHARS)
    for other in found:
        if other.text_id == chunk.text_id:
            is_elsewhere = abs(other.start - chunk.start) >= NEAR_CHARS
        else:
            text = _text(other, texts, 0)
            is_elsewhere = bool(text) and shared_pairs(text, around) < SAME_TEXT_SHARE
        if is_elsewhere:
            yield other


def said_alike(own: Alignment, rival: Alignment) -> float:
    """Of a rival's score what rests on sentences of the page that have a counterpart in the place itself.

    Of each sentence no more than the place itself has of it: a page that goes on in the next chapter, or in another
    work, says other sentences there.
    """
    strengths = {pair.page: pair.strength for pair in own.pairs}
    whole = sum(pair.strength for pair in rival.pairs)
    both = sum(min(pair.strength, strengths.get(pair.page, 0.0)) for pair in rival.pairs)
    return round(rival.score * both / whole, 4) if whole else 0.0


def _text(chunk: FoundChunk, texts: Texts, margin: int) -> str:
    text = texts.text(chunk.text_id) or ""
    return text[max(0, chunk.start - margin) : chunk.end + margin]
