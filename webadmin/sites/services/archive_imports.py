"""Runs archive imports in the process of the command `zhuiwen import`."""

import logging
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from core.errors import BadInput, ZhuiwenError
from core.hosts import host_key, parse_host
from core.ids import SiteId
from core.ports import Outbox, PageStore
from core.settings import CrawlSettings
from core.wording import Message
from crawler.archive_import import ImportedSoFar, PagePlace, import_archive
from crawler.opening import PageRules
from crawler.sources.archive_streams import ImportCounts, RecordPosition
from webadmin.accounts.models import RightsHolder
from webadmin.sites.models import ArchiveImport, Site, SiteDomain
from webadmin.sites.services import imports

log = logging.getLogger("zhuiwen.imports")
NOTE_EVERY_S = 2.0  # the interval at which the position is stored, from which an interrupted import resumes


def run_import(
    row: ArchiveImport,
    store: PageStore,
    outbox: Outbox,
    settings: CrawlSettings,
    on_progress: Callable[[ImportCounts, RecordPosition], None] = lambda counts, at: None,
) -> ImportCounts:
    """Import the file of a row that `webadmin.sites.services.imports.begin_import` returned, and return the counts.

    on_progress: called with the counts and the position. Errors in the file are recorded in the row. Raises RetryLater
    if a store does not respond.
    """
    noted_at = 0.0
    counts = imports.stored_counts(row)

    def note(now: ImportCounts, at: RecordPosition) -> None:
        nonlocal noted_at, counts
        counts = now
        on_progress(now, at)
        if time.monotonic() - noted_at >= NOTE_EVERY_S:
            noted_at = time.monotonic()
            imports.note_progress(row, now, at)

    try:
        so_far = ImportedSoFar(RecordPosition(**row.position), counts)
        places, limit = place_finder(row), settings.max_body_bytes
        counts = import_archive(Path(row.path), places, store, outbox, limit, so_far=so_far, on_progress=note)
    except BadInput as error:
        log.warning("import %s: %s", row.pk, error)
        imports.end_import(row, counts, error.message)
        return counts
    except ZhuiwenError:
        raise
    except Exception as error:  # archives may contain anything; the row records the error
        log.exception("import %s", row.pk)
        imports.end_import(row, counts, Message("archive.fault", path=row.path, kind=type(error).__name__))
        return counts
    imports.end_import(row, counts)
    return counts


def place_finder(row: ArchiveImport) -> Callable[[str], PagePlace | None]:
    """Return a function that returns the site and page rules for a page URL, or None if no site has its host.

    An import into one site returns this site for every URL.
    """
    if row.site is not None:
        only = _site_place(row.site)
        return lambda _: only
    by_host = _places_by_host(row.rights_holder)

    def place(url: str) -> PagePlace | None:
        try:
            name, port = host_key(url)
        except ValueError:
            return None
        return by_host.get((name, port)) or by_host.get((name, None))

    return place


def _places_by_host(rights_holder: RightsHolder) -> Mapping[tuple[str, int | None], PagePlace]:
    found: dict[tuple[str, int | None], PagePlace] = {}
    domains = SiteDomain.objects.filter(site__rights_holder=rights_holder).select_related("site").order_by("pk")
    for domain in domains:
        try:
            host = parse_host(domain.host)
        except ValueError:
            continue
        for name in (host.bare, f"www.{host.bare}"):
            found.setdefault((name, host.port), _site_place(domain.site))
    return found


def _site_place(site: Site) -> PagePlace:
    rules = PageRules(body_selector=site.body_selector, title_selector=site.title_selector, encoding=site.encoding)
    return PagePlace(SiteId(str(site.pk)), rules)
