"""A main text without the obfuscations that stand in the text itself, not in its markup."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from core.obfuscations import ObfuscationFound
from crawler.obfuscation.repaired import EXAMPLE_CHARS
from crawler.obfuscation.repairs import repairs


@dataclass(frozen=True, slots=True)
class CleanText:
    """A text with its noise gone, and what that was."""

    text: str
    obfuscations: tuple[ObfuscationFound, ...]


def cleaned(text: str, url: str = "") -> CleanText:
    """Undo what stands between the characters of a text; one without noise comes back as it is.

    >>> cleaned("夜很静。风停了。").obfuscations
    ()
    """
    host, found, again = _host(url), [], []
    for repair in repairs():
        if repair.in_text is None:
            continue
        if repair.is_repeated:
            again.append((repair.in_text, text))
        text, obfuscation = repair.in_text(text, host)
        found.append(obfuscation)
    for in_text, seen in again:  # an address may be hidden by noise, and noise may look like a part of an address
        if text != seen:
            text, obfuscation = in_text(text, host)
            found.append(obfuscation)
    return CleanText(text, merged([each for each in found if each is not None]))


def merged(found: Sequence[ObfuscationFound]) -> tuple[ObfuscationFound, ...]:
    """One entry a kind, in order of the first; counts added, the first example kept."""
    result: dict[str, ObfuscationFound] = {}
    for one in found:
        before = result.get(one.kind)
        count = one.count + (before.count if before else 0)
        example = before.example if before and before.example else one.example
        result[one.kind] = ObfuscationFound(one.kind, count, example[:EXAMPLE_CHARS])
    return tuple(result.values())


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:
        return ""
