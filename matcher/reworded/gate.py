"""Which stretches of works a block of a page is worth comparing with: few blocks have any."""

from collections.abc import Sequence

from matcher.reworded.chunks import FoundChunk

TENTH = 9


def standing_out(found: Sequence[FoundChunk], min_ratio: float, most: int) -> list[FoundChunk]:
    """Of chunks by score those with at least min_ratio times the tenth's, `most` at the most.

    With less than ten there is no telling: the first are taken.
    """
    least = min_ratio * found[TENTH].score if len(found) > TENTH else 0.0
    return [chunk for chunk in found[:most] if chunk.score >= least]
