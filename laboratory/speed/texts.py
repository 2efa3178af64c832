"""Texts for measuring speed: a reference corpus of a given size, and pages of equal length in a mix of classes."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from math import ceil
from random import Random
from types import MappingProxyType

from core.errors import BadInput
from laboratory.cases.build import built
from laboratory.cases.conditions import EXCERPT_CHARS, EXCERPT_STRENGTHS, FULL, PATCHWORK_WORKS, SIZES, Size
from laboratory.cases.passages import PAGE_CHARS
from laboratory.cases.sources import Kind, Sources
from laboratory.draws import generator, mixed, number
from laboratory.markov import ChainText
from laboratory.scores.detection_quality import Case

# Shares of the pages. Whole copies, with all kinds of edits, are one half; the share of innocent pages is that of a
# usual set of labelled cases, and higher than in a crawl of suspects.
MIX: Mapping[str, float] = MappingProxyType(
    {"full": 0.5, "excerpt": 0.15, "patchwork": 0.1, "natural": 0.1, "negative": 0.15}
)
MIN_WORKS_CHARS = 1_000
CHAIN_CHARS = 8_000_000  # real text from which works are generated; takes 128 MB


@dataclass(frozen=True, slots=True)
class Material:
    """works: each text once; pages: of PAGE_CHARS characters each, in random order; mix: pages by class."""

    works: tuple[str, ...]
    real_chars: int
    pages: tuple[str, ...]
    mix: Mapping[str, int]

    @property
    def works_chars(self) -> int:
        return sum(map(len, self.works))


def material(sources: Sources, works_chars: int, pages: int, seed: int, say: Callable[[str], None]) -> Material:
    """Return works of `works_chars` characters, generated ones after the real ones if these are fewer, and pages.

    Raises BadInput if the sources are too few or too similar.
    """
    if works_chars < MIN_WORKS_CHARS or pages < 1:
        raise BadInput("laboratory.too-short", least=MIN_WORKS_CHARS)
    case_set = built(sources, _size(sources, works_chars, pages), seed, MIX, say)
    real = list(dict.fromkeys(work.text for work in case_set.works))
    real_chars = sum(map(len, real))
    if real_chars < works_chars:
        say(f"generating {works_chars - real_chars:,} characters of works")
    drawn = _drawn(case_set.cases, pages, generator(seed, "speed"))
    return Material(
        tuple(_works(real, works_chars, seed)),
        real_chars,
        tuple(_of_page_length(drawn, case_set.cases)),
        dict(Counter(_class(case) for case in drawn)),
    )


def _works(real: Sequence[str], chars: int, seed: int) -> Iterator[str]:
    """Yield the real texts and then generated ones of similar lengths, `chars` characters in total."""
    chain = ChainText(real, CHAIN_CHARS) if sum(map(len, real)) < chars else None
    made = 0
    while chars > 0:
        if chain is None or made < len(real):
            text = real[made]
        else:
            drawn = number(seed, "text", made)
            text = chain.text(len(real[drawn % len(real)]), drawn)
        text = text[:chars]
        yield text
        chars -= len(text)
        made += 1


def slices(texts: Sequence[str], chars: int, count: int) -> list[str]:
    """Return the first `count` slices of `chars` characters of the concatenated texts, fewer if these are too short."""
    joined = "\n".join(texts)
    full = [joined[start : start + chars] for start in range(0, min(len(joined), chars * count), chars)]
    return [text for text in full if len(text) == chars] or full[:1]


def _size(sources: Sources, works_chars: int, pages: int) -> Size:
    def each(name: str, conditions: int) -> int:
        return ceil(MIX[name] * pages / conditions)

    # Innocent pages are drawn from every kind of outside text; some kinds may not have enough.
    negative = dict.fromkeys(SIZES["full"].negative, 0) | {kind: each("negative", 2) for kind in Kind}
    return Size(
        reference_chars=works_chars,
        works=len(sources.works) + 1,
        full=each("full", len(FULL)),
        chapter=0,
        excerpt=each("excerpt", len(EXCERPT_CHARS) * len(EXCERPT_STRENGTHS)),
        patchwork=each("patchwork", len(PATCHWORK_WORKS)),
        natural=each("natural", 1),
        reuse=0,
        negative=negative,
        grey=0,
        hard=0,
    )


def _drawn(cases: Sequence[Case], pages: int, rng: Random) -> list[Case]:
    """Return that many cases in the shares of MIX; if a class has too few, others replace them."""
    by_class: dict[str, list[Case]] = defaultdict(list)
    for case in mixed(rng, cases):
        by_class[_class(case)].append(case)
    drawn, left = [], []
    for name, share in MIX.items():
        quota = round(share * pages)
        drawn += by_class[name][:quota]
        left += by_class[name][quota:]
    short = pages - len(drawn)
    again = cycle(left or drawn)
    drawn = [*drawn, *(next(again) for _ in range(short))][:pages]
    return mixed(rng, drawn)


def _class(case: Case) -> str:
    """Return the class of a case, `excerpt` for excerpts of any length."""
    return "excerpt" if case.case_class.startswith("excerpt") else case.case_class


def _of_page_length(drawn: Sequence[Case], cases: Sequence[Case]) -> Iterator[str]:
    """Yield the pages cut to PAGE_CHARS, or filled up to it with innocent text."""
    fillers = cycle([case.text for case in cases if _class(case) == "negative"] or [case.text for case in cases])
    for case in drawn:
        text = case.text
        while len(text) < PAGE_CHARS:
            text += "\n" + next(fillers)
        yield text[:PAGE_CHARS]
