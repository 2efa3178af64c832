"""Which stretches of works a block of a page is worth comparing with: few blocks have any."""

from collections.abc import Sequence
from typing import NamedTuple

from matcher.reworded.chunks import FoundChunk

TENTH = 9


class Candidate(NamedTuple):
    """A chunk that a block is compared with. standing_out: how many times the score of the tenth best it has."""

    chunk: FoundChunk
    standing_out: float


def standing_out(found: Sequence[FoundChunk], min_ratio: float, most: int) -> list[Candidate]:
    """Of chunks by score those with at least min_ratio times the tenth's, `most` at the most.

    With less than ten there is no telling: the first are taken, and said to stand out by that ratio and no more.
    """
    if len(found) <= TENTH:
        return [Candidate(chunk, min_ratio) for chunk in found[:most]]
    several = (Candidate(chunk, chunk.score / found[TENTH].score) for chunk in found[:most])
    return [candidate for candidate in several if candidate.standing_out >= min_ratio]
