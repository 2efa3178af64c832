"""How much of each work stands on pages, whatever the site: a character that many matters have is counted once.

Each text's characters are stored, so that a list of works, however often they were copied, adds up a row a chapter.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping

from django.db.models import QuerySet, Sum

from core.taken import NO_PLACES, Places
from records.database import batches
from records.models import CopiedText, MatterText, Work


def taken_of(works: "QuerySet[Work]") -> dict[int, int]:
    """Characters of each work that stand on pages, those of which nothing does left out."""
    rows = CopiedText.objects.filter(work__in=works.order_by().values("pk"), taken_chars__gt=0).order_by()
    return dict(rows.values_list("work_id").annotate(chars=Sum("taken_chars")))


def write_taken(texts: Mapping[int, Collection[str]]) -> None:
    """Write anew how much of texts is taken, which is other in some matter now: text ids by the key of the work.

    Called behind the matters, in their transaction. Rows are made in the order of work and text and then locked in that
    of their keys: who waits for one made by somebody else holds no lock, and reads afterwards what that one wrote.
    """
    rows = [(work, text) for work, of_work in sorted(texts.items()) for text in sorted(of_work)]
    made = [CopiedText(work_id=work, text_id=text) for work, text in rows]
    CopiedText.objects.bulk_create(made, ignore_conflicts=True, batch_size=200)
    for work, of_work in sorted(texts.items()):
        for batch in batches(sorted(of_work)):
            locked = CopiedText.objects.select_for_update(no_key=True).filter(work=work, text_id__in=batch)
            stored = list(locked.order_by("pk"))
            taken = _united(work, batch)
            for row in stored:
                row.taken_chars = len(taken[row.text_id])
            CopiedText.objects.bulk_update(stored, ["taken_chars"])


def _united(work: int, texts: Collection[str]) -> dict[str, Places]:
    rows = MatterText.objects.filter(matter__work=work, text_id__in=texts).order_by()
    found: dict[str, Places] = defaultdict(lambda: NO_PLACES)
    for text, packed in rows.values_list("text_id", "places").iterator():
        found[text] |= Places.unpacked(bytes(packed))
    return found
