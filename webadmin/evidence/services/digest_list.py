"""Lists the digests of selected bundles as CSV and JSON, for evidence platforms and notaries.

Changed, missing and removed bundles are left out, because no file with their digest can be produced.
"""

import csv
import io
import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, tzinfo

from django.db.models import Q, QuerySet

from core.errors import NotFound
from core.plain_text import clean_line, defuse_formula
from core.wording import Message
from webadmin.cases.models import Case, Matter
from webadmin.evidence.models import EvidenceBundle

COLUMNS = (  # message codes in the order of DigestRow
    "digests.file",
    "digests.sha256",
    "digests.bytes",
    "digests.captured-utc",
    "digests.captured-local",
    "digests.time-zone",
    "digests.page",
    "digests.case",
)
CHUNK_ROWS = 500


@dataclass(frozen=True, slots=True)
class DigestRow:
    """A row for a bundle. file: its name in an export. sha256: of the whole file. Times: RFC 3339, in UTC and local."""

    file: str
    sha256: str
    bytes: int
    captured_at: str
    captured_at_local: str
    time_zone: str
    page_url: str
    case: int


def select_bundles(
    cases: Collection[int], matters: Collection[int], sites: Collection[int] = (), works: Collection[int] = ()
) -> QuerySet[EvidenceBundle]:
    """Return the bundles of all these cases, matters, sites and works, the first fetched first.

    sites, works: if both are given, only the cases of these works on these sites. Raises NotFound for an unknown case
    or matter.
    """
    found = Matter.objects.filter(pk__in=matters)
    if gone := _missing_number(Case.objects.filter(pk__in=cases), cases):
        raise NotFound("case", gone)
    if gone := _missing_number(found, matters):
        raise NotFound("matter", gone)
    chosen = Q(case__in=cases)
    if sites or works:
        chosen |= (Q(case__site__in=sites) if sites else Q()) & (Q(case__work__in=works) if works else Q())
    for site, work in found.values_list("site_id", "work_id"):
        chosen |= Q(case__site=site, case__work=work)
    return EvidenceBundle.objects.filter(chosen).order_by("fetched_at", "pk")


def held_bundles(bundles: QuerySet[EvidenceBundle]) -> QuerySet[EvidenceBundle]:
    """Return the bundles whose file was unchanged at the last check."""
    return bundles.filter(state=EvidenceBundle.State.HELD)


def digest_rows(bundles: QuerySet[EvidenceBundle], zone: tzinfo) -> Iterator[DigestRow]:
    """Yield a row for each bundle, in the order of `bundles`. zone: the time zone of local times."""
    for bundle in bundles.select_related("match").iterator(chunk_size=CHUNK_ROWS):
        utc, local = bundle.fetched_at.astimezone(UTC), bundle.fetched_at.astimezone(zone)
        yield DigestRow(
            file=f"{bundle.digest}.wacz",
            sha256=bundle.sha256,
            bytes=bundle.size_bytes,
            captured_at=utc.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            captured_at_local=local.isoformat(timespec="milliseconds"),
            time_zone=str(zone),
            page_url=bundle.match.final_url,
            case=bundle.case_id,
        )


def as_csv(rows: Iterable[DigestRow], language: str) -> bytes:
    """Return the rows as CSV (RFC 4180) in UTF-8 with BOM.

    language: of the column headings. Formulas are defused, and characters that hide or reorder others are removed.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([Message(name).in_language(language) for name in COLUMNS])
    for row in rows:
        values = asdict(row).values()
        writer.writerow([each if isinstance(each, int) else defuse_formula(clean_line(each)) for each in values])
    return out.getvalue().encode("utf-8-sig")


def as_json(rows: Iterable[DigestRow]) -> bytes:
    """Return the rows as JSON in ASCII. URLs are unchanged."""
    return json.dumps([asdict(row) for row in rows], indent=1).encode() + b"\n"


def _missing_number(found: QuerySet, numbers: Collection[int]) -> str:
    """Return the smallest of `numbers` that is not a key in `found`, or "" if all are."""
    gone = set(numbers) - set(found.values_list("pk", flat=True))
    return str(min(gone)) if gone else ""
