"""One long text -> its chapters, by the headings on lines of their own. Every character stays where it was."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.numerals import NUMERAL_CHARS
from core.works import Chapter
from crawler.formats.numerals import number_of

MAX_HEADING_CHARS = (
    40  # old novels have couplets of sixteen characters for titles; a sentence is longer or ends in a mark
)
MAX_FRONT_MATTER_CHARS = 200  # title, author, a motto; more than that before the first heading is a preface
MIN_BODY_CHARS = 20  # a heading with less under it belongs to the next one: a volume's name, a table of contents
# At least so many of the steps from one number to the next must be such as chapters make. A book with a chapter missing
# here and there stays above; sentences that begin with 第三回 by chance do not count upwards. Set by reasoning.
MIN_PLAUSIBLE_STEPS = 0.7
MAX_GAP = 5

_NUMBER = rf"[0-9０-９{NUMERAL_CHARS}]{{1,9}}"
_VOLUME = rf"第\s*{_NUMBER}\s*[卷部集册冊]"
_HEADING = re.compile(
    rf"(?:正文\s*)?(?:{_VOLUME}[^第]{{0,20}}\s+)?"
    rf"第\s*(?P<number>{_NUMBER})\s*(?P<unit>[章回节節話话篇幕折卷部集册冊])(?P<rest>.*)"
    rf"|(?P<word>chapter|part)\s+(?P<latin>\d{{1,4}}|[IVXLC]{{1,8}})(?P<latin_rest>(?:[\s.:：、—-].*)?)"
    rf"|卷(?P<volume>[{NUMERAL_CHARS}]{{1,5}})(?P<volume_rest>(?:[\s:：、·].*)?)",
    re.IGNORECASE,
)
_UNNUMBERED = re.compile(
    r"(?:序章|序幕|序言|自序|楔子|引子|引言|前言|尾声|尾聲|终章|終章|后记|後記|番外\S{0,12}|跋)(?:[\s:：].{0,20})?"
)
_ENDS_LIKE_PROSE = re.compile("[。，、；：,;”」』]$|。.")
_JOINED_PROSE = re.compile("[的里裡是中讲講说說和与與到在有就了过過]")  # 第一章的内容, 第三回见到他: sentences
_VOLUME_UNITS = frozenset("卷部集册冊")
_SEPARATORS = " \t\u3000:：、.．-—·"
_WRAPPING = " \t\u3000\ufeff\u00a0#*=【】[]〖〗"


@dataclass(frozen=True, slots=True)
class Heading:
    """A line that names a chapter. `start` is where the line begins; `number` is None for prologues and the like."""

    start: int
    end: int
    title: str
    number: int | None
    is_volume: bool = False


def split_chapters(text: str) -> tuple[Chapter, ...]:
    """The chapters of `text`, or the whole of it as one chapter where it has no headings that number plausibly.

    The texts of the chapters, joined, are `text`; a heading stands at the head of its chapter, and what comes before
    the first heading goes with the first chapter unless it is long enough to be one. A text with a single heading, at
    its head, is one chapter of that title.
    """
    found = list(_headings(text))
    chosen = _merged(found, text)
    numbered = [heading for heading in chosen if heading.number is not None]
    if len(numbered) < 2 or not _is_plausible([heading.number or 0 for heading in numbered]):
        return (Chapter(1, _own_title(text, found), text),)
    return _cut(text, chosen)


def _own_title(text: str, headings: Sequence[Heading]) -> str:
    is_at_head = len(headings) == 1 and len(text[: headings[0].start].strip()) < MAX_FRONT_MATTER_CHARS
    return headings[0].title if is_at_head else ""


def split_at(text: str, is_heading: Callable[[str], str]) -> tuple[Chapter, ...]:
    """`text` cut before each line that `is_heading` gives a title ("" for prose); whole where fewer than two are."""
    headings = [
        Heading(start, start + len(line), title, None) for start, line in _lines(text) if (title := is_heading(line))
    ]
    return _cut(text, headings) if len(headings) >= 2 else (Chapter(1, "", text),)


def heading_of(line: str) -> Heading | None:
    """The heading that a single line is, None for a line of prose.

    >>> heading_of("第十二章　风起").title, heading_of("第一回见到他的时候，我还小。")
    ('第十二章 风起', None)
    """
    bare = line.strip(_WRAPPING)
    if not bare or len(bare) > MAX_HEADING_CHARS:
        return None
    if _UNNUMBERED.fullmatch(bare):
        return Heading(0, len(line), _title(bare), None)
    found = _HEADING.fullmatch(bare)
    if not found or _ENDS_LIKE_PROSE.search(bare):
        return None
    numeral = found["number"] or found["latin"] or found["volume"]
    unit, rest = found["unit"] or "", found["rest"] or ""
    number = number_of(numeral)
    if number is None or (rest and not _is_title(unit, rest)):
        return None
    return Heading(0, len(line), _title(bare), number, is_volume=unit in _VOLUME_UNITS or bool(found["volume"]))


def _is_title(unit: str, rest: str) -> bool:
    if rest[0] in _SEPARATORS or rest[0] in "(（《“「":
        return True
    return unit in "章节節" and len(rest) <= 20 and not _JOINED_PROSE.match(rest)


def _title(bare: str) -> str:
    return re.sub(r"[\s\u3000]+", " ", bare)


def _lines(text: str) -> list[tuple[int, str]]:
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    return [(start, text[start:end].rstrip("\n")) for start, end in pairwise([*starts, len(text)])]


def _headings(text: str) -> list[Heading]:
    found = []
    for start, line in _lines(text):
        heading = heading_of(line) if len(line) <= 4 * MAX_HEADING_CHARS else None
        if heading is not None:
            found.append(Heading(start, start + len(line), heading.title, heading.number, heading.is_volume))
    return found


def _merged(headings: Sequence[Heading], text: str) -> list[Heading]:
    """Those under which something stands; one with hardly anything gives its place to the next and keeps its text.

    Volumes are no chapters where there are chapters, but for a volume's own preface.
    """
    kept: list[Heading] = []
    start: int | None = None
    has_chapters = any(heading.number is not None and not heading.is_volume for heading in headings)
    for heading, after in pairwise([*headings, Heading(len(text), len(text), "", None)]):
        begin = heading.start if start is None else start
        if len(text[heading.end : after.start].strip()) < MIN_BODY_CHARS and after.start < len(text):
            start = begin
            continue
        number = None if heading.is_volume and has_chapters else heading.number
        kept.append(Heading(begin, heading.end, heading.title, number, heading.is_volume))
        start = None
    return kept


def _is_plausible(numbers: Sequence[int]) -> bool:
    steps = [after - before for before, after in pairwise(numbers)]
    restarts = [after <= 1 for after in numbers[1:]]
    good = sum(0 <= step <= MAX_GAP or is_restart for step, is_restart in zip(steps, restarts, strict=True))
    return good >= MIN_PLAUSIBLE_STEPS * len(steps) and len(set(numbers)) > 1


def _cut(text: str, headings: Sequence[Heading]) -> tuple[Chapter, ...]:
    starts = [heading.start for heading in headings]
    titles = [heading.title for heading in headings]
    if len(text[: starts[0]].strip()) < MAX_FRONT_MATTER_CHARS:
        starts[0] = 0
    else:
        starts.insert(0, 0)
        titles.insert(0, "")
    pieces = [text[start:end] for start, end in pairwise([*starts, len(text)])]
    return tuple(
        Chapter(number, title, piece) for number, (title, piece) in enumerate(zip(titles, pieces, strict=True), 1)
    )
