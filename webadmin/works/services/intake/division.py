"""Divide a work into chapters in another way than when it was read."""

from collections.abc import Sequence
from dataclasses import replace

from core.errors import UnreadableFile
from core.works import GIVEN, OWN
from crawler.formats.headings import list_styles, number_chapters, split_chapters
from webadmin.works.services.intake.found import Division, FoundWork


def divisions(found: FoundWork) -> Sequence[Division]:
    """Return the ways to divide a work as read, its current one first; only that one where the file fixes it."""
    if found.ways:
        return found.ways
    own = [Division(found.file.style, len(found.file.chapters))] if found.file.style else []
    if found.file.style == GIVEN:
        return own
    return [*own, *(Division(style, count) for style, count in list_styles(_text(found)))]


def divide_work(found: FoundWork, style: str) -> FoundWork:
    """Return a work as read, divided by one of these styles; "" for the first.

    Raises UnreadableFile for another style.
    """
    if style in ("", found.file.style):
        return found
    known = [each.style for each in divisions(found)]
    if style not in known:
        raise UnreadableFile(found.source, "intake.no-such-style", style=style, styles=known)
    chapters = ((each.title, each.text) for each in split_chapters(_text(found), style))
    return replace(found, file=replace(found.file, chapters=number_chapters(chapters), style=style))


def _text(found: FoundWork) -> str:
    """Return the whole text of a work; parts cut at headings are joined without a line feed."""
    return ("\n" if found.file.style == OWN else "").join(each.text for each in found.file.chapters)
