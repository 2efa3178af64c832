"""Measures whether comparisons show the change of each character correctly: `zhuiwen bench quality --parts comparison`.

One passage of each work, the most repetitive of 25, is edited like a pirate does; every other page has another text
around it. The corpus consists of these works only: the comparison is measured, not the search.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np

from core.errors import BadInput
from core.ids import work_text_id
from core.matches import ChangeKind, Span
from core.text import TextRange
from fingerprint.fingerprinting import fingerprint_text
from fingerprint.readings import code_points
from laboratory import draws
from laboratory.cases.passages import passage
from laboratory.cases.sources import Kind, Sources, Work
from laboratory.edits.catalogue import EDITS
from laboratory.edits.edited import Edited, Passage, passage_of
from laboratory.edits.material import Material, default_material
from laboratory.edits.sentences import in_sequence, sentence_ends
from laboratory.memory_matcher import memory_matcher
from laboratory.scores.comparison import Comparison, compare
from laboratory.scores.detection_quality import SpanMeasures
from laboratory.scores.span_scores import SpanScore, span_score
from matcher.matching import Matcher

PASSAGES = {"tiny": 6, "small": 24, "full": 96}  # number of works with one passage each, by the size of the measurement
PASSAGE_CHARS, PASSAGES_LOOKED_AT = 2_000, 25
WORK_CHARS = 20_000  # at least
AROUND_CHARS = 300
OPENING_CHARS = 40  # must occur once, because a chapter that a work contains twice has no unique place
FOREIGN_SENTENCES = 800
FOREIGN_CHARS = range(8, 61)
GRAM_CHARS = 4
BLOCK = 5  # number of sentences that are shuffled as a group

Step = tuple[str, float]


@dataclass(frozen=True, slots=True)
class Fate:
    """A sequence of edits of the catalogue, and the kinds under which a changed character is correctly shown.

    order: of the sentences, before the edits. by_eye: look-alikes are those of laboratory.edits.shapes, regardless of
    the sources.
    """

    steps: tuple[Step, ...]
    kinds: tuple[ChangeKind, ...] = ()
    order: Callable[[int, Random], list[int]] | None = None
    by_eye: bool = False


def _swapped(size: int, rng: Random) -> list[int]:
    """Return an order in which a fifth of the sentences are swapped with the next one."""
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
SHAPE = (ChangeKind.SHAPE, ChangeKind.HOMOPHONE)
FATES: dict[str, Fate] = {
    "verbatim": Fate(()),
    "homophones .1": Fate((("homophone", 0.1),), HOMOPHONE),
    "homophones .4": Fate((("homophone", 0.4),), HOMOPHONE),
    "shapes .1": Fate((("shape", 0.1),), SHAPE),
    "shapes by eye .1": Fate((("shape", 0.1),), SHAPE, by_eye=True),
    "random .1": Fate((("random", 0.1),), (ChangeKind.REPLACED,)),
    "random .3": Fate((("random", 0.3),), (ChangeKind.REPLACED,)),
    "pinyin in place .1": Fate((("pinyin-in-place", 0.1),), (ChangeKind.PINYIN,)),
    "other script": Fate((("script", 1.0),), (ChangeKind.SCRIPT,)),
    "characters put in .1": Fate((("insertion", 0.1),)),
    "characters left out .1": Fate((("deletion", 0.1),)),
    "neighbouring characters swapped .2": Fate((("swap", 0.2),)),
    "sentences dropped .3": Fate((("sentence-drop", 0.3),)),
    "foreign after every 4th": Fate((("advertisement", 0.25),)),
    "foreign after each": Fate((("advertisement", 1.0),)),
    "neighbours swapped .2": Fate((), order=_swapped),
    "shuffled by fives": Fate((), order=_in_blocks),
    "shuffled": Fate((), order=_shuffled),
    "heavy mixture": Fate((("deletion", 0.03), ("homophone", 0.1), ("advertisement", 0.25)), HOMOPHONE, _swapped),
}


@dataclass(frozen=True, slots=True)
class Fared:
    """The accuracy of comparisons on the pages of one edit. spans: score of the only passage of each page."""

    name: str
    comparison: Comparison
    spans: SpanMeasures

    @property
    def as_row(self) -> dict[str, Any]:
        """The figures for programs."""
        spans = {"plagdet": self.spans.plagdet, "granularity": self.spans.granularity}
        return {"edit": self.name, **asdict(self.comparison), **spans}


def measured(sources: Sources, size: str, seed: int, progress: Callable[[int, int], None]) -> list[Fared]:
    """Return the sums over all pages for each edit. progress: called with pages done and pages in total.

    Raises BadInput if no work is long enough.
    """
    rng = draws.generator(seed, "comparison")
    works = [work for work in sources.works if len(work.text) >= WORK_CHARS and work.is_unique]
    if not works:
        raise BadInput("laboratory.no-long-work", least=WORK_CHARS)
    rng.shuffle(works)
    taken = [(work, _passage(work, rng)) for work in works[: PASSAGES[size]]]
    matcher = memory_matcher(work.text for work, _ in taken)
    material = replace(sources.material, slogans=_foreign_sentences(sources, rng) or sources.material.slogans)
    around = next((text.text for text in sources.outside if text.kind is Kind.MODERN), sources.outside[0].text)
    fared: list[Fared] = []
    for name, fate in FATES.items():
        total, scores = Comparison(), []
        for number, (work, place) in enumerate(taken):
            edited = _edited(work.text[place.start : place.end], fate, draws.generator(seed, name, number), material)
            page = _placed(edited, place.start, around[:AROUND_CHARS] if number % 2 else "")
            found = _spans(matcher, page.text, work)
            scores.append(_score(work, page, found))
            total += compare(page, work.text, found, fate.kinds)
            progress(len(fared) * len(taken) + number + 1, len(FATES) * len(taken))
        fared.append(Fared(name, total, SpanMeasures(scores)))
    return fared


def _score(work: Work, page: Edited, found: Sequence[Span]) -> SpanScore:
    """Return the score of the whole passage, from the first to the last character of the work on both sides."""
    true = passage_of(page, work.work_id)
    return span_score([true] if true else [], [Passage(work.work_id, span.page, span.work) for span in found])


def _passage(work: Work, rng: Random) -> TextRange:
    drawn = (passage(work.text, TextRange(0, len(work.text)), PASSAGE_CHARS, rng) for _ in range(PASSAGES_LOOKED_AT))
    places = [place for place in drawn if place]
    once = [place for place in places if work.text.count(work.text[place.start :][:OPENING_CHARS]) == 1]
    return max(once or places, key=lambda place: _repetition(work.text[place.start : place.end]))


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
        ends = sentence_ends(page.codes)
        page = in_sequence(page, ends, np.array(fate.order(ends.size, rng)))
    if fate.by_eye:
        material = replace(material, shapes=default_material().shapes)
    for name, strength in fate.steps:
        page = EDITS[name](page, strength, rng, material)
    return page


def _placed(page: Edited, start: int, around: str) -> Edited:
    """Return the page within another text, with its origins as offsets in the whole work."""
    edge, outside = code_points(around), np.full(len(around), -1, np.int32)
    origins = np.where(page.origins >= 0, page.origins + start, -1).astype(np.int32)
    return Edited.of_codes(np.concatenate([edge, page.codes, edge]), np.concatenate([outside, origins, outside]))


def _spans(matcher: Matcher, text: str, work: Work) -> list[Span]:
    matches = matcher.match(text, fingerprint_text(text))
    return [span for match in matches if match.text_id == work_text_id(work.text) for span in match.spans]
