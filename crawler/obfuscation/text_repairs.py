"""A main text without the obfuscations that stand in the text itself, not in its markup."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from core.marks import Mark
from core.obfuscations import ObfuscationFound
from crawler.obfuscation.repaired import EXAMPLE_CHARS
from crawler.obfuscation.repairs import Repair, repairs
from crawler.obfuscation.text_origins import always, of_marks
from crawler.reading_steps import ReadingSteps


@dataclass(frozen=True, slots=True)
class CleanText:
    """A text with its noise gone, and what that was. steps: each kind that was undone, and the text after it."""

    text: str
    obfuscations: tuple[ObfuscationFound, ...]
    steps: tuple[tuple[str, str], ...] = ()


def cleaned(text: str, url: str = "", budget: ReadingSteps | None = None) -> CleanText:
    """Undo what stands between the characters of a text; one without noise comes back as it is.

    budget: raises TooCostly where that takes too long.

    >>> cleaned("夜很静。风停了。").obfuscations
    ()
    """
    host, again = _host(url), []
    found, steps = list[ObfuscationFound](), list[tuple[str, str]]()
    for repair in repairs():
        if budget is not None:
            budget.check()
        if repair.is_repeated:
            again.append((repair, text))
        text = _undone(repair, text, host, found, steps)
    for repair, seen in again:  # an address may be hidden by noise, and noise may look like a part of an address
        if text != seen:
            text = _undone(repair, text, host, found, steps)
    return CleanText(text, merged(found), tuple(steps))


def with_noise(raw_text: str, text: str, marks: Sequence[Mark], clean: CleanText) -> tuple[Mark, ...]:
    """The marks between a raw text and a clean one that was made of `text`, from those that led to that."""
    if not clean.steps:
        return tuple(marks)
    origins = of_marks(raw_text, text, marks)
    for kind, after in clean.steps:
        origins.step(after, always(kind))
    return origins.marks()


def merged(found: Sequence[ObfuscationFound]) -> tuple[ObfuscationFound, ...]:
    """One entry a kind, in order of the first; counts added, the first example kept."""
    result: dict[str, ObfuscationFound] = {}
    for one in found:
        before = result.get(one.kind)
        count = one.count + (before.count if before else 0)
        example = before.example if before and before.example else one.example
        result[one.kind] = ObfuscationFound(one.kind, count, example[:EXAMPLE_CHARS])
    return tuple(result.values())


def _undone(repair: Repair, text: str, host: str, found: list[ObfuscationFound], steps: list[tuple[str, str]]) -> str:
    if repair.in_text is None:
        return text
    after, obfuscation = repair.in_text(text, host)
    if obfuscation is not None:
        found.append(obfuscation)
        steps.append((obfuscation.kind.value, after))
    return after


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:
        return ""
