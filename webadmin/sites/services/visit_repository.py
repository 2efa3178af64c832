"""Stores the visits of URLs, and redirects to other hosts, in the admin database."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from hashlib import sha256
from typing import Any

from django.db import transaction

from core.hosts import parse_host
from core.ids import ID_HEX_CHARS, PageId, SiteId, VersionId
from core.states import CaseState
from core.visits import AddressKind, MovedTo, Visit
from webadmin.accounts.services.holders import lock_rights
from webadmin.database import answering, batches, refresh_connections
from webadmin.sites.models import Address, OffSiteRedirect, PageRecord, Site
from webadmin.sites.models.site import site_key
from webadmin.sites.signals import pages_came_and_went
from webadmin.ui.models.fields import with_length_kept

_FIELDS = [field.name for field in fields(Visit)]
_UPDATED = [name for name in _FIELDS if name not in {"id", "found_at"}]


class DjangoVisitRepository:
    """A core.ports.VisitRepository in the admin database, for long-running processes and any thread.

    Its methods raise ServiceUnavailable if the database does not respond.
    """

    def visits(self, site: SiteId) -> Iterable[Visit]:
        with _working_connection():
            return [read_visit(row) for row in Address.objects.filter(site_id=site_key(site)).order_by("pk").iterator()]

    def save(self, site: SiteId, visits: Collection[Visit]) -> None:
        with _working_connection():
            holder = Site.objects.filter(pk=site_key(site)).values_list("rights_holder_id", flat=True).first()
            rows = [_address_row(site_key(site), holder, visit) for visit in visits]
            with transaction.atomic():
                for batch in batches(rows):
                    Address.objects.bulk_create(
                        batch, update_conflicts=True, unique_fields=["id"], update_fields=_UPDATED
                    )
                _note_gone(visits, holder)

    def pages_with_open_cases(self, site: SiteId) -> frozenset[PageId]:
        rows = PageRecord.objects.filter(site_id=site_key(site), cases__state=CaseState.OPEN)
        pages = rows.values_list("page_id", flat=True)
        with _working_connection():
            return frozenset(PageId(page) for page in pages)

    def note_moves(self, site: SiteId, moves: Collection[MovedTo]) -> None:
        with _working_connection(), transaction.atomic():
            for move in moves:
                _note_move(site_key(site), move)


def read_visit(row: Address) -> Visit:
    """Return the visit that a row contains."""
    values: dict[str, Any] = {name: getattr(row, name) for name in _FIELDS}
    values |= {
        "kind": AddressKind(row.kind),
        "page_id": PageId(row.page_id),
        "version_id": VersionId(row.version_id),
    }
    return Visit(**values)


def url_host(url: str) -> str:
    """Return the normalized host of a URL, with its port unless it is the default; "" if the URL is invalid."""
    try:
        return str(parse_host(url))
    except ValueError:
        return ""


@contextmanager
def _working_connection() -> Iterator[None]:
    """Open a working connection for the block. Raises ServiceUnavailable if the database does not respond."""
    refresh_connections()
    with answering():
        yield


def _address_row(site: int, holder: int | None, visit: Visit) -> Address:
    values: dict[str, Any] = {name: getattr(visit, name) for name in _FIELDS}
    values |= {
        "kind": visit.kind.value,
        "url": with_length_kept(visit.url),
        "page_url": with_length_kept(visit.page_url),
        "etag": with_length_kept(visit.etag),
        "last_modified": with_length_kept(visit.last_modified),
    }
    return Address(site_id=site, **values, **({} if holder is None else {"rights_holder_id": holder}))


def _note_gone(visits: Collection[Visit], holder: int | None) -> None:
    """Record which pages are gone and which are back. A page with several URLs is back if one of them is.

    holder: the key of the site's rights holder, or None if the site was deleted; then nothing is recorded.
    """
    seen = {visit.page_id for visit in visits if visit.page_id and visit.gone_since is None}
    there, away = sorted(seen), (visit for visit in visits if visit.page_id and visit.page_id not in seen)
    gone = {visit.page_id: visit.gone_since for visit in away}
    returned = list[str]()
    for batch in batches(there):
        known = PageRecord.objects.filter(page_id__in=batch, gone_since__isnull=False)
        returned += known.values_list("page_id", flat=True)
    if holder is None or not (gone or returned):
        return
    lock_rights(holder)
    for page in sorted({*gone, *returned}):
        PageRecord.objects.filter(page_id=page).update(gone_since=gone.get(PageId(page)))
    pages_came_and_went.send(None, gone=list(gone), returned=returned)


def _note_move(site: int, move: MovedTo) -> None:
    from_host, to_host = url_host(move.from_url), url_host(move.to_url)
    key = sha256("\0".join((str(site), move.from_url, to_host)).encode("utf-8", "surrogatepass")).hexdigest()
    newest: dict[str, Any] = {
        "to_url": with_length_kept(move.to_url),
        "status": move.status,
        "is_start": move.is_start,
        "last_at": move.at,
    }
    first: dict[str, Any] = {"from_host": from_host, "to_host": to_host, "from_url": with_length_kept(move.from_url)}
    OffSiteRedirect.objects.update_or_create(
        pk=key[:ID_HEX_CHARS],
        defaults=newest,
        create_defaults={"site_id": site, "first_at": move.at, **first, **newest},
    )
