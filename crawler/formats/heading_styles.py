"""Finds the heading styles that may divide a text into chapters, and ranks them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from statistics import median

from crawler.formats.heading_lines import HeadingReading, Rank, heading_readings, is_title, shown_title

MAX_LINE_CHARS = 160
# A heading with less text before the next one belongs to the next one: a volume's name, a table of contents.
MIN_BODY_CHARS = 20
MAX_FRONT_MATTER_CHARS = 200  # title, author, motto; a longer text before the first heading is a preface
# The minimum share of plausible steps between consecutive numbers. A book with some missing chapters exceeds it;
# sentences that begin with 第三回 by chance do not count upwards. Chosen by reasoning.
MIN_PLAUSIBLE_STEPS = 0.7
MAX_GAP = 5
# Conditions for styles that are not explicit headings. Chosen on 918 text files of public repositories, half of them
# without chapters (2026-11), so that essays with sections, lists and poems are not divided.
MIN_HEADINGS, MIN_PREFIXED = 3, 5  # for 1、 and similar styles; for titles and styles with a text before the number
MIN_RISING = 0.5  # of the lines of a style; the other lines are prose that begins with a number
# Effective number of chapters of equal length, divided by their number; 1 if all have the same length.
MIN_EVENNESS = 0.5
MIN_DISTINCT = 0.8  # of the titles: 原文, 注释 and 译文 are parts of chapters
MAX_FRONT = 0.25  # of the text, before the first heading
_LEAST = {  # the minimum of the median chapter, and of headings times characters: ten chapters of 500, five of 2,000
    Rank.NUMBER: (200, 50_000),
    Rank.PAGE: (200, 50_000),
    Rank.SIGN: (300, 50_000),
    Rank.TITLE: (300, 80_000),
}
MAX_OUTLINED_CHARS = 60_000  # longer texts with numbered sections inside are hardly ever books, but reports and theses
# A table of contents consists of lines with little text between them. They recur with at least this many times more.
MAX_CONTENTS_GAP, MIN_BODY_RATIO, MIN_CONTENTS = 300, 5, 2
MAX_REPEATS = 5  # of a number; 第一部分 above each of its chapters is not a table of contents
# A chapter that is this much longer than the others, and at least this long, is divided by another style if possible.
MIN_TIMES_LONGER, MIN_LONG_CHARS = 10, 10_000
MIN_TIMES_TO_GO_ON = 3  # if the other style continues the numbers
SET_APART = "顶格"  # the style of titles that only an indent other than that of prose distinguishes
MIN_PROSE_CHARS, MIN_INDENTED_ALIKE = 40, 0.8
MAX_STYLES = 40  # number of styles that are tried although they are not explicit; texts have thousands that occur twice


_BARE_NUMBER = re.compile(r"\W*[0-9]+\W*")
_ENDS_SENTENCE = re.compile('[。！？!?.…~～—：:；;”’"』」》）)】*=]$')


@dataclass(frozen=True, slots=True)
class ChapterHeading:
    """A heading line in a text.

    start, end: the indexes of the line. number: None for prologues and similar chapters
    """

    start: int
    end: int
    title: str
    number: int | None
    rank: Rank = Rank.CHAPTER
    style: str = ""
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class Style:
    """A style, and the headings of this style that begin chapters.

    worth: for comparison with other styles. is_plausible: False if only a person would choose the style. front_chars:
    the length of a preface before the first heading, without a table of contents
    """

    name: str
    headings: tuple[ChapterHeading, ...]
    front_chars: int
    worth: float
    is_plausible: bool


def make_heading(start: int, line: str, reading: HeadingReading) -> ChapterHeading:
    """Return the heading for a reading of the line that begins at index `start`."""
    title = shown_title(line)
    return ChapterHeading(start, start + len(line), title, reading.number, reading.rank, reading.style, reading.is_sure)


def placed_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line of a text with the index of its start."""
    start = 0
    for line in text.split("\n"):
        yield start, line
        start += len(line) + 1


class FoundHeadings:
    """The lines of a text that may be headings, and the styles that they form."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._by_style = defaultdict[str, list[ChapterHeading]](list)
        for start, line in placed_lines(text):
            if len(line) <= MAX_LINE_CHARS:
                for reading in heading_readings(line):
                    self._by_style[reading.style].append(make_heading(start, line, reading))
        self._unnumbered = self._by_style.pop("", [])
        divisions = (Rank.CHAPTER, Rank.SECTION, Rank.VOLUME)
        marks = (each for found in self._by_style.values() for each in found)
        self._divisions = [each for each in marks if each.rank in divisions and each.is_sure]
        if apart := list(_set_apart(text)):
            self._by_style[SET_APART] = apart

    @property
    def own_title(self) -> str:
        """The title of a text that has only one chapter: its only heading, at the beginning; "" if it has none."""
        marks = [*self._divisions, *self._unnumbered]
        is_at_head = len(marks) == 1 and len(self._text[: marks[0].start].strip()) < MAX_FRONT_MATTER_CHARS
        return marks[0].title if is_at_head else ""

    @cached_property
    def styles(self) -> list[Style]:
        """The styles that divide the text, the best first."""
        frequent = sorted(self._by_style, key=lambda name: -len(self._by_style[name]))[:MAX_STYLES]
        named = [name for name, marks in self._by_style.items() if marks[0].rank not in _LEAST]
        found = [style for name in dict.fromkeys([*named, *frequent]) if (style := self._find_style(name))]
        return sorted(found, key=lambda each: (not each.is_plausible, -each.worth))

    def style_by_name(self, name: str) -> Style | None:
        """Return the style that a person chose by its name, or None if it divides nothing.

        Its numbers may restart anywhere.
        """
        if self.best is not None and self.best.name == name:
            return self.best
        return self._find_style(name, is_wanted=True) if name in self._by_style else None

    @cached_property
    def best(self) -> Style | None:
        """The best style, or None if there is none. Other styles divide the parts that it does not divide."""
        found = self._most_plausible()
        return self._divide_further(found) if found is not None and len(found.headings) >= MIN_PREFIXED else found

    def _most_plausible(self) -> Style | None:
        return next((each for each in self.styles[:1] if each.is_plausible), None)

    def _divide_further(self, found: Style) -> Style:
        usual = median(self._body_lengths(found.headings))
        starts = [each.start for each in found.headings]
        chapters = zip(found.headings, [*starts[1:], len(self._text)], strict=True)
        spans = [(None, 0, starts[0]), *((each.number, each.end, end) for each, end in chapters)]
        for number, start, end in spans:
            if end - start < MIN_TIMES_TO_GO_ON * usual:
                continue
            within = FoundHeadings(self._text[start:end])
            other = within._continuing_style(number)
            if other is None and end - start >= max(MIN_LONG_CHARS, MIN_TIMES_LONGER * usual):
                other = within._most_plausible()
            if other is None or other.headings[-1].rank in (Rank.VOLUME, Rank.PAGE, Rank.SIGN, Rank.TITLE):
                continue
            if median(within._body_lengths(other.headings)) * MIN_BODY_RATIO >= usual:
                moved = [replace(each, start=each.start + start, end=each.end + start) for each in other.headings]
                found = replace(
                    found,
                    name=" + ".join(dict.fromkeys([*found.name.split(" + "), other.name])),
                    headings=tuple(sorted((*found.headings, *moved), key=_mark_start)),
                    front_chars=found.front_chars if start else other.front_chars,
                )
        return found

    def _continuing_style(self, number: int | None) -> Style | None:
        """Return the best style whose first number follows `number`, or None."""
        found = (each for each in self.styles if number is not None and len(each.headings) >= MIN_HEADINGS)
        return next((each for each in found if each.headings[0].number == (number or 0) + 1), None)

    def _find_style(self, name: str, *, is_wanted: bool = False) -> Style | None:
        marks = self._by_style[name]
        rank = marks[0].rank
        own_lines = {each.start for each in marks}
        above = (Rank.VOLUME, *((Rank.CHAPTER,) if is_wanted and rank is not Rank.CHAPTER else ()))
        others = [each for each in self._divisions if rank is not Rank.VOLUME and each.rank in above]
        unnumbered = [each for each in (*self._unnumbered, *others) if each.start not in own_lines]
        all_marks = sorted((*marks, *unnumbered), key=_mark_start)
        left = _without_contents(all_marks, self._text)
        candidates = [each for each in left if each.style == name]
        begins_again = is_wanted or rank not in _LEAST or name.startswith("题(")  # "题(" numbers the parts of a title
        rising = _longest_rising(candidates, [each.start for each in left if each.rank is Rank.VOLUME], begins_again)
        kept = {each.start for each in rising}
        chosen = _drop_empty_headings([each for each in left if each.style != name or each.start in kept], self._text)
        own = [each for each in chosen if each.style == name]
        if len(own) < 2:
            return None
        bodies = self._body_lengths(own)
        evenness = sum(bodies) ** 2 / sum(body**2 for body in bodies)
        is_enough = len(rising) >= MIN_RISING * len(candidates) and evenness >= MIN_EVENNESS * len(bodies)
        is_plausible = _is_division(own) if rank not in _LEAST else is_enough and self._is_plausible(own, bodies)
        front = len(self._text[: chosen[0].start].strip()) - _listed_chars(all_marks, left, chosen[0].start)
        return Style(name, tuple(chosen), front, rank.weight * evenness, is_plausible)

    def _body_lengths(self, headings: Sequence[ChapterHeading]) -> list[int]:
        """Return the lengths of the chapters, and that of the text before the first heading if it is long enough."""
        ends = [*(each.start for each in headings[1:]), len(self._text)]
        bodies = [max(1, end - each.end) for each, end in zip(headings, ends, strict=True)]
        return [headings[0].start, *bodies] if headings[0].start > MAX_FRONT_MATTER_CHARS else bodies

    def _is_plausible(self, headings: Sequence[ChapterHeading], bodies: Sequence[int]) -> bool:
        rank, count, chars = headings[0].rank, len(headings), sum(bodies)
        min_body, min_divided = _LEAST[rank]
        is_number_first = rank is Rank.NUMBER and _starts_with_number(headings[0].style)
        distinct = {each.title for each in headings} if headings[0].number is None else headings
        return (
            count >= (MIN_HEADINGS if is_number_first else MIN_PREFIXED)
            and headings[0].start <= MAX_FRONT * len(self._text)
            and median(bodies) >= min_body
            and count * chars >= min_divided
            and len(distinct) >= MIN_DISTINCT * count
            and not self._are_pages(headings)
            and not (chars <= MAX_OUTLINED_CHARS and self._is_outline(headings))
        )

    def _are_pages(self, headings: Sequence[ChapterHeading]) -> bool:
        """Return True if the headings are page numbers: bare numbers, most of them inside a sentence."""
        bare = [each for each in headings if _BARE_NUMBER.fullmatch(each.title)]
        above = (self._text[max(0, each.start - MAX_LINE_CHARS) : each.start].rstrip() for each in bare)
        within = sum(1 for text in above if text and not _ENDS_SENTENCE.search(text))
        return 2 * within > len(headings)

    def _is_outline(self, headings: Sequence[ChapterHeading]) -> bool:
        """Return True if at least half of the parts contain numbered parts themselves."""
        inner = [
            (first.start, second.start)
            for name, marks in self._by_style.items()
            if name != headings[0].style and marks[0].rank is Rank.NUMBER
            for first, second in pairwise(marks)
            if (first.number, second.number) == (1, 2)
        ]
        starts = [*(each.start for each in headings), len(self._text)]
        outlined = [any(start < first and second < end for first, second in inner) for start, end in pairwise(starts)]
        return 2 * sum(outlined) >= len(outlined)


def _starts_with_number(style: str) -> bool:
    return style[0] in "1一I([【〖〔《『<"


def _mark_start(mark: ChapterHeading) -> int:
    return mark.start


def _set_apart(text: str) -> Iterator[ChapterHeading]:
    """Yield the titles whose indent differs from that of prose in the text."""
    indents = Counter(_line_indent(line) for _, line in placed_lines(text) if len(line) >= MIN_PROSE_CHARS)
    usual, count = next(iter(indents.most_common(1)), (0, 0))
    if count < MIN_INDENTED_ALIKE * indents.total() or not count:
        return
    for start, line in placed_lines(text):
        bare = line.strip()
        if bare and len(bare) <= MAX_LINE_CHARS and _line_indent(line) != usual and is_title(bare):
            yield ChapterHeading(start, start + len(line), shown_title(line), None, Rank.TITLE, SET_APART)


def _line_indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_division(headings: Sequence[ChapterHeading]) -> bool:
    """Return True if the headings of an explicit style count upwards, as chapters and volumes do."""
    numbers = [each.number or 0 for each in headings]
    steps = [0 <= after - before <= MAX_GAP or after <= 1 for before, after in pairwise(numbers)]
    is_named = len(headings) >= MIN_HEADINGS or any(each.is_sure for each in headings)
    return is_named and sum(steps) >= MIN_PLAUSIBLE_STEPS * len(steps) and len(set(numbers)) > 1


def _longest_rising(
    marks: Sequence[ChapterHeading], volumes: Sequence[int], begins_again: bool
) -> list[ChapterHeading]:
    """Return the longest series of headings with rising numbers, and all sure or unnumbered headings.

    Numbers rise in steps of at most MAX_GAP. volumes: the indexes of volume headings, after which numbers may restart.
    begins_again: True if they may restart anywhere and repeat
    """
    if not marks or marks[0].number is None:
        return list(marks)
    best: dict[int, tuple[int, int]] = {}  # by number, the length of the longest series and its last heading
    before: list[int] = []
    longest = base = (0, -1)
    waiting = list(reversed(volumes))
    for at, mark in enumerate(marks):
        number = mark.number or 0
        if begins_again or (waiting and waiting[-1] <= mark.start):
            base = longest
        while waiting and waiting[-1] <= mark.start:
            waiting.pop()
        lasts = [best[last] for last in range(number - MAX_GAP, number + begins_again) if last in best]
        length, previous = max([*lasts, base] if number <= 1 else lasts, key=_chain_length, default=(0, -1))
        before.append(previous)
        if length + 1 >= best.get(number, (0, -1))[0]:
            best[number] = (length + 1, at)
        if length + 1 >= longest[0]:
            longest = (length + 1, at)
    rising, at = set[int](), longest[1]
    while at >= 0:
        rising.add(at)
        at = before[at]
    return [mark for at, mark in enumerate(marks) if at in rising or mark.is_sure]


def _chain_length(chain: tuple[int, int]) -> int:
    return chain[0]


def _without_contents(marks: Sequence[ChapterHeading], text: str) -> list[ChapterHeading]:
    """Return the headings outside tables of contents. There, headings are close together and recur above a chapter."""
    ends = [*(mark.start for mark in marks[1:]), len(text)]
    bodies = [len(text[mark.end : end].strip()) for mark, end in zip(marks, ends, strict=True)]
    keys = [_mark_key(mark) for mark in marks]
    places = defaultdict[object, list[int]](list)
    for at, key in enumerate(keys):
        places[key].append(at)
    if len(marks) > MAX_REPEATS * len(places):
        return list(marks)
    longest = {key: max(bodies[at] for at in found) for key, found in places.items()}
    dropped = set[int]()
    for run in _short_runs(bodies):
        listed = [
            at
            for at in run[:-1]
            if longest[keys[at]] >= max(MIN_BODY_CHARS, MIN_BODY_RATIO * bodies[at], bodies[at] + 1)
        ]
        if len(listed) < MIN_CONTENTS or 2 * len(listed) < listed[-1] - listed[0]:
            continue
        contents = range(listed[0], listed[-1] + 1)
        dropped.update(contents)
        last = {marks[at].style: marks[at].number for at in contents}
        known = {keys[at] for at in contents}
        for at in range(listed[-1] + 1, run[-1] + 1):
            number, before = marks[at].number, last.get(marks[at].style)
            if number is None:  # a prologue directly after the table of contents, or the epilogue that ends it
                is_listed = keys[at] not in known and (places[keys[at]][-1] > at or places[keys[at]][0] < run[0])
            else:  # the first chapter directly after the table of contents, or another line in it
                is_listed = before is not None and number > before
            if not is_listed:
                break
            last[marks[at].style] = number
            known.add(keys[at])
            dropped.add(at)
    return [mark for at, mark in enumerate(marks) if at not in dropped]


def _listed_chars(marks: Sequence[ChapterHeading], left: Sequence[ChapterHeading], before: int) -> int:
    """Return the length of the lines of a table of contents before the index `before`."""
    kept = {each.start for each in left}
    return sum(each.end - each.start for each in marks if each.end < before and each.start not in kept)


def _short_runs(bodies: Sequence[int]) -> Iterator[list[int]]:
    """Yield runs of headings with little text between them, each with the heading that follows."""
    run: list[int] = []
    for at, body in enumerate(bodies):
        run.append(at)
        if body >= MAX_CONTENTS_GAP:
            yield run
            run = []
    if run:
        yield run


def _mark_key(mark: ChapterHeading) -> object:
    bare = "".join(filter(str.isalnum, mark.title))
    return (mark.style, mark.number) if mark.number is not None else bare[: 2 if mark.rank is Rank.UNNUMBERED else None]


def _drop_empty_headings(headings: Sequence[ChapterHeading], text: str) -> list[ChapterHeading]:
    """Return the headings that have text.

    A heading without text is merged into the next one, which then begins at its line.
    """
    kept: list[ChapterHeading] = []
    start: int | None = None
    for mark, after in pairwise([*headings, ChapterHeading(len(text), len(text), "", None)]):
        begin = mark.start if start is None else start
        if len(text[mark.end : after.start].strip()) < MIN_BODY_CHARS and after.start < len(text):
            start = begin
            continue
        kept.append(replace(mark, start=begin))
        start = None
    return kept
