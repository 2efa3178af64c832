"""How many copies are found whose characters stand in another order: `python -m laboratory.measures.reading_order`.

Passages of works that the table of followers has not seen, each put in every layout of `laboratory.edits.layout`; what
of them is found, named and shown; texts that nobody put in another order, of which none may be changed; and what it
costs on these, beside the algorithm without it, page by page in one process.
"""

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import process_time

import numpy as np

from core.errors import ZhuiwenError
from core.ids import WorkTextId, work_text_id
from core.matches import ChangeKind, Match
from core.obfuscations import Obfuscation
from fingerprint.algorithms import ALGORITHMS, DEFAULT, Algorithm
from fingerprint.fingerprinting import fingerprint_text
from laboratory.build_followers import FILES, read_records
from laboratory.cases.build import DEFAULT_SEED, SHARED_CORPORA
from laboratory.edits.edited import PUT_IN, Edited
from laboratory.edits.layout import KIN, LATER, MORE, NAMED, UNSEEN
from laboratory.edits.moves import Layout
from matcher.corpus import MemoryCorpus, WorkEntry
from matcher.index.memory import MemoryIndex
from matcher.matching import Matcher

WITHOUT = ALGORITHMS[5]  # the default but for the reading order
PASSAGE_CHARS, MIN_PASSAGE_CHARS = 1_500, 900
WORKS_A_FILE, PAGES_A_FILE = 35, 300
PAGE_CHARS = 3_000
ROUNDS = 7
NAMES = (Obfuscation.REARRANGED, Obfuscation.STREWN, Obfuscation.PINYIN_REPLACED)


@dataclass(slots=True)
class Found:
    """Of the pages of one layout: how many were found and named; of their copied characters, how many are shown so."""

    pages: int = 0
    found: int = 0
    named: int = 0
    copied: int = 0
    unchanged: int = 0
    foreign: int = 0
    claimed: int = 0

    def add(self, page: Edited, match: Match | None) -> None:
        """One page, and its match with the work that it is of."""
        self.pages += 1
        if match is None:
            return
        self.found += 1
        self.named += any(each.kind in NAMES for each in match.obfuscations)
        is_shown = np.zeros(len(page.text), np.bool_)
        for span in match.spans:
            is_shown[span.page.start : span.page.end] = True
        for span in match.spans:
            for change in span.changes:
                if change.kind is not ChangeKind.MOVED:
                    is_shown[change.page.start : change.page.end] = False
        is_han = np.array(["\u4e00" <= sign <= "\u9fff" for sign in page.text])
        is_copied = page.origins != PUT_IN
        self.copied += int(np.count_nonzero(is_han & is_copied))
        self.unchanged += int(np.count_nonzero(is_han & is_copied & is_shown))
        self.foreign += int(np.count_nonzero(is_han & ~is_copied))
        self.claimed += int(np.count_nonzero(is_han & ~is_copied & is_shown))

    def row(self, name: str) -> str:
        """A line of the table."""
        shown, claimed = _share(self.unchanged, self.copied), _share(self.claimed, self.foreign)
        return f"{name:52}{_share(self.found, self.pages):>8}{_share(self.named, self.pages):>8}{shown:>11}{claimed:>9}"


def matcher_of(texts: Mapping[WorkTextId, str], algorithm: Algorithm) -> Matcher:
    """A matcher in memory over these texts."""
    index, corpus = MemoryIndex(algorithm.id), MemoryCorpus()
    for text_id, text in texts.items():
        corpus[text_id] = WorkEntry(text, fingerprint_text(text, algorithm))
        index.add(text_id, corpus[text_id].fingerprint)
    return Matcher(index, corpus)


def held_out(corpora: Path, rng: Random) -> dict[str, list[str]]:
    """By file, in random order, the texts that the table of followers was not made of. Raises UnreadableFile."""
    texts = {name: [record["text"] for record, is_out in read_records(corpora, name) if is_out] for name in FILES}
    for of_file in texts.values():
        rng.shuffle(of_file)
    return texts


def measure_layout(layout: Layout, works: list[str], matcher: Matcher, passages: int, rng: Random) -> Found:
    """Some passages in one layout, looked up."""
    found = Found()
    for _ in range(passages):
        work = rng.choice(works)
        start = rng.randrange(max(1, len(work) - PASSAGE_CHARS))
        page = layout(Edited.of(work[start : start + PASSAGE_CHARS]), rng)
        text_id = work_text_id(work)
        matches = matcher.match(page.text, fingerprint_text(page.text))
        found.add(page, next((each for each in matches if text_id in (each.text_id, *each.also)), None))
    return found


def count_changed(texts: list[str]) -> int:
    """How many texts have another token stream than without the reading order."""
    pairs = ((fingerprint_text(text), fingerprint_text(text, WITHOUT)) for text in texts)
    return sum(not np.array_equal(one.tokens, other.tokens) for one, other in pairs)


def cost(texts: list[str], works: Mapping[WorkTextId, str]) -> float:
    """Time to fingerprint and match these pages beside the time without the reading order.

    Each page in turn with and without it; the least of all rounds counts, since other work disturbs single rounds.
    """
    matchers = {algorithm.id: matcher_of(works, algorithm) for algorithm in (DEFAULT, WITHOUT)}
    totals = dict.fromkeys(matchers, 0.0)
    for text in texts:
        seconds: dict[int, list[float]] = {number: [] for number in matchers}
        for turn in range(ROUNDS + 1):
            for number in sorted(matchers, reverse=bool(turn % 2)):
                begun = process_time()
                matchers[number].match(text, fingerprint_text(text, ALGORITHMS[number]))
                if turn:
                    seconds[number].append(process_time() - begun)
        for number, taken in seconds.items():
            totals[number] += min(taken)
    return totals[DEFAULT.id] / totals[WITHOUT.id]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m laboratory.measures.reading_order", description=__doc__)
    parser.add_argument("--corpora", type=Path, default=SHARED_CORPORA, help="the folder of the shared corpora")
    parser.add_argument("--passages", type=int, default=40, help="of each layout")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    given = parser.parse_args()
    rng = Random(given.seed)  # noqa: S311 (passages are drawn, no secrets)
    try:
        texts = held_out(given.corpora, rng)
    except ZhuiwenError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    chosen = [text for of_file in texts.values() for text in of_file[:WORKS_A_FILE]]
    works = {work_text_id(text): text for text in chosen}
    long_works = [text for text in works.values() if len(text) >= MIN_PASSAGE_CHARS]
    matcher = matcher_of(works, DEFAULT)
    sys.stdout.write(f"{len(works)} works, {given.passages} passages of each layout\n")
    sys.stdout.write(f"{'':52}{'found':>8}{'named':>8}{'unchanged':>11}{'claimed':>9}\n")
    for name, layout in {**NAMED, **KIN, **LATER, **MORE, **UNSEEN}.items():
        found = measure_layout(layout, long_works, matcher, given.passages, rng)
        sys.stdout.write(f"{found.row(name)}\n")
    for name, of_file in texts.items():
        pages = [text[:PAGE_CHARS] for text in of_file[:PAGES_A_FILE]]
        if not pages:
            continue
        changed, ratio = count_changed(pages), cost(pages, works)
        sys.stdout.write(f"{name}: of {len(pages)} texts as they are {changed} changed; cost {ratio:.3f}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
