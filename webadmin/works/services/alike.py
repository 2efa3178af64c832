"""Finds chapters of a work that other works of its rights holder already contain.

Identical texts are found by digest. Similar texts, which may differ in script, homophones or headings, are found in the
index, which contains a quarter of the hashes of five syllables of every text.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from core.errors import RetryLater
from core.ids import WorkTextId
from core.wording import Message
from core.works import ChapterText
from webadmin.accounts.models import RightsHolder
from webadmin.database import batches
from webadmin.works.models import Chapter, Work
from webadmin.works.services.catalogue import PlannedChange

if TYPE_CHECKING:
    import numpy as np

    from matcher.index.ports import MatchIndex

# The number of works listed for one text. Hundreds of works may share an imprint, and each would list all others.
MOST_NAMED = 5
MOST = 0.6  # the share of common hashes; other editions share at least 0.8, chapters of one series 0.1
MAX_LOOKED_UP = 40  # evenly spread chapters of a work; a copy of the work shares several of them
MAX_LOOKED_UP_CHARS = 400_000  # takes half a second to fingerprint


@dataclass(frozen=True, slots=True)
class AlikeWork:
    """The chapters of a work that another work of the rights holder also contains."""

    other_title: str
    is_same: bool  # True if the texts are identical, False if they are similar
    pairs: tuple[tuple[int, int], ...]  # the number of each chapter, and of its first counterpart in the other work

    def message(self, title: str) -> Message:
        number, other_number = self.pairs[0]
        code = "work.same-text" if self.is_same else "work.alike-text"
        shown = {"title": title, "other": self.other_title, "count": len(self.pairs)}
        return Message(code, **shown, number=number, other_number=other_number)


@dataclass(frozen=True, slots=True)
class AlikeWorks:
    """The works that already have texts of a work. unknown: why similar texts were not searched, or None."""

    standing: Sequence[AlikeWork]
    unknown: Message | None


NOWHERE = AlikeWorks((), None)


def find_alike_works(
    rights_holder: RightsHolder, works: Sequence[PlannedChange], index: "MatchIndex"
) -> list[AlikeWorks]:
    """Return, for each of `works`, the existing works and the earlier ones in `works` that contain its new texts.

    A sample of the texts without an identical counterpart is looked up in the index. Texts of a few lines and those of
    one repeated character have no hashes and are not looked up.
    """
    coming = [each.coming for each in works]
    owned = _works_by_text(rights_holder, {text_id for chapters in coming for _, text_id in chapters})
    found, away = [], None
    for each, chapters, same_texts in zip(works, coming, _same_texts(coming), strict=True):
        same = {text_id: _other_works(owned[text_id], each.work) for _, text_id in chapters if text_id in owned}
        pairs = [(chapter.number, same[text_id], True) for chapter, text_id in chapters if text_id in same]
        others = [chapter for chapter, text_id in chapters if not same.get(text_id)]
        if others and away is None:  # After a failure, do not wait for the index again.
            try:
                near = _similar_chapters(rights_holder, each.work, others, index)
                pairs += [(number, having, False) for number, having in near]
            except RetryLater as error:
                away = Message("work.alike-unknown", reason=error)
        before = [AlikeWork(works[place].title, True, tuple(of)) for place, of in sorted(same_texts.items())]
        found.append(AlikeWorks(_group_by_work(pairs) + before, away if others else None))
    return found


def _same_texts(
    works: Sequence[Sequence[tuple[ChapterText, WorkTextId]]],
) -> Iterator[Mapping[int, Sequence[tuple[int, int]]]]:
    """Yield, for each work, its chapters whose text earlier works contain, by the index of the earlier work.

    Each chapter is paired with the number of its counterpart.
    """
    having: dict[WorkTextId, dict[int, int]] = defaultdict(dict)  # the first chapter with a text, by text and work
    for place, chapters in enumerate(works):
        pairs: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for chapter, text_id in chapters:
            for other, number in having[text_id].items():
                if other != place:
                    pairs[other].append((chapter.number, number))
            if len(having[text_id]) < MOST_NAMED:
                having[text_id].setdefault(place, chapter.number)
        yield pairs


def _group_by_work(found: Sequence[tuple[int, Mapping[Work, int], bool]]) -> list[AlikeWork]:
    pairs: dict[tuple[Work, bool], dict[int, int]] = defaultdict(dict)
    for number, having, is_same in found:
        for other, other_number in having.items():
            pairs[other, is_same].setdefault(number, other_number)
    standing = [
        AlikeWork(other.title, is_same, tuple(sorted(each.items()))) for (other, is_same), each in pairs.items()
    ]
    return sorted(standing, key=lambda each: (-len(each.pairs), each.other_title, not each.is_same))


def _works_by_text(rights_holder: RightsHolder, text_ids: Collection[WorkTextId]) -> dict[str, dict[Work, int]]:
    """Return, for each text, the rights holder's works that contain it, with the number of the first such chapter."""
    rows = Chapter.objects.filter(work__rights_holder=rights_holder).select_related("work").order_by("work", "number")
    owned: dict[str, dict[Work, int]] = defaultdict(dict)
    for batch in batches(sorted(text_ids)):
        for row in rows.filter(text_id__in=batch):
            if len(owned[row.text_id]) <= MOST_NAMED:  # one more, because the work itself may be among them
                owned[row.text_id].setdefault(row.work, row.number)
    return dict(owned)


def _other_works(having: Mapping[Work, int], work: Work | None) -> dict[Work, int]:
    """Return the first MOST_NAMED entries of `having` for works other than `work`."""
    return dict(islice(((other, number) for other, number in having.items() if other != work), MOST_NAMED))


def _similar_chapters(
    rights_holder: RightsHolder, work: Work | None, chapters: Sequence[ChapterText], index: "MatchIndex"
) -> list[tuple[int, dict[Work, int]]]:
    """Return the numbers of sampled chapters that other works mostly contain, each with these works.

    Raises RetryLater if the index is unavailable.
    """
    found = _look_up_chapters(chapters, index)
    owned = _works_by_text(rights_holder, {text_id for _, text_ids in found for text_id in text_ids})
    return [
        (chapter.number, _other_works(owned[text_id], work))
        for chapter, text_ids in found
        for text_id in text_ids
        if text_id in owned
    ]


def _look_up_chapters(
    chapters: Sequence[ChapterText], index: "MatchIndex"
) -> list[tuple[ChapterText, list[WorkTextId]]]:
    """Return a sample of the chapters, each with the indexed texts that contain at least MOST of its hashes."""
    import numpy as np  # imported here, as the others: takes memory

    from fingerprint.fingerprinting import fingerprint_text  # its tables take memory
    from matcher.calibration import DEFAULT as CALIBRATION  # loads compiled loops

    found, room = [], MAX_LOOKED_UP_CHARS
    cap = CALIBRATION.cap(index.state().postings) if chapters else 0
    for chapter in _even_sample(chapters, MAX_LOOKED_UP):
        if len(chapter.text) > room:
            continue
        room -= len(chapter.text)
        hashes = np.unique(fingerprint_text(chapter.text).hashes)
        if hashes.size:
            found.append((chapter, _texts_with_most(hashes, index, cap)))
    return found


def _texts_with_most(hashes: "np.ndarray", index: "MatchIndex", cap: int) -> list[WorkTextId]:
    import numpy as np

    hits = index.lookup(hashes, cap)
    # A hash that occurs in very many texts is no evidence, so it is left out of both counts.
    asked = hashes.size - hits.capped
    ordinals, counts = np.unique(np.unique(np.stack([hits.ordinals, hits.queries]), axis=1)[0], return_counts=True)
    return [
        hits.text_id(int(ordinal)) for ordinal, count in zip(ordinals, counts, strict=True) if count >= MOST * asked
    ]


def _even_sample(chapters: Sequence[ChapterText], most: int) -> Sequence[ChapterText]:
    if len(chapters) <= most:
        return chapters
    return [chapters[place * len(chapters) // most] for place in range(most)]
