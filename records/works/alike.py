"""The same text under another title: which chapters of a work stand in other works of its rights holder already.

Word for word by the digest of the text; most of it by the index, which holds one in four hashes of five syllables of
every text, so that another script, other characters of the same sound or a new heading do not hide it.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.errors import RetryLater
from core.ids import WorkTextId
from core.wording import Message
from core.works import Chapter as ChapterText
from records.batches import batches
from records.models import Chapter, RightsHolder, Work

if TYPE_CHECKING:
    from matcher.index.ports import MatchIndex

MOST = 0.6  # of the hashes of a text; other editions share .8 and more, chapters of one series a tenth
MAX_LOOKED_UP = 40  # chapters of a work, evenly: a work that stands elsewhere does so with more than one
MAX_LOOKED_UP_CHARS = 400_000  # of those: half a second to fingerprint


@dataclass(frozen=True, slots=True)
class Standing:
    """Chapters of a work that stand in another work of the rights holder."""

    other_title: str
    is_same: bool  # word for word; else most of the text
    pairs: tuple[tuple[int, int], ...]  # the number of each chapter, and that of the first like it in the other work

    def message(self, title: str) -> Message:
        number, other_number = self.pairs[0]
        shown = {"title": title, "other": self.other_title, "count": len(self.pairs)}
        if self.is_same:
            return Message("work.same-text", **shown, number=number, other_number=other_number)
        return Message("work.alike-text", **shown, number=number, other_number=other_number)


def standing_elsewhere(
    rights_holder: RightsHolder,
    work: Work | None,
    chapters: Sequence[tuple[ChapterText, WorkTextId]],
    index: "MatchIndex",
) -> tuple[list[Standing], Message | None]:
    """Where chapters stand that come into a work (None for one that is new), and why only equal texts were found.

    Of the texts that no other work has word for word, some are looked up. Texts of one character repeated or of a few
    lines have no hashes and are compared word for word alone.
    """
    same = _same_texts(rights_holder, work, chapters)
    others = [chapter for chapter, text_id in chapters if text_id not in same]
    fault = None
    found = [(chapter.number, same[text_id], True) for chapter, text_id in chapters if text_id in same]
    try:
        for chapter, text_ids in _looked_up(others, index):
            near = _owned(rights_holder, work, text_ids)
            found += [(chapter.number, near[text_id], False) for text_id in text_ids if text_id in near]
    except RetryLater as error:
        fault = Message("work.alike-unknown", reason=error)
    return _by_work(found), fault


def standing_beside(
    chapters: Sequence[tuple[ChapterText, WorkTextId]], title: str, others: Sequence[tuple[ChapterText, WorkTextId]]
) -> Standing | None:
    """The chapters that stand word for word in another work of the same sending, which is not there yet."""
    numbers: dict[WorkTextId, int] = {}
    for chapter, text_id in others:
        numbers.setdefault(text_id, chapter.number)
    pairs = tuple((chapter.number, numbers[text_id]) for chapter, text_id in chapters if text_id in numbers)
    return Standing(title, is_same=True, pairs=pairs) if pairs else None


def _by_work(found: Sequence[tuple[int, Sequence[Chapter], bool]]) -> list[Standing]:
    pairs: dict[tuple[Work, bool], dict[int, int]] = defaultdict(dict)
    for number, chapters, is_same in found:
        for chapter in chapters:
            pairs[chapter.work, is_same].setdefault(number, chapter.number)
    standing = [Standing(other.title, is_same, tuple(sorted(each.items()))) for (other, is_same), each in pairs.items()]
    return sorted(standing, key=lambda each: (-len(each.pairs), each.other_title, not each.is_same))


def _same_texts(
    rights_holder: RightsHolder, work: Work | None, chapters: Sequence[tuple[ChapterText, WorkTextId]]
) -> dict[str, list[Chapter]]:
    return _owned(rights_holder, work, {text_id for _, text_id in chapters})


def _owned(
    rights_holder: RightsHolder, work: Work | None, text_ids: Collection[WorkTextId]
) -> dict[str, list[Chapter]]:
    """Chapters of the holder's other works that have these texts."""
    rows = Chapter.objects.filter(work__rights_holder=rights_holder).select_related("work").order_by("work", "number")
    if work is not None:
        rows = rows.exclude(work=work)
    owned: dict[str, list[Chapter]] = defaultdict(list)
    for batch in batches(sorted(text_ids)):
        for row in rows.filter(text_id__in=batch):
            owned[row.text_id].append(row)
    return dict(owned)


def _looked_up(chapters: Sequence[ChapterText], index: "MatchIndex") -> list[tuple[ChapterText, list[WorkTextId]]]:
    """Some of the chapters, each with the texts of the index that have most of it."""
    from fingerprint.fingerprinting import fingerprint_text  # late: its tables take memory

    found = []
    room = MAX_LOOKED_UP_CHARS
    from matcher.calibration import DEFAULT as CALIBRATION  # loads the loops, which nobody needs who looks at lists

    cap = CALIBRATION.cap(index.state().postings) if chapters else 0
    for chapter in _evenly(chapters, MAX_LOOKED_UP):
        if len(chapter.text) > room:
            continue
        room -= len(chapter.text)
        hashes = np.unique(fingerprint_text(chapter.text).hashes)
        if hashes.size:
            found.append((chapter, _texts_with_most(hashes, index, cap)))
    return found


def _texts_with_most(hashes: "np.ndarray", index: "MatchIndex", cap: int) -> list[WorkTextId]:
    hits = index.lookup(hashes, cap)
    # A hash that every other text has says nothing, and is left out of both sides.
    asked = hashes.size - hits.capped
    ordinals, counts = np.unique(np.unique(np.stack([hits.ordinals, hits.queries]), axis=1)[0], return_counts=True)
    return [
        hits.texts[int(ordinal)]
        for ordinal, count in zip(ordinals, counts, strict=True)
        if count >= MOST * asked and int(ordinal) in hits.texts
    ]


def _evenly(chapters: Sequence[ChapterText], most: int) -> Sequence[ChapterText]:
    if len(chapters) <= most:
        return chapters
    return [chapters[place * len(chapters) // most] for place in range(most)]
