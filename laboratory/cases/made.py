"""Pages that this laboratory copies from works: whole, in excerpts, from several works."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from core.errors import BadInput
from core.text import TextRange
from fingerprint.readings import code_points
from laboratory.cases import bench as benches
from laboratory.cases.bench import Bench
from laboratory.cases.conditions import (
    CHAPTER,
    EXCERPT_CHARS,
    EXCERPT_STRENGTHS,
    FULL,
    HARD,
    PATCHWORK_WORKS,
    Condition,
    Size,
    mix,
)
from laboratory.cases.passages import PAGE_CHARS, cuts, exact_passage, passage
from laboratory.draws import between, generator, number, one_of
from laboratory.edits.catalogue import Recipe, edited
from laboratory.edits.edited import Passage, passage_of
from laboratory.edits.sentences import sentence_ends
from laboratory.scores.detection_quality import Case

PATCH_CHARS = (150, 500)
GLUE_CHARS = (50, 150)


@dataclass(frozen=True, slots=True)
class Taken:
    """A passage of a work. also: other works that carry parts of it."""

    work: int
    place: TextRange
    also: tuple[int, ...]


def full(bench: Bench, size: Size) -> Iterator[Case]:
    """Yield chapters cut to the length of a page, under every condition."""
    for condition in FULL:
        for count in range(size.full):
            yield _whole_page(bench, "full", condition, count)


def chapter(bench: Bench, size: Size) -> Iterator[Case]:
    """Yield works as short as a page, copied whole: the case that document engines are made for."""
    short = [place for place, work in enumerate(bench.works) if work.is_chapter]
    for condition in CHAPTER if short else ():
        for count in range(min(size.chapter, len(short))):
            work = short[count % len(short)]
            place = TextRange(0, len(bench.works[work].text))
            also = _others(bench, Taken(work, place, ()))
            yield _edited_page(bench, "chapter", condition, count, Taken(work, place, tuple(sorted(also))))


def excerpts(bench: Bench, size: Size) -> Iterator[Case]:
    """Yield excerpts of exact lengths within unrelated pages."""
    for chars in EXCERPT_CHARS:
        for strength in EXCERPT_STRENGTHS:
            condition = Condition("mix" if strength else "none", strength, mix(strength), chars)
            for count in range(size.excerpt):
                yield _excerpt_page(bench, f"excerpt{chars}", condition, count)


def hard(bench: Bench, size: Size) -> Iterator[Case]:
    """Yield the hard cases, which no target requires to be found."""
    for condition in HARD:
        for count in range(size.hard):
            made = _excerpt_page if condition.chars else _whole_page
            yield made(bench, "hard", condition, count)


def patchwork(bench: Bench, size: Size) -> Iterator[Case]:
    """Yield passages of several works in sequence, with unrelated sentences between them on every second page."""
    for works in PATCHWORK_WORKS:
        if works > len(bench.drawn_works):
            continue
        for count in range(size.patchwork):
            rng = generator(bench.seed, "patchwork", works, count)
            recipe = mix(EXCERPT_STRENGTHS[count // 2 % len(EXCERPT_STRENGTHS)])
            page = Page()
            taken: list[Taken] = []
            while len(taken) < works:
                part = _unshared(bench, rng, between(rng, *PATCH_CHARS), {each.work for each in taken})
                page.add(bench, part, recipe, number(bench.seed, "patch", works, count, len(taken)))
                page.write(_glue(bench, rng) if count % 2 else "\n")
                taken.append(part)
            yield Case("patchwork", "patchwork", works, page.text, tuple(page.passages))


class Page:
    """A page under construction, with the passages taken so far."""

    def __init__(self) -> None:
        self.text = ""
        self.passages: list[Passage] = []

    def write(self, text: str) -> None:
        """Append text that is from no work."""
        self.text += text

    def add(self, bench: Bench, taken: Taken, recipe: Recipe, seed: int) -> None:
        """Append a passage after editing it."""
        work = bench.works[taken.work]
        written = edited(work.text[taken.place.start : taken.place.end], recipe, seed, bench.material)
        found = passage_of(written, work.work_id, len(self.text), taken.place.start)
        self.passages += [found] if found else []
        self.text += written.text


def middle(carrier: str, rng: Random) -> int:
    """Return the end of a random sentence in the middle part of the carrier."""
    ends = [end for end in sentence_ends(code_points(carrier)).tolist() if end < len(carrier)]
    inner = [end for end in ends if len(carrier) // 5 <= end <= len(carrier) * 4 // 5]
    return int(one_of(rng, inner or ends or [len(carrier)]))


def _whole_page(bench: Bench, case_class: str, condition: Condition, count: int) -> Case:
    rng = generator(bench.seed, case_class, condition.attack, condition.strength, count)
    for _ in range(benches.MAX_TRIES):
        work = benches.weighted(bench, rng)
        place = passage(bench.works[work].text, benches.page_range(bench.works[work], rng), PAGE_CHARS, rng)
        if place is None:
            continue
        others = _others(bench, Taken(work, place, ()))
        if work not in others:
            return _edited_page(bench, case_class, condition, count, Taken(work, place, tuple(sorted(others))))
    raise BadInput("laboratory.repetitive")


def _edited_page(bench: Bench, case_class: str, condition: Condition, count: int, taken: Taken) -> Case:
    page = Page()
    seed = number(bench.seed, case_class, "edits", condition.attack, condition.strength, count)
    page.add(bench, taken, condition.recipe, seed)
    also = tuple(bench.works[work].work_id for work in taken.also)
    return Case(case_class, condition.attack, condition.strength, page.text, tuple(page.passages), also)


def _excerpt_page(bench: Bench, case_class: str, condition: Condition, count: int) -> Case:
    rng = generator(bench.seed, case_class, condition.attack, condition.strength, count)
    taken = _unshared(bench, rng, condition.chars, is_exact=True)
    carrier = bench.carrier(rng)
    place = middle(carrier, rng)
    page = Page()
    page.write(carrier[:place])
    seed = number(bench.seed, case_class, "edits", condition.attack, condition.strength, count)
    page.add(bench, taken, condition.recipe, seed)
    page.write(carrier[place:])
    return Case(case_class, condition.attack, condition.strength, page.text, tuple(page.passages))


def _unshared(bench: Bench, rng: Random, chars: int, used: set[int] | None = None, *, is_exact: bool = False) -> Taken:
    """Return a passage that occurs once in one work only, and overlaps none of the used ones."""
    cut = exact_passage if is_exact else passage
    for _ in range(benches.MAX_TRIES):
        work = benches.weighted(bench, rng)
        text = bench.works[work].text
        place = cut(text, benches.page_range(bench.works[work], rng), chars, rng)
        if place is None or work in (used or ()):
            continue
        taken = Taken(work, place, ())
        if not _others(bench, taken):
            return taken
    raise BadInput("laboratory.no-passage", chars=chars)


def _others(bench: Bench, taken: Taken) -> frozenset[int]:
    """Return the works that contain parts of the passage; also the work itself if it contains the passage twice."""
    text = bench.works[taken.work].text[taken.place.start : taken.place.end]
    return bench.shelf.elsewhere(taken.work, taken.place.start, taken.place.end, text)


def _glue(bench: Bench, rng: Random) -> str:
    carrier = bench.carrier(rng)
    piece = one_of(rng, cuts(carrier, between(rng, *GLUE_CHARS)))
    return f"\n{carrier[piece.start : piece.end]}\n"
