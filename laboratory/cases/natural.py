"""Pages that others copied: other editions of a work, and works that took passages over."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from random import Random

from core.text import TextRange
from laboratory.cases.bench import Bench
from laboratory.cases.conditions import Size
from laboratory.cases.passages import PAGE_CHARS, passage
from laboratory.cases.sources import Copy
from laboratory.draws import between, generator, mixed, one_of
from laboratory.edits.edited import Passage
from laboratory.scores.detection_quality import Case

# Editions are matched chapter by chapter; a cut of a chapter may be a note that the other edition lacks.
MIN_CONTAINED = 0.2
MIN_REUSED_CHARS = 60  # of the page, from one work; shorter reuse is named and counts neither way
CHARS_BEFORE = (50, 800)


def natural(bench: Bench, copies: Sequence[Copy], size: Size) -> Iterator[Case]:
    """Yield chapters of other editions, cut to the length of a page."""
    return islice(_pages(bench, copies, "natural", _edition_page), size.natural)


def reuse(bench: Bench, copies: Sequence[Copy], size: Size) -> Iterator[Case]:
    """Yield parts of works that took over passages from others."""
    return islice(_pages(bench, copies, "reuse", _reuse_page), size.reuse)


def _pages(
    bench: Bench, copies: Sequence[Copy], name: str, made: Callable[[Bench, Copy, Random], Case | None]
) -> Iterator[Case]:
    rng = generator(bench.seed, name)
    drawn = mixed(rng, [copy for copy in copies if copy.case_class == name])
    return (case for copy in drawn if (case := made(bench, copy, rng)) is not None)


def _edition_page(bench: Bench, copy: Copy, rng: Random) -> Case | None:
    numbers = _numbers(bench)
    cut = passage(copy.text, TextRange(0, len(copy.text)), PAGE_CHARS, rng)
    if cut is None:
        return None
    text = copy.text[cut.start : cut.end]
    whole = TextRange(0, len(text))
    passages = tuple(
        Passage(each.work_id, whole, each.work)
        for each in copy.passages
        if each.work_id in numbers and bench.shelf.contained(text, numbers[each.work_id]) >= MIN_CONTAINED
    )
    return _case(bench, copy, text, passages) if passages else None


def _reuse_page(bench: Bench, copy: Copy, rng: Random) -> Case | None:
    numbers = _numbers(bench)
    inside = [each for each in copy.passages if each.work_id in numbers]
    if not inside:
        return None
    start = max(0, one_of(rng, inside).page.start - between(rng, *CHARS_BEFORE))
    end = min(len(copy.text), start + PAGE_CHARS)
    cut = [
        Passage(
            each.work_id, TextRange(max(each.page.start, start) - start, min(each.page.end, end) - start), each.work
        )
        for each in inside
        if each.page.start < end and each.page.end > start
    ]
    reused: dict[str, int] = {}
    for each in cut:
        reused[each.work_id] = reused.get(each.work_id, 0) + len(each.page)
    passages = tuple(each for each in cut if reused[each.work_id] >= MIN_REUSED_CHARS)
    return _case(bench, copy, copy.text[start:end], passages) if passages else None


def _case(bench: Bench, copy: Copy, text: str, passages: tuple[Passage, ...]) -> Case:
    true = {each.work_id for each in passages}
    sharing = sorted(bench.works[number].work_id for number in bench.shelf.sharing(text))
    also = tuple(work_id for work_id in sharing if work_id not in true)
    return Case(copy.case_class, copy.attack, copy.strength, text, passages, also, is_span_scored=False)


def _numbers(bench: Bench) -> dict[str, int]:
    return {work.work_id: number for number, work in enumerate(bench.works)}
