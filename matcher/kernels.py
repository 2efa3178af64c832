"""The loops of the matcher, compiled; numba keeps the machine code on disk.

Each function is also plain Python (`.py_func`), which is its definition; tests compare both with exhaustive alignment.
What calls each other stands in this one module: code kept on disk does not notice a change in another.
Tokens are uint16 streams. `near` says what else a token of the page may stand for: rows int32[page tokens] into masks
uint64[R, W], where bit t of a row says that token t may.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

WILDCARD = 0xFFFF  # fingerprint.normalization.WILDCARD; numba needs a constant of this module
DEAD = -(1 << 28)
# Diagonals that one wave may hold, a power of two; the drop of 16 keeps at most 33 alive.
WIDTH = 128
# Edits after which an extension settles its way so far, so that memory stays bounded on texts of any length.
MAX_WAVES = 1024
MISMATCH, PAGE_ONLY, WORK_ONLY = 0, 1, 2
BLOCK_BITS = 8  # segments are looked for by blocks of 256 page tokens
UNPAIRED = -1
# A segment may wander off its straight line by 1 in 16 of its length: twenty times what 5 % of random cuts make of it.
STRAIGHTNESS = 16
LONG_TOKENS, FAITHFUL_SHARE = 2_000, 0.8  # a chapter, as lightly edited as anything that X-drop goes through
# A page gap and a work gap of like size between two segments are one passage rewritten; else something was put in or
# left out. 3: an advertisement is seldom less than three times as long as the tokens that alignment loses beside it.
MAX_RATIO_OF_REPLACED = 3
MAX_OVERLAP_TO_TRIM_TOKENS = 40
ONLY_PAGE, ONLY_WORK, REWRITTEN, ELSEWHERE = 0, 1, 2, 3

SEGMENT_COLUMNS = 10
NO_WAY = -1
MAX_WAYS_TOKENS = 1 << 26  # 256 MB, the memory that kept ways may take; a segment beyond it is walked again

Index = int | np.uint64
Tokens = NDArray[np.uint16]
Near = tuple[NDArray[np.int32], NDArray[np.uint64]]
Numbers = NDArray[np.int32]
Pairs = NDArray[np.int32]
Alone = NDArray[np.int32]
Waves = tuple[Numbers, Numbers, Numbers, Numbers, Numbers, NDArray[np.uint8]]


@njit(cache=True, inline="always")  # type: ignore[misc,unused-ignore]
def agree(page: Tokens, near: Near, work: Tokens, page_at: Index, work_at: Index) -> bool:
    """Whether two tokens may stand for one another; a wildcard may stand for everything."""
    here, there = np.uint64(page_at), np.uint64(work_at)  # numba asks of signed ones whether they count from the end
    ours, theirs = page[here], work[there]
    if ours == theirs or ours == WILDCARD or theirs == WILDCARD:  # noqa: PLR1714, SIM109 - compiled: no tuples
        return True
    rows, masks = near
    return bool((masks[np.uint64(rows[here]), np.uint64(theirs >> 6)] >> np.uint64(theirs & 63)) & np.uint64(1))


@njit(cache=True, inline="always")  # type: ignore[misc,unused-ignore]
def slide(  # noqa: PLR0917 - numba compiles no records; so everywhere here
    page: Tokens, near: Near, work: Tokens, page_at: int, work_at: int, direction: int, limit: int
) -> tuple[int, int, int]:
    """How many tokens agree from here on, up to `limit`; how many of them can be read; where the last of these ends."""
    length, readable, firm = 0, 0, 0
    while length < limit:
        here, there = np.uint64(page_at + length * direction), np.uint64(work_at + length * direction)
        if page[here] == work[there]:
            is_readable = page[here] != WILDCARD
        elif agree(page, near, work, here, there):
            is_readable = page[here] != WILDCARD and work[there] != WILDCARD
        else:
            break
        length += 1
        if is_readable:
            readable += 1
            firm = length
    return length, readable, firm


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def reach(  # noqa: C901, PLR0912, PLR0915, PLR0917 - one loop nest: numba would pay for calls inside it
    page: Tokens,
    near: Near,
    work: Tokens,
    origin: tuple[int, int],
    direction: int,
    bounds: tuple[int, int],
    limits: tuple[int, int, int],
    waves: Waves,
    partner: NDArray[np.int32],
    partner_base: tuple[int, int],
) -> tuple[int, int, int, int]:
    """Best alignment of what lies ahead of `origin` (page, work): score, tokens of page and work it takes, matches.

    A match +1, an edit -1, a wildcard 0. Furthest-reaching points by number of edits (Ukkonen 1985, Myers 1986): time
    grows with the edits, not with the length. limits: what falls more than the first below the best score is given up
    (greedy X-drop, Zhang et al. 2000), and what falls more than the second below the leader of the last wave; the third
    is how many diagonals beside that of the best score a wave may hold. bounds: the range of the text in `work`.
    partner: int32[page range], where not empty, gets the work position of every page token; partner_base is taken off
    both positions.
    """
    old_reached, old_matched, new_reached, new_matched, begins, operations = waves
    drop, lag, band = limits
    page_left = page.size - origin[0] if direction > 0 else origin[0] + 1
    work_left = bounds[1] - origin[1] if direction > 0 else origin[1] - bounds[0] + 1
    best, page_done, work_done, matches_done, edits_done = 0, 0, 0, 0, 0
    while page_done < page_left and work_done < work_left:
        page_at, work_at = origin[0] + page_done * direction, origin[1] + work_done * direction
        page_rest, work_rest = page_left - page_done, work_left - work_done
        length, readable, firm = slide(page, near, work, page_at, work_at, direction, min(page_rest, work_rest))
        old_reached[:] = DEAD
        new_reached[:] = DEAD
        old_reached[0], old_matched[0], begins[0, 0] = length, readable, 0
        settled_score = matches_done - edits_done
        top, top_wave, top_diagonal, top_reached = best, -1, 0, 0
        if settled_score + readable > top:
            top, top_wave, top_reached = settled_score + readable, 0, firm
        low, high, wave, last_score = 0, 0, 0, settled_score + readable
        while low <= high and wave < MAX_WAVES - 1:
            wave += 1
            least = max(top - drop, last_score - lag)
            new_low, new_high, leader_score = high + 2, low - 2, DEAD
            for diagonal in range(low - 1, high + 2):
                at = np.uint64(diagonal & (WIDTH - 1))
                above, below = np.uint64((diagonal + 1) & (WIDTH - 1)), np.uint64((diagonal - 1) & (WIDTH - 1))
                start, kept, operation = old_reached[at] + 1, old_matched[at], MISMATCH
                if start > page_rest or start + diagonal > work_rest:
                    start = DEAD
                other = old_reached[above] + 1
                if (other > start and other <= page_rest) or (other == start and old_matched[above] > kept):
                    start, kept, operation = other, old_matched[above], PAGE_ONLY
                other = old_reached[below]
                if (other > start and other + diagonal <= work_rest) or (other == start and old_matched[below] > kept):
                    start, kept, operation = other, old_matched[below], WORK_ONLY
                if start < 0:
                    new_reached[at] = DEAD
                    continue
                length, readable, firm = slide(
                    page,
                    near,
                    work,
                    page_at + start * direction,
                    work_at + (start + diagonal) * direction,
                    direction,
                    min(page_rest - start, work_rest - start - diagonal),
                )
                score = settled_score + kept + readable - wave
                if score < least:
                    new_reached[at] = DEAD
                    continue
                new_reached[at], new_matched[at] = start + length, kept + readable
                begins[wave, at], operations[wave, at] = start, operation
                new_low, new_high = min(new_low, diagonal), max(new_high, diagonal)
                if score > leader_score:
                    leader_score = score
                    if score > top:
                        top, top_wave, top_diagonal, top_reached = score, wave, diagonal, start + firm
                        least = max(least, top - drop)
            # What lies outside the range must read as dead in the wave after next.
            for diagonal in range(low - 2, new_low):
                new_reached[diagonal & (WIDTH - 1)] = DEAD
            for diagonal in range(new_high + 1, high + 3):
                new_reached[diagonal & (WIDTH - 1)] = DEAD
            low, high = max(new_low, top_diagonal - band), min(new_high, top_diagonal + band)
            for diagonal in range(new_low, low):
                new_reached[diagonal & (WIDTH - 1)] = DEAD
            for diagonal in range(high + 1, new_high + 1):
                new_reached[diagonal & (WIDTH - 1)] = DEAD
            last_score = leader_score
            old_reached, new_reached = new_reached, old_reached
            old_matched, new_matched = new_matched, old_matched
        if top_wave < 0:
            break
        if partner.size:
            end = top_wave, top_diagonal, top_reached
            _settle((page_at, work_at), direction, end, begins, operations, partner, partner_base)
        best, edits_done = top, edits_done + top_wave
        matches_done = best + edits_done
        page_done, work_done = page_done + top_reached, work_done + top_reached + top_diagonal
        if low > high:
            break
    return best, page_done, work_done, matches_done


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _settle(  # noqa: PLR0917
    origin: tuple[int, int],
    direction: int,
    end: tuple[int, int, int],
    begins: NDArray[np.int32],
    operations: NDArray[np.uint8],
    partner: NDArray[np.int32],
    partner_base: tuple[int, int],
) -> None:
    """Walk a way back and write down who stands for whom."""
    page_at, work_at = origin[0] - partner_base[0], origin[1] - partner_base[1]
    wave, diagonal, reached = end
    while True:
        at = diagonal & (WIDTH - 1)
        begin = begins[wave, at]
        operation = operations[wave, at] if wave else PAGE_ONLY
        for step in range(begin - (operation == MISMATCH), reached):
            partner[page_at + step * direction] = work_at + (step + diagonal) * direction
        if wave == 0:
            return
        reached = begin if operation == WORK_ONLY else begin - 1
        diagonal += (operation == PAGE_ONLY) - (operation == WORK_ONLY)
        wave -= 1


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def working_memory() -> Waves:
    """What `reach` works in: furthest points and matches of two waves, and the way of every wave."""
    return (
        np.empty(WIDTH, np.int32),
        np.empty(WIDTH, np.int32),
        np.empty(WIDTH, np.int32),
        np.empty(WIDTH, np.int32),
        np.empty((MAX_WAVES, WIDTH), np.int32),
        np.empty((MAX_WAVES, WIDTH), np.uint8),
    )


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def ungapped(  # noqa: PLR0917
    page: Tokens, near: Near, work: Tokens, hit: tuple[int, int], bounds: tuple[int, int], drop: int
) -> tuple[int, int, int]:
    """Best score along the diagonal through a hit (page, work), and how far it reaches back and ahead (tokens)."""
    score, reached = _best_run(page, near, work, hit, 1, min(page.size - hit[0], bounds[1] - hit[1]), drop)
    back, reached_back = _best_run(
        page, near, work, (hit[0] - 1, hit[1] - 1), -1, min(hit[0], hit[1] - bounds[0]), drop
    )
    return score + back, reached_back, reached


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _best_run(  # noqa: PLR0917
    page: Tokens, near: Near, work: Tokens, origin: tuple[int, int], direction: int, limit: int, drop: int
) -> tuple[int, int]:
    score, best, reached, step = 0, 0, 0, 0
    while step < limit:
        here, there = origin[0] + step * direction, origin[1] + step * direction
        length, readable, firm = slide(page, near, work, here, there, direction, limit - step)
        score += readable
        if score > best:
            best, reached = score, step + firm
        step += length
        score, step = score - 1, step + 1
        if score < best - drop:
            break
    return best, reached


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def extend_hits(  # noqa: C901, PLR0917 - a list of reasons to pass a hit by, each as cheap as can be
    page: Tokens,
    near: Near,
    tokens: Tokens,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    hits: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]],
    limits: NDArray[np.int64],
    max_segments: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Segments that hits lead to, int32[n, 10], phrases, int32[m, 3], and ways, int32[w]: see matcher.extension.

    tokens[starts[t]:ends[t]]: the stream of text t. hits: text, page position, work position (in its text) of each,
    ordered by text, diagonal and page position. One inside a found segment near its diagonal is skipped.
    """
    drop, min_ungapped, min_score = int(limits[0]), int(limits[1]), int(limits[2])
    reaching = (int(limits[3]), int(limits[4]), int(limits[5]))
    min_faint_score, firm_score = int(limits[6]), 2 * int(limits[6])
    min_alone = int(limits[7])
    texts, page_hits, work_hits = hits
    waves = working_memory()
    partner, ways, walked = np.full(page.size, UNPAIRED, np.int32), np.empty(page.size + 1, np.int32), 0
    segments, phrases = np.empty((64, SEGMENT_COLUMNS), np.int32), np.empty((256, 3), np.int32)
    found, first, phrase_count = 0, 0, 0
    heads = np.full((page.size >> BLOCK_BITS) + 1, -1, np.int32)
    links, link_count = np.empty((256, 2), np.int32), 0
    last_text, last_diagonal, last_end = -1, 0, -1
    for hit in range(page_hits.size):
        text, page_at, work_at = int(texts[hit]), int(page_hits[hit]), int(work_hits[hit])
        diagonal = work_at - page_at
        if text != last_text:
            for number in range(first, found):
                for block in range(segments[number, 0] >> BLOCK_BITS, (segments[number, 1] >> BLOCK_BITS) + 1):
                    heads[block] = -1
            first, link_count, last_text, last_end = found, 0, text, -1
        elif diagonal == last_diagonal and page_at < last_end:
            continue
        if found - first >= max_segments or is_covered(segments, heads, links, page_at, work_at, reaching[2]):
            continue
        bounds = (int(starts[text]), int(ends[text]))
        score, back, ahead = ungapped(page, near, tokens, (page_at, bounds[0] + work_at), bounds, drop)
        last_diagonal, last_end = diagonal, page_at + ahead
        if score < min_ungapped:
            continue
        if phrase_count == phrases.shape[0]:
            phrases = doubled(phrases)
        phrases[phrase_count, 0], phrases[phrase_count, 1] = page_at - back, page_at + ahead
        phrases[phrase_count, 2] = text
        phrase_count += 1
        if score < min_alone and not is_among_others(hits, hit, reaching[2]):
            continue
        seed = page_at, bounds[0] + work_at
        wide = widened(page, near, tokens, seed, bounds, reaching, waves, partner)
        if wide[5] < (min_score if score >= firm_score else min_faint_score):
            partner[wide[0] : wide[1]] = UNPAIRED
            continue
        if found == segments.shape[0]:
            segments = doubled(segments)
        for column in range(6):
            segments[found, column] = wide[column]
        segments[found, 6], segments[found, 7], segments[found, 8] = page_at, work_at, text
        segments[found, 9], ways, walked = _kept(ways, walked, partner[wide[0] : wide[1]])
        links, link_count = enlisted(heads, links, link_count, segments[found], found)
        found += 1
    bridging = (int(limits[8]), reaching[1], reaching[2]), int(limits[9])
    segments, ways = _reunited(
        page, near, tokens, starts, ends, segments[:found], (ways, walked), bridging, waves, partner
    )
    return segments, phrases[:phrase_count], ways


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _reunited(  # noqa: PLR0917 - numba compiles no records
    page: Tokens,
    near: Near,
    tokens: Tokens,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    segments: NDArray[np.int32],
    kept: tuple[NDArray[np.int32], int],
    bridging: tuple[tuple[int, int, int], int],
    waves: Waves,
    partner: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Join neighbours of one text that a more patient walk goes through; the segments, in order of text, and the ways.

    bridging: the limits of that walk, and how many page tokens it may have to go between two. The second segment has to
    outweigh what the walk loses on the way to it.
    """
    limits, max_gap = bridging
    ways, walked = kept
    is_gone = np.zeros(len(segments), np.bool_)
    first = 0
    while first < len(segments):
        last = first + 1
        while last < len(segments) and segments[last, 8] == segments[first, 8]:
            last += 1
        order = first + np.argsort(segments[first:last, 0])
        at = order[0]
        for after in order[1:]:
            one, other = segments[at], segments[after]
            page_gap, work_gap = other[0] - one[1], other[2] - one[3]
            is_near = 0 <= page_gap <= max_gap and work_gap >= 0 and abs(work_gap - page_gap) <= limits[2]
            if not is_near or one[9] == NO_WAY:
                at = after if other[1] > one[1] else at
                continue
            text = one[8]
            bounds = (int(starts[text]), int(ends[text]))
            origin = (int(one[1]), bounds[0] + int(one[3]))
            ahead = reach(page, near, tokens, origin, 1, bounds, limits, waves, partner, (0, bounds[0]))
            end = one[1] + ahead[1]
            if end < other[1] - limits[2]:
                partner[one[1] : end] = UNPAIRED
                at = after
                continue
            partner[one[0] : one[1]] = ways[one[9] : one[9] + one[1] - one[0]]
            one[9], ways, walked = _kept(ways, walked, partner[one[0] : end])
            one[1], one[3] = end, one[3] + ahead[2]
            one[4], one[5] = one[4] + ahead[3], one[5] + ahead[0]
            is_gone[after] = True
        first = last
    return segments[~is_gone], ways


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _kept(ways: NDArray[np.int32], walked: int, partner: NDArray[np.int32]) -> tuple[int, NDArray[np.int32], int]:
    """Move a way behind the `walked` tokens of those kept: where it stands, or NO_WAY; the ways, and their tokens."""
    length, place = partner.size, NO_WAY
    if walked + length <= MAX_WAYS_TOKENS:
        if walked + length > ways.size:
            longer = np.empty(2 * (walked + length), np.int32)
            longer[:walked] = ways[:walked]
            ways = longer
        ways[walked : walked + length] = partner
        place, walked = walked, walked + length
    partner[:] = UNPAIRED
    return place, ways, walked


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def widened(  # noqa: PLR0917
    page: Tokens,
    near: Near,
    tokens: Tokens,
    seed: tuple[int, int],
    bounds: tuple[int, int],
    limits: tuple[int, int, int],
    waves: Waves,
    partner: NDArray[np.int32],
) -> tuple[int, int, int, int, int, int]:
    """The first six numbers of the segment around a hit; `partner`, int32[page tokens], gets its way."""
    base = (0, bounds[0])
    up = reach(page, near, tokens, seed, 1, bounds, limits, waves, partner, base)
    down = reach(page, near, tokens, (seed[0] - 1, seed[1] - 1), -1, bounds, limits, waves, partner, base)
    place = seed[1] - bounds[0]
    return seed[0] - down[1], seed[0] + up[1], place - down[2], place + up[2], up[3] + down[3], up[0] + down[0]


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def enlisted(
    heads: NDArray[np.int32], links: NDArray[np.int32], count: int, segment: NDArray[np.int32], number: int
) -> tuple[NDArray[np.int32], int]:
    """Note a segment in the chain of each block of the page that it lies in; the links, and how many there are now."""
    for block in range(segment[0] >> BLOCK_BITS, (segment[1] >> BLOCK_BITS) + 1):
        if count == links.shape[0]:
            links = doubled(links)
        links[count, 0], links[count, 1] = number, heads[block]
        heads[block] = count
        count += 1
    return links, count


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def doubled(rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """The rows, with room for as many again."""
    grown = np.empty((2 * rows.shape[0], rows.shape[1]), np.int32)
    grown[: rows.shape[0]] = rows
    return grown


@njit(cache=True, inline="always")  # type: ignore[misc,unused-ignore]
def is_among_others(hits: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]], hit: int, band: int) -> bool:
    """Whether the hit before or behind is of the same text and nearly the same diagonal."""
    texts, page_hits, work_hits = hits
    diagonal = work_hits[hit] - page_hits[hit]
    for other in (hit - 1, hit + 1):
        is_of_text = 0 <= other < texts.size and texts[other] == texts[hit]
        if is_of_text and abs(work_hits[other] - page_hits[other] - diagonal) <= band:
            return True
    return False


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def is_covered(  # noqa: PLR0917
    segments: NDArray[np.int32],
    heads: NDArray[np.int32],
    links: NDArray[np.int32],
    page_at: int,
    work_at: int,
    band: int,
) -> bool:
    """Whether a hit tells nothing new: it lies inside a segment, near its diagonal at that point, or in a faithful one.

    How near grows with the segment, since edits let its way wander off the straight line. Where a long one has nearly
    every token, its page range is explained, and what repeats itself in the text would only be explained again.
    """
    link = heads[page_at >> BLOCK_BITS]
    while link >= 0:
        segment = segments[links[link, 0]]
        if segment[0] <= page_at < segment[1]:
            length = segment[1] - segment[0]
            if length >= LONG_TOKENS and segment[4] >= FAITHFUL_SHARE * length:
                return True
            if segment[2] <= work_at < segment[3]:
                expected = segment[2] + np.int64(page_at - segment[0]) * (segment[3] - segment[2]) // length
                if abs(expected - work_at) <= 2 * band + length // STRAIGHTNESS:
                    return True
        link = links[link, 1]
    return False


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def paired(  # noqa: C901, PLR0917 - one walk along the passage
    page: Tokens,
    near: Near,
    work: Tokens,
    segments: NDArray[np.int32],
    ways: NDArray[np.int32],
    reaching: tuple[int, int, int],
) -> tuple[Pairs, Alone, int]:
    """Pairs int32[n, 2] of page and work tokens in order of the page; what stands alone; segments out of order.

    Alone is int32[m, 5]: ONLY_PAGE, ONLY_WORK, REWRITTEN or ELSEWHERE, page start, page end, work start, work end; last
    those of ELSEWHERE, as `_moved` tells them. segments: in order of the page. Where two overlap, the later one loses
    what the earlier has. In another order than the work's, what is skipped at one place stands elsewhere on the page:
    nothing is said to be left out between segments. ways: as `extend_hits` kept them.
    """
    total = 0
    for row in segments:
        total += row[1] - row[0]
    pairs, alone = np.empty((total, 2), np.int32), np.empty((2 * total + 4 * len(segments) + 4, 5), np.int32)
    pieces, piece_count = np.empty((len(segments), 3), np.int32), 0
    pair_count, alone_count, displaced = 0, 0, 0
    is_in_order = True
    for number in range(1, len(segments)):
        is_in_order &= segments[number, 2] - segments[number - 1, 2] >= -MAX_OVERLAP_TO_TRIM_TOKENS
    page_at, work_at = segments[0, 0], -1
    for segment in segments:
        way = segment[9]
        if way == NO_WAY:
            partner = _partners(page, near, work, segment, reaching)
        else:
            partner = ways[way : way + segment[1] - segment[0]]
        overlap = work_at - segment[2] if work_at >= 0 else 0
        least = work_at if 0 < overlap <= MAX_OVERLAP_TO_TRIM_TOKENS else 0
        first = max(segment[0], page_at)
        while first < segment[1] and (partner[first - segment[0]] == UNPAIRED or partner[first - segment[0]] < least):
            first += 1
        if first >= segment[1]:
            continue
        start = partner[first - segment[0]]
        displaced += work_at >= 0 and start < work_at
        bridge_from = work_at if work_at >= 0 and is_in_order else start
        alone_count = _bridged(alone, alone_count, page_at, first, bridge_from, start)
        expected = start
        inserted_from = -1
        for here in range(first, segment[1]):
            there = partner[here - segment[0]]
            if there == UNPAIRED:
                inserted_from = here if inserted_from < 0 else inserted_from
                continue
            if inserted_from >= 0:
                alone_count = _noted(alone, alone_count, ONLY_PAGE, inserted_from, here, expected, expected)
                inserted_from = -1
            if there > expected:
                alone_count = _noted(alone, alone_count, ONLY_WORK, here, here, expected, there)
            pairs[pair_count, 0], pairs[pair_count, 1] = here, there
            pair_count += 1
            expected = there + 1
        if inserted_from >= 0:
            alone_count = _noted(alone, alone_count, ONLY_PAGE, inserted_from, segment[1], expected, expected)
        page_at, work_at = segment[1], expected
        pieces[piece_count, 0], pieces[piece_count, 1], pieces[piece_count, 2] = first, start, expected
        piece_count += 1
    alone_count = _moved(alone, alone_count, pieces[:piece_count])
    return pairs[:pair_count], alone[:alone_count], displaced


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _moved(alone: Alone, count: int, pieces: NDArray[np.int32]) -> int:
    """Note each piece that stands elsewhere in the work than the one before it; empty on both sides.

    pieces: int32[n, 3], page start, work start and work end of what has a partner, in order of the page. Elsewhere is
    a piece that begins before the end of the one before it in the work, or so far behind it that another piece of the
    passage (its middle: the ends of pieces overlap by chance) stands in between. What is skipped and stands nowhere in
    the passage moves nothing; so a passage in the order of the work has none.
    """
    middles = np.sort((pieces[:, 1] + pieces[:, 2]) // 2)
    for number in range(1, len(pieces)):
        goes_on, start = pieces[number - 1, 2], pieces[number, 1]
        is_leap = start > goes_on and np.searchsorted(middles, goes_on) < np.searchsorted(middles, start)
        if start < goes_on or is_leap:
            page_start = pieces[number, 0]
            count = _noted(alone, count, ELSEWHERE, page_start, page_start, start, start)
    return count


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _partners(
    page: Tokens,
    near: Near,
    work: Tokens,
    segment: NDArray[np.int32],
    reaching: tuple[int, int, int],
) -> NDArray[np.int32]:
    waves = working_memory()
    partner = np.full(segment[1] - segment[0], UNPAIRED, np.int32)
    base, bounds = (int(segment[0]), 0), (0, work.size)
    here, there = int(segment[6]), int(segment[7])
    reach(page, near, work, (here, there), 1, bounds, reaching, waves, partner, base)
    reach(page, near, work, (here - 1, there - 1), -1, bounds, reaching, waves, partner, base)
    return partner


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _noted(  # noqa: PLR0917
    alone: Alone, count: int, kind: int, page_start: int, page_end: int, work_start: int, work_end: int
) -> int:
    alone[count, 0] = kind
    alone[count, 1], alone[count, 2] = page_start, page_end
    alone[count, 3], alone[count, 4] = work_start, work_end
    return count + 1


@njit(cache=True)  # type: ignore[misc,unused-ignore]
def _bridged(  # noqa: PLR0917
    alone: Alone, count: int, page_at: int, page_start: int, work_at: int, work_start: int
) -> int:
    """What stands between two segments."""
    page_gap, work_gap = max(0, page_start - page_at), max(0, work_start - work_at)
    if page_gap and work_gap and max(page_gap, work_gap) <= MAX_RATIO_OF_REPLACED * min(page_gap, work_gap):
        return _noted(alone, count, REWRITTEN, page_at, page_start, work_at, work_start)
    if page_gap:
        place = min(work_at, work_start)
        count = _noted(alone, count, ONLY_PAGE, page_at, page_start, place, place)
    if work_gap:
        count = _noted(alone, count, ONLY_WORK, page_start, page_start, work_at, work_start)
    return count
