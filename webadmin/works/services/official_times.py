"""Reads official publication times of chapters from lists, computes them as a series, and stores them."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from django.db import transaction

from core.errors import BadInput
from core.moments import LAST_YEAR, parse_moment
from core.wording import Message
from crawler.formats.numerals import chapter_number
from webadmin.works.models import Chapter, Work
from webadmin.works.services.work_length import locked_chapters
from webadmin.works.signals import works_changed

MAX_LINES = 20_000  # The longest novels have this many chapters.
MAX_BYTES = 2 * 1024 * 1024  # 100 bytes a line
MAX_NAMED_LINES = 10  # faulty lines that a message lists; an unrelated file has thousands
MAX_INTERVAL_HOURS = 24 * 366
MAX_AT_ONCE = 1_000
MAX_NUMBER = 2**31 - 1
_PARTS = re.compile("[,，;；\t]")

Times = Mapping[int, datetime | None]  # by chapter number; None removes the time
Headings = Mapping[int, Sequence[int]]  # chapter numbers of a work by the number in their headings


@dataclass(frozen=True, slots=True)
class TimesSet:
    """The number of chapters whose time changed. unknown: the given numbers of chapters that the work does not have."""

    changed: int
    unknown: tuple[int, ...]


def heading_numbers(work: Work) -> Headings:
    """Return the numbers of a work's chapters by the number in their heading.

    The two may differ: after a prologue, 第一章 is chapter 2.
    """
    found = defaultdict[int, list[int]](list)
    for number, title in work.chapters.order_by("number").values_list("number", "title"):
        named = chapter_number(title)
        if named is not None:
            found[named].append(number)
    return found


def read_bytes(data: bytes, zone: tzinfo, named: Headings | None = None) -> Times:
    """Return the times in a file encoded in UTF-8 or GB18030, as `read_list` does.

    Raises BadInput if the file is too large, is not text, or contains faulty lines.
    """
    if len(data) > MAX_BYTES:
        raise BadInput("times.too-large", most=MAX_BYTES // (1024 * 1024))
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return read_list(text, zone, named)
    raise BadInput("times.not-text")


def read_list(text: str, zone: tzinfo, named: Headings | None = None) -> Times:
    """Return the times in a list in which each line has a chapter, a comma or tab, and a time.

    The chapter is a number, or a heading such as 第十二章 that is looked up in `named`; an unknown heading gets a
    negative number. An empty time is None, which removes the stored one. Columns in between and a first line without
    digits are skipped. Times without an offset are in `zone`. Raises BadInput, which lists the faulty lines.
    """
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) > MAX_LINES:
        raise BadInput("times.too-many", most=MAX_LINES)
    times: dict[int, datetime | None] = {}
    faults: list[Message] = []
    for place, (number, line) in enumerate(lines):
        if place == 0 and not re.search(r"\d", line):
            continue
        try:
            times |= _read_line(line, zone, times, named)
        except BadInput as fault:
            faults.append(Message("times.line", number=number, reason=fault))
    if faults:
        unnamed = len(faults) - MAX_NAMED_LINES
        more = [Message("times.more-lines", count=unnamed)] if unnamed > 0 else []
        raise BadInput("times.bad-lines", lines=[*faults[:MAX_NAMED_LINES], *more])
    if not times:
        raise BadInput("times.empty")
    return times


def series_times(
    work: Work, first_number: int, first_at: datetime, interval: timedelta, at_once: int = 1
) -> dict[int, datetime]:
    """Return a time for each chapter from `first_number` on: `at_once` chapters at `first_at` and after each interval.

    Raises BadInput if `first_number` is less than 1, or if a time is later than the beginning of LAST_YEAR.
    """
    if first_number < 1:
        raise BadInput("times.no-chapter", text=-first_number)
    numbers = list(work.chapters.filter(number__gte=first_number).order_by("number").values_list("number", flat=True))
    room = datetime(LAST_YEAR, 1, 1, tzinfo=UTC) - first_at
    if interval * (max(0, len(numbers) - 1) // at_once) > room:
        raise BadInput("times.beyond", year=LAST_YEAR)
    return {number: first_at + interval * (place // at_once) for place, number in enumerate(numbers)}


def read_interval(text: str) -> timedelta:
    """Parse a number of hours, such as "12.5". Raises BadInput unless it is positive and at most MAX_INTERVAL_HOURS."""
    written = text.strip()
    if not re.fullmatch(r"\d{1,5}(\.\d{1,2})?", written, re.ASCII) or not 0 < float(written) <= MAX_INTERVAL_HOURS:
        raise BadInput("times.interval", text=written[:60], least=0.01, most=MAX_INTERVAL_HOURS)
    return timedelta(hours=float(written))


def read_at_once(text: str) -> int:
    """Parse the number of chapters published at the same time. Raises BadInput unless it is 1 to MAX_AT_ONCE."""
    written = text.strip()
    if not re.fullmatch(r"\d{1,4}", written, re.ASCII) or not 1 <= int(written) <= MAX_AT_ONCE:
        raise BadInput("times.at-once", text=written[:60], most=MAX_AT_ONCE)
    return int(written)


def set_times(work: Work, times: Times) -> TimesSet:
    """Set the official times of the work's chapters with the numbers in `times`; other chapters are unchanged."""
    with transaction.atomic():
        chapters = list(locked_chapters(Chapter.objects.filter(work=work)))
        stale = [each for each in chapters if each.number in times and each.published_at != times[each.number]]
        for chapter in stale:
            chapter.published_at = times[chapter.number]
        Chapter.objects.bulk_update(stale, ["published_at"], batch_size=200)
        if stale:
            works_changed.send(sender=None, works=[work.pk], texts=())
    unknown = sorted(map(abs, set(times) - {chapter.number for chapter in chapters}))
    return TimesSet(len(stale), tuple(unknown))


def read_number(text: str, named: Headings | None = None) -> int:
    """Return the number of the chapter that `text` gives by number or by heading.

    A heading that is not in `named` gives a negative number. Raises BadInput for any other text, and for a heading that
    several chapters have.
    """
    written = text.strip().strip('"')
    is_number = re.fullmatch(r"\d{1,10}", written, re.ASCII) is not None
    number = int(written) if is_number else chapter_number(written[:100])
    if number is None or not 0 < number <= MAX_NUMBER:
        raise BadInput("times.no-chapter", text=written[:60])
    if is_number or not named:
        return number
    places = named.get(number, (-number,))
    if len(places) > 1:
        raise BadInput("times.several-chapters", text=written[:60], numbers=[str(each) for each in places])
    return places[0]


def _read_line(line: str, zone: tzinfo, before: Times, named: Headings | None) -> Times:
    parts = [part.strip() for part in _PARTS.split(line)]
    if len(parts) == 1:
        parts = line.split(maxsplit=1)
    if len(parts) == 1:
        raise BadInput("times.no-chapter", text=line[:60])
    written = parts[-1].strip('"')
    number = read_number(parts[0], named)
    if number in before:
        raise BadInput("times.twice", number=abs(number))
    return {number: parse_moment(written, zone) if written else None}
