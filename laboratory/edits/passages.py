"""Pages with exact truth: a passage in somebody else's text, pieces of several works, a whole chapter."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput
from fingerprint.characters import KINDS, Kind
from fingerprint.readings import code_points
from laboratory.edits import draws
from laboratory.edits.catalogue import Recipe, edited
from laboratory.edits.edited import Edited, TruthSpan, spans_of
from laboratory.edits.material import Material
from laboratory.edits.sentences import sentence_ends

SEED_BITS = 64
# In prose every second try succeeds at least; in a text with hardly any Han characters any passage is as good.
MAX_TRIES = 32


@dataclass(frozen=True, slots=True)
class MadePage:
    """A page and what it took; truth is in order of the page."""

    text: str
    truth: tuple[TruthSpan, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """An edited part of a work: the work's number, and where in it the part began before it was edited."""

    page: Edited
    work: int
    work_start: int


def chapter(
    work_text: str,
    rng: Random,
    recipe: Recipe,
    *,
    start: int = 0,
    end: int | None = None,
    material: Material | None = None,
) -> MadePage:
    """A page that is one stretch of the work, [start, end), and nothing else; the whole work where none is given."""
    first, behind, _ = slice(start, end).indices(len(work_text))
    page = edited(work_text[first:behind], recipe, rng.getrandbits(SEED_BITS), material)
    return MadePage(page.text, spans_of(page, work_start=first))


def excerpt(
    work_text: str, length: int, carrier: str, rng: Random, recipe: Recipe, *, material: Material | None = None
) -> MadePage:
    """A passage of `length` characters that begins anywhere in the work, edited, behind a sentence of another text.

    length counts every character before the edits; a shorter work is taken whole. The passage begins and
    ends with a Han character, except in a work that has hardly any. An empty carrier gives the passage alone. The
    truth's work is 0.
    Raises BadInput for a length below 1.
    """
    return patchwork([work_text], [length], carrier, rng, recipe, material=material)


def patchwork(
    works: Sequence[str],
    lengths: Sequence[int],
    carrier: str | None,
    rng: Random,
    recipe: Recipe,
    *,
    material: Material | None = None,
) -> MadePage:
    """A passage of each work, in the order of the works, in a carrier or line by line where there is none.

    lengths: characters before the edits, one for each work. The truth's works are numbers of `works`. In a carrier
    each passage stands behind a sentence; passages share a place only where there are more of them than sentences.
    Raises BadInput for another number of lengths than works, and for a length below 1.
    """
    if len(works) != len(lengths):
        raise BadInput(f"{len(works)} works need as many lengths, not {len(lengths)}")
    passages = []
    for work, (text, length) in enumerate(zip(works, lengths, strict=True)):
        start = _start(text, length, rng)
        page = edited(text[start : start + length], recipe, rng.getrandbits(SEED_BITS), material)
        passages.append(Passage(page, work, start))
    if carrier is None:
        return _assembled(passages, ["", *["\n"] * (len(passages) - 1), ""])
    cuts = _cuts(carrier, len(passages), rng)
    around = [carrier[start:end] for start, end in zip([0, *cuts], [*cuts, len(carrier)], strict=True)]
    return _assembled(passages, around)


def _assembled(passages: Sequence[Passage], around: Sequence[str]) -> MadePage:
    """The passages with the text before, between and behind them: one more than there are passages."""
    texts, position = [around[0]], len(around[0])
    truth: list[TruthSpan] = []
    for passage, behind in zip(passages, around[1:], strict=False):
        truth += spans_of(passage.page, passage.work, position, passage.work_start)
        texts += [passage.page.text, behind]
        position += len(passage.page.text) + len(behind)
    return MadePage("".join(texts), tuple(truth))


def _start(work: str, length: int, rng: Random) -> int:
    if length < 1:
        raise BadInput(f"a passage has at least one character, not {length}")
    if length >= len(work):
        return 0
    start = 0
    for _ in range(MAX_TRIES):
        start = draws.one_below(rng, len(work) - length + 1)
        if _is_han(work[start]) and _is_han(work[start + length - 1]):
            break
    return start


def _is_han(character: str) -> bool:
    return bool(KINDS.table[ord(character)] == Kind.HAN)


def _cuts(carrier: str, count: int, rng: Random) -> list[int]:
    """Increasing places behind sentences, each but once where there are enough."""
    ends = sentence_ends(code_points(carrier))
    places: NDArray[np.int64] = ends if ends.size else np.zeros(1, np.int64)
    rounds = -(-count // places.size)
    mixed = np.concatenate([draws.order(rng, places.size) for _ in range(rounds)]) if count else places[:0]
    return sorted(places[mixed[:count]].tolist())
