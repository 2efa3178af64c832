"""The reach of sites: monthly visits, imported from a measuring service."""

import csv
from collections.abc import Iterable, Iterator
from functools import partial
from io import StringIO

from django.db import transaction

from core.errors import BadInput, NotFound
from webadmin.sites.models import Site
from webadmin.sites.services.watchlist import find_site
from webadmin.sites.signals import reach_changed

MOST_VISITS = 10**12
MAX_DIGITS = 20  # a longer number is too large; Python parses no more than 4,300 digits


def import_reach(text: str) -> list[Site]:
    """Store the visits of sites from lines of `site,visits` atomically; a site is a number, name, host or URL.

    A header line is skipped. Raises BadInput for a malformed line, and if there are no lines.
    """
    visits: dict[int, int] = {}
    for number, row in enumerate(_csv_rows(text.removeprefix("\ufeff")), 1):
        if not any(field.strip() for field in row) or (number == 1 and not _is_number(row[-1])):
            continue
        site, visited = _parse_row(number, row)
        visits[site.pk] = visited
    if not visits:
        raise BadInput("site.reach-none")
    return _save_visits(visits)


def _csv_rows(text: str) -> Iterator[list[str]]:
    """Yield the fields of each line. Raises BadInput for malformed CSV."""
    reader = csv.reader(StringIO(text))
    try:
        yield from reader
    except csv.Error as error:  # A field has more than 128 KiB.
        raise BadInput("site.reach-line", number=reader.line_num, most=MOST_VISITS) from error


def _save_visits(visits: dict[int, int]) -> list[Site]:
    with transaction.atomic():
        sites = list(Site.objects.select_for_update().filter(pk__in=visits).order_by("pk"))
        for site in sites:
            site.monthly_visits = visits[site.pk]
            transaction.on_commit(partial(reach_changed.send, None, site=site.pk))
        Site.objects.bulk_update(sites, ["monthly_visits"])
    return sites


def _parse_row(number: int, row: Iterable[str]) -> tuple[Site, int]:
    fields = [field.strip() for field in row]
    if len(fields) != 2 or not _is_number(fields[1]):
        raise BadInput("site.reach-line", number=number, most=MOST_VISITS)
    try:
        return find_site(fields[0]), int(fields[1].replace(",", ""))
    except (BadInput, NotFound) as error:
        raise BadInput("site.reach-site", number=number, reason=error.message) from error


def _is_number(text: str) -> bool:
    digits = text.strip().replace(",", "")
    return digits.isascii() and digits.isdecimal() and int(digits[:MAX_DIGITS]) <= MOST_VISITS
