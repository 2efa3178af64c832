"""Licences as rights are ruled by them, and how they are named."""

from core.chapters import Chapters
from core.rights import Permission
from crawler.urls import canonical
from webadmin.works.models import Licence


def label_of(licence: Licence) -> str:
    """How cases and findings name the licence that allows them; one for a single page is named with its address."""
    name = f"{licence.licensee} {licence.number}".strip()
    return f"{name} · {licence.address}"[:300] if licence.address else name[:300]


def twin_of(licence: Licence) -> Licence | None:
    """Return the licence that says the same as one that is not kept yet, whoever entered it."""
    names = [each.attname for each in Licence._meta.concrete_fields]
    said = {name: getattr(licence, name) for name in names if name not in {"id", "entered_by_id", "entered_at"}}
    return Licence.objects.filter(**said).first()


def permission_of(licence: Licence) -> Permission:
    """The licence as rights are ruled by it."""
    return Permission(
        domain=licence.domain,
        valid_from=licence.valid_from,
        valid_until=licence.valid_until,
        label=label_of(licence),
        key=licence.pk,
        chapters=Chapters.parse(licence.chapters) if licence.work_id else Chapters(),
        address=licence.address,
    )


def one_spelling(url: str) -> str:
    """The address of a page as licences for single pages name it: without what makes no other page."""
    try:
        return canonical(url)
    except ValueError:
        return url
