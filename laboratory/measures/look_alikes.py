"""Which replaced characters are taken for look-alikes or near sounds: `python -m laboratory.measures.look_alikes`.

By the levels of matcher.align.replaced_pairs: the share of random pairs that reach each, and of the pairs of three
lists. Pairs that are told apart without any context (a shared reading, like pictures) are left out of all of them.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray

from core.errors import ZhuiwenError
from fingerprint.algorithms import DEFAULT
from fingerprint.near import are_alike, are_homophones
from fingerprint.readings import code_points
from laboratory import draws
from laboratory.cases.build import SHARED_CORPORA, sources_of
from laboratory.cases.sources import Sources
from laboratory.edits.confusion import Confusions
from laboratory.edits.material import default_material
from laboratory.edits.substitution import han_places
from matcher.align.changes import character_tables
from matcher.align.replaced_pairs import SHAPE_CHANCES, SHAPE_LEVELS, SOUND_CHANCES, level_by_shape, level_by_sound

PAIRS = 20_000
TEXT_CHARS = 2_000_000
Pairs = tuple[NDArray[np.uint32], NDArray[np.uint32]]


def reached(pairs: Pairs) -> tuple[float, list[float], list[float]]:
    """Share of pairs that need context, and of these those that reach each level of shape, and of sound."""
    tables = character_tables(DEFAULT)
    one, other = pairs
    is_open = ~(are_homophones(one, other) | are_alike(one, other) | (one == other))
    by_shape, by_sound = [], []
    for ours, theirs in zip(one[is_open], other[is_open], strict=True):
        by_shape.append(level_by_shape(ours, theirs, tables.likeness))
        readings = tables.readings[tables.rows[ours]], tables.readings[tables.rows[theirs]]
        by_sound.append(level_by_sound(*readings, tables.likeness))
    levels = [float(np.mean(np.array(by_shape) <= level)) for level in range(len(SHAPE_LEVELS))]
    sounds = [float(np.mean(np.array(by_sound) <= level)) for level in range(len(SOUND_CHANCES))]
    return float(is_open.mean()), levels, sounds


def lists(sources: Sources, seed: int) -> dict[str, Pairs]:
    """Characters of the works beside what stands for them, by the name of the list."""
    rng = draws.generator(seed, "look-alikes")
    codes = code_points("".join(work.text for work in sources.works)[:TEXT_CHARS])
    han = codes[han_places(codes)]
    common = sources.material.common
    drawn = _chosen(han, rng)
    return {
        "random": (drawn, common[draws.below(rng, np.full(drawn.size, common.size))]),
        "shapes, listed": _replaced(han, sources.material.shapes, rng),
        "shapes, by eye": _replaced(han, default_material().shapes, rng),
        "sounds, listed": _replaced(han, sources.material.homophones, rng),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: exit code 0, or 2 without the corpora."""
    parser = argparse.ArgumentParser(
        prog="python -m laboratory.measures.look_alikes", description="Levels of likeness."
    )
    parser.add_argument("--corpora", type=Path, default=SHARED_CORPORA, help="where the shared corpora are")
    parser.add_argument("--texts", type=Path, help="a folder of .txt and .jsonl files instead of the corpora")
    parser.add_argument("--seed", type=int, default=1, help="of the pairs drawn")
    given = parser.parse_args(arguments)
    try:
        pairs = lists(sources_of(given.texts, given.corpora, given.seed), given.seed)
    except ZhuiwenError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    columns = [f"shape {level}" for level in SHAPE_LEVELS]
    columns += ["initial", "or a rhyme"]
    sys.stdout.write(f"{'pairs':<16}{'open':>8}{''.join(f'{column:>12}' for column in columns)}\n")
    for name, those in pairs.items():
        is_open, levels, sounds = reached(those)
        shares = "".join(f"{share:>12.3f}" for share in (*levels, *sounds))
        sys.stdout.write(f"{name:<16}{is_open:>8.3f}{shares}\n")
    taken = "".join(f"{chance:>12}" for chance in (*SHAPE_CHANCES, *SOUND_CHANCES))
    sys.stdout.write(f"{'taken as chance':<24}{taken}\n")
    return 0


def _chosen(codes: NDArray[np.uint32], rng: Random) -> NDArray[np.uint32]:
    return codes[draws.below(rng, np.full(PAIRS, codes.size))]


def _replaced(codes: NDArray[np.uint32], confusions: Confusions, rng: Random) -> Pairs:
    drawn = _chosen(codes[confusions.places(codes)], rng)
    return drawn, confusions.drawn(drawn, rng)


if __name__ == "__main__":
    sys.exit(main())
