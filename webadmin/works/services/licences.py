"""Labels, compares and normalizes licences, and converts them to the permissions that rulings apply."""

from core.chapters import Chapters
from core.rights import Permission
from crawler.urls import canonical
from webadmin.works.models import Licence


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
