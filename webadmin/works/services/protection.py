"""Works that are not protected: mere facts, official texts, an expired term. Findings of them open no case.

Marking and unmarking rule what is stored anew (webadmin.cases.services.rulings watches the rows).
"""

from django.db import transaction

from core.errors import BadInput
from core.states import UNPROTECTED, Rejection
from webadmin.works.models import Unprotected, Work

MAX_NOTE_CHARS = 300


def mark_unprotected(work: Work, reason: str, note: str = "") -> Unprotected:
    """Say that a work is not protected and why; a mark that is there is replaced.

    reason: one of `core.states.UNPROTECTED`; "not_protected" needs a sentence. Raises BadInput.
    """
    sentence = " ".join(note.split())
    if reason not in UNPROTECTED:
        raise BadInput("work.no-such-reason", reason=reason, reasons=[str(each) for each in UNPROTECTED])
    if len(sentence) > MAX_NOTE_CHARS:
        raise BadInput("work.note-too-long", most=MAX_NOTE_CHARS)
    if reason == Rejection.NOT_PROTECTED and not sentence:
        raise BadInput("work.no-sentence")
    with transaction.atomic():
        values = {"reason": reason, "note": sentence, "entered_by": None}
        return Unprotected.objects.update_or_create(work=work, defaults=values)[0]


def mark_protected(work: Work) -> bool:
    """Take the mark of a work back; False for one that has none."""
    mark = Unprotected.objects.filter(work=work).first()
    if mark is None:
        return False
    with transaction.atomic():
        mark.entered_by = None
        mark.delete()
    return True
