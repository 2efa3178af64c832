"""Measures the reading order: `python -m laboratory.measures.reading_order`.

Passages of works that the table of followers has not seen are put into each layout that the product undoes, and looked
up: how many are found. Of ordinary texts: how many change, what the reading order costs, how long the slowest takes.
"""

import argparse
import sys
from pathlib import Path
from random import Random
from time import perf_counter

import numpy as np
from pypinyin import Style, lazy_pinyin

from core.ids import work_text_id
from fingerprint.algorithms import ALGORITHMS, DEFAULT
from fingerprint.fingerprinting import fingerprint_text
from laboratory.cases.build import DEFAULT_SEED, SHARED_CORPORA
from laboratory.edits import moves
from laboratory.edits.edited import Edited
from laboratory.edits.moves import CLAUSES, COMMON, LINES, RARE, Layout
from laboratory.memory_matcher import memory_matcher
from laboratory.tables.build_followers import FILES, read_records

WITHOUT = ALGORITHMS[5]  # the default but for the reading order
WORKS_A_FILE, PASSAGE_CHARS, MIN_WORK_CHARS, TEXT_CHARS, ROUNDS = 35, 1_500, 900, 2_500, 15


def in_pinyin(style: Style, between: str) -> Layout:
    """Every character as its pinyin."""
    return lambda page, _rng: Edited.of(between.join(lazy_pinyin(page.text, style=style)))


LAYOUTS: dict[str, Layout] = {
    "columns from the right, 12 high": moves.in_columns(12),
    "columns from the left, 17 high": moves.in_columns(17, from_right=False),
    "columns in the last half": moves.in_part(moves.in_columns(12), 0.5),
    "the whole reversed": moves.by_units(None, moves.backwards),
    "reversed in the last half": moves.in_part(moves.by_units(None, moves.backwards), 0.5),
    "each line reversed": moves.in_lines(moves.by_units(LINES, moves.backwards_but_the_end)),
    "every other line reversed": moves.in_lines(moves.by_units(LINES, moves.backwards_but_the_end, every=2)),
    "each clause reversed": moves.by_units(CLAUSES, moves.backwards),
    "all neighbours swapped": moves.by_groups((1, 0)),
    "neighbours swapped at every third": moves.by_groups((1, 0, 2)),
    "neighbours swapped at random, 30 %": moves.swapped(0.3),
    "a rare character after each": moves.strewn(1, RARE),
    "a rare character after every second": moves.strewn(2, RARE),
    "a rare character after every fourth": moves.strewn(4, RARE),
    "a common character after every second": moves.strewn(2, COMMON),
    "a common character after every third": moves.strewn(3, COMMON),
    "a digit after every second": moves.strewn(2, "0123456789"),
    "pinyin with tone marks": in_pinyin(Style.TONE, " "),
    "pinyin without tones, no spaces": in_pinyin(Style.NORMAL, ""),
}


def best_times(text: str) -> tuple[float, float]:
    """Seconds that the fingerprint of a text takes with and without the reading order: the least of several rounds."""
    times: dict[int, list[float]] = {DEFAULT.id: [], WITHOUT.id: []}
    for _ in range(ROUNDS):
        for number, taken in times.items():
            begun = perf_counter()
            fingerprint_text(text, ALGORITHMS[number])
            taken.append(perf_counter() - begun)
    return min(times[DEFAULT.id]), min(times[WITHOUT.id])


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m laboratory.measures.reading_order", description=__doc__)
    parser.add_argument("--corpora", type=Path, default=SHARED_CORPORA, help="the folder of the shared corpora")
    parser.add_argument("--passages", type=int, default=40, help="of each layout")
    parser.add_argument("--texts", type=int, default=300, help="ordinary ones of each file")
    given = parser.parse_args()
    rng = Random(DEFAULT_SEED)  # noqa: S311 (passages are drawn, no secrets)
    texts = {name: [record["text"] for record, is_out in read_records(given.corpora, name) if is_out] for name in FILES}
    for of_file in texts.values():
        rng.shuffle(of_file)
    works = list(dict.fromkeys(text for of_file in texts.values() for text in of_file[:WORKS_A_FILE]))
    matcher, long_works = memory_matcher(works), [text for text in works if len(text) >= MIN_WORK_CHARS]
    disguised = []
    for name, layout in LAYOUTS.items():
        found = 0
        for _ in range(given.passages):
            work = rng.choice(long_works)
            start = rng.randrange(max(1, len(work) - PASSAGE_CHARS))
            page = layout(Edited.of(work[start : start + PASSAGE_CHARS]), rng).text
            matches = matcher.match(page, fingerprint_text(page))
            disguised.append(page[:TEXT_CHARS])
            found += any(work_text_id(work) in (match.text_id, *match.also) for match in matches)
        sys.stdout.write(f"{name:40}{found / given.passages:6.3f}\n")
    ordinary = [text[:TEXT_CHARS] for of_file in texts.values() for text in of_file[: given.texts]]
    slowest = max(one - other for one, other in map(best_times, ordinary + disguised))
    prints = [(fingerprint_text(text).offsets, fingerprint_text(text, WITHOUT).offsets) for text in ordinary]
    changed = sum(not np.array_equal(*pair) for pair in prints)
    sys.stdout.write(
        f"of {len(ordinary)} ordinary texts {changed} change; the slowest text takes {1000 * slowest:.2f} ms more\n"
    )
    everything = "\n".join(ordinary)
    pages = [everything[start : start + TEXT_CHARS] for start in range(0, len(everything), TEXT_CHARS)]
    one, other = map(sum, zip(*map(best_times, pages), strict=True))
    sys.stdout.write(f"cost of {len(pages)} pages of {TEXT_CHARS} characters: {one / other:.3f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
