"""The texts from which cases are drawn: works, and outside texts that share no wording with any work."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import isqrt
from random import Random

from core.errors import BadInput
from core.text import TextRange
from laboratory import draws
from laboratory.cases.conditions import Size
from laboratory.cases.passages import PAGE_CHARS, cuts
from laboratory.cases.shelf import Shelf
from laboratory.cases.sources import Kind, Sources, Work
from laboratory.draws import between, generator, mixed, one_of
from laboratory.edits.material import Material

MIN_OUTSIDE_CHARS = 200  # length of a page or a carrier
CARRIER_CHARS = (600, 1_500)
MAX_TRIES = 200  # attempts at drawing one passage before the works are rejected


@dataclass(frozen=True, slots=True, eq=False)
class Bench:
    """The works in order, and the clean outside texts of each kind."""

    seed: int
    works: tuple[Work, ...]
    shelf: Shelf
    outside: dict[Kind, list[str]]
    material: Material

    @property
    def drawn_works(self) -> list[int]:
        """The numbers of the works from which passages are taken."""
        return [number for number, work in enumerate(self.works) if work.is_unique and not work.is_chapter]

    @property
    def outside_texts(self) -> list[str]:
        return [text for texts in self.outside.values() for text in texts]

    def carrier(self, rng: Random) -> str:
        """Return the beginning of an outside text of any kind."""
        kinds = [kind for kind, texts in self.outside.items() if texts]
        text = one_of(rng, self.outside[one_of(rng, kinds)])
        return text[: cuts(text, between(rng, *CARRIER_CHARS))[0].end]


def bench_of(sources: Sources, size: Size, seed: int) -> Bench:
    """Return a bench of the works that the size admits. Raises BadInput if no work or no clean outside text is left."""
    works = _admitted(sources.works, size, seed)
    shelf = Shelf([work.text for work in works])
    # Each kind of negative page is an unchanged outside text; carriers are drawn from the same texts.
    outside = {}
    for kind in Kind:
        candidates = [each.text for each in sources.outside if each.kind is kind]
        outside[kind] = _clean(candidates, shelf, 2 * size.negative[kind], generator(seed, "outside", kind))
    bench = Bench(seed, works, shelf, outside, sources.material)
    if not bench.drawn_works:
        raise BadInput("laboratory.no-work")
    if not bench.outside_texts:
        raise BadInput("laboratory.no-innocent")
    return bench


def weighted(bench: Bench, rng: Random) -> int:
    """Return a random work, weighted by the square root of its length, so that short works are drawn too."""
    numbers = bench.drawn_works
    sums = list(accumulate(1 + isqrt(len(bench.works[number].text)) for number in numbers))
    point = draws.one_below(rng, sums[-1])
    return next(number for number, end in zip(numbers, sums, strict=True) if point < end)


def page_range(work: Work, rng: Random) -> TextRange:
    """Return the range of a random chapter, extended into the following text if it is shorter than a page."""
    chapter = one_of(rng, work.chapters)
    return TextRange(chapter.start, min(max(chapter.end, chapter.start + PAGE_CHARS), len(work.text)))


def _admitted(works: Sequence[Work], size: Size, seed: int) -> tuple[Work, ...]:
    """Return all works, or as many as the size admits, a third of them chapters, in the order given."""
    if size.works is None or size.reference_chars is None:
        return tuple(works)
    order = mixed(generator(seed, "works"), range(len(works)))
    short = [number for number in order if works[number].is_chapter][: size.works // 3]
    kept, chars = set(short), sum(len(works[number].text) for number in short)
    for number in order:
        own = len(works[number].text)
        if not works[number].is_chapter and len(kept) < size.works and chars + own <= size.reference_chars:
            kept.add(number)
            chars += own
    return tuple(works[number] for number in sorted(kept))


def _clean(texts: Sequence[str], shelf: Shelf, wanted: int, rng: Random) -> list[str]:
    """Return the wanted number of page-long cuts of the texts that share no wording with a work, each once."""
    clean: dict[str, None] = {}
    for text in _page_long(mixed(rng, texts), rng):
        if len(clean) >= wanted:
            break
        if len(text) >= MIN_OUTSIDE_CHARS and not shelf.sharing(text):
            clean[text] = None
    return list(clean)


def _page_long(texts: Sequence[str], rng: Random) -> Iterator[str]:
    pieces = [text[piece.start : piece.end].strip() for text in texts for piece in cuts(text, PAGE_CHARS)]
    return iter(mixed(rng, pieces))
