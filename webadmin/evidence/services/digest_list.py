"""Lists of digests of chosen bundles, as platforms for evidence and notaries take them in: CSV, and the same as JSON.

A bundle that is changed, missing or removed is not in a list: nobody could show the file to the digest.
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

COLUMNS = (  # codes of core.wording, in the order of DigestRow
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
    """One bundle. file: its name in an export; sha256: of the whole file; moments in RFC 3339, in UTC and in a zone."""

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
    """Return the bundles of these cases, of all cases of these matters, and of these sites and works; oldest first.

    sites, works: with both, what these sites took from these works.

    Raises NotFound for the number of a case or matter that is not there.
    """
    found = Matter.objects.filter(pk__in=matters)
    if gone := _missing(Case.objects.filter(pk__in=cases), cases):
        raise NotFound("case", gone)
    if gone := _missing(found, matters):
        raise NotFound("matter", gone)
    chosen = Q(case__in=cases)
    if sites or works:
        chosen |= (Q(case__site__in=sites) if sites else Q()) & (Q(case__work__in=works) if works else Q())
    for site, work in found.values_list("site_id", "work_id"):
        chosen |= Q(case__site=site, case__work=work)
    return EvidenceBundle.objects.filter(chosen).order_by("fetched_at", "pk")


def held_bundles(bundles: QuerySet[EvidenceBundle]) -> QuerySet[EvidenceBundle]:
    """Those of which the file is there, unchanged as far as the last check saw."""
    return bundles.filter(state=EvidenceBundle.State.HELD)


def digest_rows(bundles: QuerySet[EvidenceBundle], zone: tzinfo) -> Iterator[DigestRow]:
    """Yield a row for each bundle, in their order."""
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
    """UTF-8 with its mark, RFC 4180; no cell can be a formula, and no character in it hides or turns others."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([Message(name).in_language(language) for name in COLUMNS])
    for row in rows:
        writer.writerow([_cell(value) for value in asdict(row).values()])
    return out.getvalue().encode("utf-8-sig")


def as_json(rows: Iterable[DigestRow]) -> bytes:
    """Return the same for programs; addresses as they are, in ASCII."""
    return json.dumps([asdict(row) for row in rows], indent=1).encode() + b"\n"


def _cell(value: str | int) -> str | int:
    return value if isinstance(value, int) else defuse_formula(clean_line(value))


def _missing(found: QuerySet, numbers: Collection[int]) -> str:
    """Return the first of the numbers that is not among what was found; "" where all are."""
    gone = set(numbers) - set(found.values_list("pk", flat=True))
    return str(min(gone)) if gone else ""
