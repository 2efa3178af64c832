"""Converts licences for rulings, labels them, and marks works as not protected."""

from django.db import transaction

from core.chapters import Chapters
from core.errors import BadInput
from core.rights import Permission
from core.states import UNPROTECTED, Rejection
from crawler.urls import canonical
from webadmin.works.models import Licence, Unprotected, Work


def licence_label(licence: Licence) -> str:
    """Return the label of a licence in cases and findings: the licensee, the number, and the URL if it has one."""
    name = f"{licence.licensee} {licence.number}".strip()
    return f"{name} · {licence.address}"[:300] if licence.address else name[:300]


def equal_licence(licence: Licence) -> Licence | None:
    """Return a stored licence with the same content, regardless of who entered it, or None if there is none."""
    names = [each.attname for each in Licence._meta.concrete_fields]
    said = {name: getattr(licence, name) for name in names if name not in {"id", "entered_by_id", "entered_at"}}
    return Licence.objects.filter(**said).first()


def licence_permission(licence: Licence) -> Permission:
    """Return the permission that rulings apply for a licence."""
    return Permission(
        domain=licence.domain,
        valid_from=licence.valid_from,
        valid_until=licence.valid_until,
        label=licence_label(licence),
        key=licence.pk,
        chapters=Chapters.parse(licence.chapters) if licence.work_id else Chapters(),
        address=licence.address,
    )


def normalize_page_url(url: str) -> str:
    """Return the canonical form of a URL, in which licences for single pages store it; an invalid URL is unchanged."""
    try:
        return canonical(url)
    except ValueError:
        return url


MAX_NOTE_CHARS = 300


def mark_unprotected(work: Work, reason: str, note: str = "") -> Unprotected:
    """Mark a work as not protected, with the reason; an existing mark is replaced.

    reason: one of `core.states.UNPROTECTED`; "not_protected" needs a note. Raises BadInput.
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
    """Remove the mark that a work is not protected, and return whether it had the mark."""
    mark = Unprotected.objects.filter(work=work).first()
    if mark is None:
        return False
    with transaction.atomic():
        mark.entered_by = None
        mark.delete()
    return True
