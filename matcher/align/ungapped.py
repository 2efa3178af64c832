"""Extension along one diagonal, without gaps: cheap enough for every hit, and most hits end here."""

from typing import NamedTuple

from fingerprint.compilation import kernel
from matcher.align.token_agreement import Bounds, NearTokens, Position, Tokens, slide


class DiagonalRun(NamedTuple):
    """The best stretch of a diagonal around a hit: its score, and tokens before and from the hit on."""

    score: int
    back: int
    ahead: int


@kernel(allocates=False)
def extend_ungapped(  # noqa: PLR0917 - kernels take no keywords
    page: Tokens, near: NearTokens, work: Tokens, hit: Position, bounds: Bounds, drop: int
) -> DiagonalRun:
    """The best run through a hit; a side is given up where its score falls more than `drop` below its best."""
    limit = min(page.size - hit.page, bounds.end - hit.work)
    score, ahead = _best_run(page, near, work, hit, 1, limit, drop)
    behind = Position(hit.page - 1, hit.work - 1)
    score_back, back = _best_run(page, near, work, behind, -1, min(hit.page, hit.work - bounds.start), drop)
    return DiagonalRun(score + score_back, back, ahead)


@kernel(allocates=False)
def _best_run(  # noqa: PLR0917
    page: Tokens, near: NearTokens, work: Tokens, origin: Position, direction: int, limit: int, drop: int
) -> tuple[int, int]:
    """Best score of one side, and its tokens."""
    score, best, reached, step = 0, 0, 0, 0
    rows, masks = near
    while step < limit:
        here, there = origin.page + step * direction, origin.work + step * direction
        run = slide(page, rows, masks, work, here, there, direction, limit - step)
        score += run.readable
        if score > best:
            best, reached = score, step + run.firm
        step += run.length
        score, step = score - 1, step + 1
        if score < best - drop:
            break
    return best, reached
