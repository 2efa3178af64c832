"""Hits as numbers, and which of them are worth extending, against definitions hit by hit."""

import random

import numpy as np
import pytest

from matcher.align.extension import Hits, TokenStreams
from matcher.align.numbered_hits import GLANCE, MAX_BITS, MIN_EQUAL, SURE_TOKENS, number_hits, promising_hits

BAND = 20
SYMBOLS = 60  # so few that equal tokens beside a hit are as frequent by chance as in a large corpus


def draw_texts(sizes: list[int], rng: random.Random) -> TokenStreams:
    ends = np.cumsum(sizes)
    tokens = np.array([rng.randrange(SYMBOLS) for _ in range(int(ends[-1]))], np.uint16)
    return TokenStreams(tokens, (ends - sizes).astype(np.int64), ends.astype(np.int64))


def random_hits(page: np.ndarray, texts: TokenStreams, count: int, rng: random.Random) -> list[tuple[int, int, int]]:
    """Text, page position and position in the text, increasing by text, diagonal and page position."""
    found: set[tuple[int, int, int]] = set()
    while len(found) < count:
        text = rng.randrange(texts.starts.size)
        room = int(texts.ends[text] - texts.starts[text]) - SURE_TOKENS
        found.add((text, rng.randrange(page.size - SURE_TOKENS), rng.randrange(room)))
    return sorted(found, key=lambda hit: (hit[0], hit[2] - hit[1], hit[1]))


def as_columns(hits: list[tuple[int, int, int]]) -> Hits:
    return Hits(*np.array(hits, np.int32).reshape(-1, 3).T.copy())


def is_promising(page: np.ndarray, texts: TokenStreams, hits: list[tuple[int, int, int]], number: int) -> bool:
    """By definition."""
    text, here, work_at = hits[number]
    for other in (number - 1, number + 1):
        if 0 <= other < len(hits) and hits[other][0] == text:
            apart = (hits[other][2] - hits[other][1]) - (work_at - here)
            if abs(apart) <= BAND:
                return True
    work = texts.tokens[texts.starts[text] : texts.ends[text]]
    places = [*range(-GLANCE, 0), *range(SURE_TOKENS, SURE_TOKENS + GLANCE)]
    if min(here, work_at) + places[0] < 0 or here + places[-1] >= page.size or work_at + places[-1] >= work.size:
        return True
    return sum(bool(page[here + place] == work[work_at + place]) for place in places) >= MIN_EQUAL


def promising(page: np.ndarray, texts: TokenStreams, hits: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    numbers, form = number_hits(page.size, as_columns(hits))
    assert form.page_bits
    numbers.sort()
    kept = promising_hits(page, texts, numbers, form, BAND)
    return list(zip(*(column.tolist() for column in kept), strict=True))


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 700])
@pytest.mark.parametrize("seed", range(3))
def test_promising_are_those_of_the_definition(count: int, seed: int) -> None:
    rng = random.Random(seed)
    page = np.array([rng.randrange(SYMBOLS) for _ in range(400)], np.uint16)
    texts = draw_texts([rng.randrange(30, 900) for _ in range(40)], rng)
    hits = random_hits(page, texts, count, rng)
    expected = [hit for number, hit in enumerate(hits) if is_promising(page, texts, hits, number)]
    found = promising(page, texts, hits)
    # The last diagonal of one text and the first of the next may be taken for near: kept, and harmless.
    assert set(expected) <= set(found)
    assert len(found) - len(expected) <= texts.starts.size // 20
    assert count < 100 or len(found) < count


@pytest.mark.parametrize("size", [SURE_TOKENS, SURE_TOKENS + GLANCE, SURE_TOKENS + 2 * GLANCE - 1])
def test_pages_without_anything_beside_a_hit_keep_all(size: int) -> None:
    rng = random.Random(size)
    page = np.array([rng.randrange(SYMBOLS) for _ in range(size)], np.uint16)
    hits = [(0, 0, 10), (1, 0, 200), (2, 0, 50)]
    assert promising(page, draw_texts([300, 300, 300], rng), hits) == hits


def test_hits_that_fit_into_no_number_are_said_to() -> None:
    most = 2**31 - 1
    page = 1 << (MAX_BITS - 2 * 31)
    _, form = number_hits(page, as_columns([(most, 0, most)]))
    assert (form.page_bits, form.diagonal_bits) == (0, 0)
