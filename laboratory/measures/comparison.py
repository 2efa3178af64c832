"""How truly comparisons show the fate of each character. `python -m laboratory.measures.comparison --corpora FOLDER`.

A passage of each of some works, that of 25 which repeats itself most, is edited as pirates do; every other page has
another text around it. The corpus is these works alone: what is measured is the comparison, not the search.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np

from core.ids import work_text_id
from core.matches import ChangeKind, Span
from core.text import TextRange
from fingerprint.fingerprinting import fingerprint_text
from fingerprint.readings import code_points
from laboratory import draws
from laboratory.cases import corpora
from laboratory.cases.passages import passage
from laboratory.cases.sources import Kind, Sources, Work
from laboratory.edits.catalogue import EDITS
from laboratory.edits.edited import Edited
from laboratory.edits.material import Material
from laboratory.edits.sentences import sentence_ends
from laboratory.scores.comparison import Comparison, compare
from matcher.corpus import MemoryCorpus, WorkEntry
from matcher.index.memory import MemoryIndex
from matcher.matching import Matcher

PASSAGE_CHARS, PASSAGES_LOOKED_AT = 2_000, 25
WORK_CHARS = 20_000  # at least
AROUND_CHARS = 300
OPENING_CHARS = 40  # of a passage: a chapter that stands twice in a work has no one place
FOREIGN_SENTENCES = 800
FOREIGN_CHARS = range(8, 61)
GRAM_CHARS = 4
BLOCK = 5  # sentences that are shuffled among themselves

Step = tuple[str, float]


@dataclass(frozen=True, slots=True)
class Fate:
    """Edits of the catalogue one after the other, and under which kinds a changed character is shown rightly."""

    steps: tuple[Step, ...]
    kinds: tuple[ChangeKind, ...] = ()
    order: Callable[[int, Random], list[int]] | None = None  # of the sentences, before the edits


def _swapped(size: int, rng: Random) -> list[int]:
    """A fifth of the sentences change places with the next."""
    order, at = list(range(size)), 0
    while at + 1 < size:
        if rng.random() < 0.2:
            order[at : at + 2] = [at + 1, at]
            at += 1
        at += 1
    return order


def _in_blocks(size: int, rng: Random) -> list[int]:
    blocks = [list(range(start, min(start + BLOCK, size))) for start in range(0, size, BLOCK)]
    for block in blocks:
        rng.shuffle(block)
    return [number for block in blocks for number in block]


def _shuffled(size: int, rng: Random) -> list[int]:
    order = list(range(size))
    rng.shuffle(order)
    return order


HOMOPHONE = (ChangeKind.HOMOPHONE, ChangeKind.SCRIPT)
FATES: dict[str, Fate] = {
    "verbatim": Fate(()),
    "homophones .1": Fate((("homophone", 0.1),), HOMOPHONE),
    "homophones .4": Fate((("homophone", 0.4),), HOMOPHONE),
    "shapes .1": Fate((("shape", 0.1),), (ChangeKind.SHAPE, ChangeKind.HOMOPHONE)),
    "random .1": Fate((("random", 0.1),), (ChangeKind.REPLACED,)),
    "random .3": Fate((("random", 0.3),), (ChangeKind.REPLACED,)),
    "pinyin in place .1": Fate((("pinyin-in-place", 0.1),), (ChangeKind.PINYIN,)),
    "other script": Fate((("script", 1.0),), (ChangeKind.SCRIPT,)),
    "characters put in .1": Fate((("insertion", 0.1),)),
    "characters left out .1": Fate((("deletion", 0.1),)),
    "sentences dropped .3": Fate((("sentence-drop", 0.3),)),
    "foreign after every 4th": Fate((("advertisement", 0.25),)),
    "foreign after each": Fate((("advertisement", 1.0),)),
    "neighbours swapped .2": Fate((), order=_swapped),
    "shuffled by fives": Fate((), order=_in_blocks),
    "shuffled": Fate((), order=_shuffled),
    "heavy mixture": Fate((("deletion", 0.03), ("homophone", 0.1), ("advertisement", 0.25)), HOMOPHONE, _swapped),
}
COLUMNS = ("edit", "unchanged", "changed", "left out", "right kind", "claimed", "falsely deleted", "passages")


def measured(sources: Sources, passages: int, seed: int) -> Iterator[tuple[str, Comparison, float]]:
    """Each edit with the sums of all its pages, and how many spans a page has of its work on average."""
    rng = draws.generator(seed, "comparison")
    works = [work for work in sources.works if len(work.text) > WORK_CHARS and work.is_unique]
    rng.shuffle(works)
    taken = [(work, _passage(work, rng)) for work in works[:passages]]
    matcher = _matcher([work.text for work, _ in taken])
    material = replace(sources.material, slogans=_foreign_sentences(sources, rng))
    around = next(text.text for text in sources.outside if text.kind is Kind.MODERN)[:AROUND_CHARS]
    for name, fate in FATES.items():
        total, spans = Comparison(), 0
        for number, (work, place) in enumerate(taken):
            edited = _edited(work.text[place.start : place.end], fate, draws.generator(seed, name, number), material)
            page = _placed(edited, place.start, around if number % 2 else "")
            found = _spans(matcher, page.text, work)
            spans += len(found)
            total += compare(page, work.text, found, fate.kinds)
        yield name, total, spans / len(taken)


def _passage(work: Work, rng: Random) -> TextRange:
    drawn = (passage(work.text, TextRange(0, len(work.text)), PASSAGE_CHARS, rng) for _ in range(PASSAGES_LOOKED_AT))
    once = [place for place in drawn if place and work.text.count(work.text[place.start :][:OPENING_CHARS]) == 1]
    return max(once, key=lambda place: _repetition(work.text[place.start : place.end]))


def _repetition(text: str) -> int:
    grams = Counter(text[at : at + GRAM_CHARS] for at in range(len(text) - GRAM_CHARS + 1))
    return sum(count for count in grams.values() if count > 1)


def _foreign_sentences(sources: Sources, rng: Random) -> tuple[str, ...]:
    found = []
    for outside in (text.text for text in sources.outside if text.kind is Kind.GENRE):
        ends = [0, *sentence_ends(code_points(outside)).tolist()]
        found += [outside[start:end].strip() for start, end in pairwise(ends)]
    found = [sentence for sentence in found if len(sentence) in FOREIGN_CHARS]
    return tuple(rng.sample(found, min(FOREIGN_SENTENCES, len(found))))


def _edited(text: str, fate: Fate, rng: Random, material: Material) -> Edited:
    page = Edited.of(text)
    if fate.order:
        ends = sentence_ends(page.codes).tolist()
        parts = list(zip([0, *ends], ends, strict=False))
        order = [parts[number] for number in fate.order(len(parts), rng)]
        page = Edited.of_codes(
            np.concatenate([page.codes[start:end] for start, end in order]),
            np.concatenate([page.origins[start:end] for start, end in order]),
        )
    for name, strength in fate.steps:
        page = EDITS[name](page, strength, rng, material)
    return page


def _placed(page: Edited, start: int, around: str) -> Edited:
    """The page within another text; its origins as offsets of the whole work."""
    edge, outside = code_points(around), np.full(len(around), -1, np.int32)
    origins = np.where(page.origins >= 0, page.origins + start, -1).astype(np.int32)
    return Edited.of_codes(np.concatenate([edge, page.codes, edge]), np.concatenate([outside, origins, outside]))


def _matcher(texts: list[str]) -> Matcher:
    index, corpus = MemoryIndex(), MemoryCorpus()
    for text in texts:
        fingerprint = fingerprint_text(text)
        corpus[work_text_id(text)] = WorkEntry(text, fingerprint)
        index.add(work_text_id(text), fingerprint)
    return Matcher(index, corpus)


def _spans(matcher: Matcher, text: str, work: Work) -> list[Span]:
    matches = matcher.match(text, fingerprint_text(text))
    return [span for match in matches if match.text_id == work_text_id(work.text) for span in match.spans]


def _row(name: str, found: Comparison, spans: float) -> tuple[str, ...]:
    def share(part: int, whole: int) -> str:
        return f"{part / whole:.4f}" if whole else "-"

    return (
        name,
        share(found.as_unchanged, found.unchanged),
        share(found.as_changed, found.unchanged),
        share(found.left_out, found.unchanged),
        share(found.right_kind, found.changed),
        share(found.claimed, found.foreign),
        f"{share(found.falsely_deleted, found.deleted)} of {found.deleted}",
        f"{spans:.2f}",
    )


def main(arguments: list[str] | None = None) -> int:
    """The command: one line for each edit."""
    parser = argparse.ArgumentParser(
        prog="python -m laboratory.measures.comparison", description="Measure comparisons."
    )
    parser.add_argument("--corpora", type=Path, required=True, help="where the shared corpora are")
    parser.add_argument("--passages", type=int, default=24, help="works that a passage is taken of")
    parser.add_argument("--seed", type=int, default=11, help="another seed draws other passages")
    given = parser.parse_args(arguments)
    sys.stdout.write("\t".join(COLUMNS) + "\n")
    for row in measured(corpora.sources(given.corpora, given.seed), given.passages, given.seed):
        sys.stdout.write("\t".join(_row(*row)) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
