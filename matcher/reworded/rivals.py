"""The other places of the works that a block has words in common with.

What they say alike as well is how such things are told: news by formulas, the heroes of a novel in each of its
chapters. It counts against the place that says it best.
"""

from collections.abc import Iterator, Sequence

from matcher.reworded.chunks import FoundChunk, shared_pairs
from matcher.reworded.stretches import MARGIN_CHARS, Texts

# As long as a chunk with what is read around it: closer places of one text have sentences in common.
NEAR_CHARS = 1_000
# Of the pairs of characters of a stretch; from here on another is the same text once more, an edition or a quotation.
# Of 600 characters of 12 works with two editions .87 to 1.0 are in the other, .03 to .11 in the best stretch of one
# that has not the place (shared corpora, 28 November 2026).
SAME_TEXT_SHARE = 0.5


def beside(chunk: FoundChunk, found: Sequence[FoundChunk], texts: Texts) -> Iterator[FoundChunk]:
    """Of what a block was found in, all but that chunk, what lies near it, and what has its wording."""
    own = _text(chunk, texts, 0)
    for other in found:
        is_elsewhere = other.text_id != chunk.text_id or abs(other.start - chunk.start) >= NEAR_CHARS
        if is_elsewhere and shared_pairs(own, _text(other, texts, MARGIN_CHARS)) < SAME_TEXT_SHARE:
            yield other


def _text(chunk: FoundChunk, texts: Texts, margin: int) -> str:
    text = texts.text(chunk.text_id) or ""
    return text[max(0, chunk.start - margin) : chunk.end + margin]
