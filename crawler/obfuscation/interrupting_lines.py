"""Removes lines of one pattern between sentences: numbers and times of subtitles, names and times of chat messages."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from core.obfuscations import Obfuscation, ObfuscationFound
from crawler.characters.repertoire import count_han
from crawler.obfuscation.repairs import EXAMPLE_CHARS, Repair

# Chosen. Fewer lines are the dates and numbers of an article. Subtitles have a line for every ten characters, and
# messages for every forty; a diary or a list of news has one for every two hundred.
MIN_LINES, MIN_SHARE, MAX_HAN_BETWEEN = 6, 0.25, 80
# Of a line between sentences, of its words, of a name before a time.
MAX_CHARS, MAX_LETTERS, MAX_NAME_CHARS = 48, 16, 12
MAX_SHAPES = 4  # one for the number, one for the time, and two for another day or a longer name
_TIME = r"\d{1,2}[:：]\d{2}(?:[:：]\d{2})?(?:[.,]\d{1,3})?"
_DATE = r"(?:\d{2,4}[-/.年])?\d{1,2}[-/.月]\d{1,2}日?"
_MOMENT = re.compile(rf"{_TIME}|{_DATE}")
_PREFIX = re.compile(
    rf"^(?:[^\s，。！？：:\d]{{1,{MAX_NAME_CHARS}}}\s*)?[\[(（【<]?(?:{_DATE}\s*)?{_TIME}[\])）】>]?\s*[:：]?\s*(?=\S)"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d+")
_SENTENCE = re.compile("[，。！？；…“”」,!?;]")


def without_interruptions(text: str, _host: str) -> tuple[str, ObfuscationFound | None]:
    r"""Return a text without the lines and starts of lines that interrupt its sentences, and a record of them or None.

    >>> without_interruptions("".join(f"{n}\n00:00:0{n},000 --> 00:00:0{n},900\n清晨的雾，\n" for n in range(4)), "")[0]
    '清晨的雾，\n清晨的雾，\n清晨的雾，\n清晨的雾，'
    """
    lines = text.splitlines()
    removed = _interruptions(lines)
    kept = [line for number, line in enumerate(lines) if number not in removed]
    prefixes = [match[0] for line in kept if (match := _PREFIX.match(line)) is not None]
    if len(prefixes) >= MIN_LINES and _interrupts(len(prefixes), kept):
        kept = [_PREFIX.sub("", line) for line in kept]
    else:
        prefixes = []
    pieces = [*(lines[number] for number in sorted(removed)), *prefixes]
    if not pieces:
        return text, None
    example = max(pieces[:MAX_SHAPES], key=len)[:EXAMPLE_CHARS]  # the time rather than the number
    return "\n".join(kept), ObfuscationFound(Obfuscation.INTERRUPTING_LINES, len(pieces), example)


def _interruptions(lines: Sequence[str]) -> set[int]:
    """Return the indexes of the lines that interrupt the sentences."""
    shapes = {number: shape for number, line in enumerate(lines) if (shape := _shape(line))}
    usual = {shape for shape, count in Counter(shapes.values()).most_common(MAX_SHAPES) if count >= MIN_LINES / 2}
    found = {number for number, shape in shapes.items() if shape in usual}
    runs = sum(1 for is_found, _ in groupby(number in found for number in range(len(lines))) if is_found)
    rest = [line for number, line in enumerate(lines) if number not in found]
    return found if len(found) >= MIN_LINES and runs >= MIN_LINES / 2 and _interrupts(runs, rest) else set()


def _interrupts(places: int, rest: Sequence[str]) -> bool:
    han = sum(map(count_han, rest))
    return han <= MAX_HAN_BETWEEN * places and places >= MIN_SHARE * len(rest)


def _shape(line: str) -> str:
    """Return the pattern of a line that may interrupt sentences, or "" for a line of the text."""
    if len(line) > MAX_CHARS or _SENTENCE.search(_MOMENT.sub("", line)):
        return ""
    letters = "".join(_LETTERS.findall(line))
    is_text = len(letters) > MAX_LETTERS or (letters and _MOMENT.search(line) is None)
    if is_text or _DIGITS.search(line) is None:
        return ""
    return _DIGITS.sub("0", _LETTERS.sub("x", line))


REPAIR = Repair(in_text=without_interruptions, signs=_DIGITS)
