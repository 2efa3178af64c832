"""The rows of pages and of their checks, written for many outcomes at once."""

from collections.abc import Iterable, Sequence
from typing import Any

from core.counting import count_characters
from records.cases.found import Found
from records.cases.totals import MAX_TITLE_CHARS
from records.locks import locked_pages
from records.models import PageCheck, PageRecord
from records.snapshots import frozen_obfuscations, with_length_kept
from records.standing import OUTDATED

_SHOWN = (
    "version_id", "title", "chars", "encoding", "is_encoding_doubtful", "extractor", "confidence", "obfuscations",
    "rejection", "checked_at",
)  # fmt: skip
_KINDS = "obfuscation_kinds"  # which follows from "obfuscations"
_CHECKED = (
    "page", "algorithm_id", "corpus_revision", "rejection", "match_count", "checked_at", "appeared_at"
)  # fmt: skip


def write_pages(found: Sequence[Found]) -> dict[str, PageRecord]:
    """The rows of the pages, brought up to date; two outcomes of one page in their order."""
    ids = sorted({each.outcome.version.page_id for each in found})
    pages = {row.page_id: row for row in locked_pages(PageRecord.objects.filter(page_id__in=ids))}
    known = frozenset(pages)
    for each in found:
        outcome, page_id = each.outcome, each.outcome.version.page_id
        page = pages.get(page_id)
        if page is None:
            page = pages[page_id] = PageRecord(
                page_id=page_id, site=each.site, url=outcome.version.canonical_url,
                first_seen=outcome.first_seen, last_seen=outcome.seen_at, **_shown(each),
            )  # fmt: skip
            continue
        page.first_seen = min(page.first_seen, outcome.first_seen)
        page.last_seen = max(page.last_seen, outcome.seen_at)
        if outcome.is_current or page.version_id == outcome.version.id:
            for name, value in _shown(each).items():
                setattr(page, name, value)
    PageRecord.objects.bulk_create(pages[page_id] for page_id in ids if page_id not in known)
    PageRecord.objects.bulk_create(
        [pages[page_id] for page_id in ids if page_id in known],
        update_conflicts=True,
        unique_fields=["page_id"],
        update_fields=["first_seen", "last_seen", *_SHOWN, _KINDS],
    )
    return pages


def _shown(found: Found) -> dict[str, Any]:
    """What a page's row says of the version that the page shows."""
    version, reading = found.outcome.version, found.outcome.version.reading
    values = (
        version.id, with_length_kept(reading.title)[:MAX_TITLE_CHARS], count_characters(reading.text), reading.encoding,
        reading.is_encoding_doubtful, reading.extractor, reading.confidence, frozen_obfuscations(reading.obfuscations),
        found.rejection, found.outcome.checked_at,
    )  # fmt: skip
    return dict(zip(_SHOWN, values, strict=True))


def write_checks(found: Iterable[Found]) -> None:
    """Which comparison each version has had."""
    checks = {each.outcome.version.id: _check(each) for each in found}
    PageCheck.objects.bulk_create(
        checks.values(), update_conflicts=True, unique_fields=["version_id"], update_fields=list(_CHECKED)
    )


def _check(found: Found) -> PageCheck:
    outcome = found.outcome
    return PageCheck(
        version_id=outcome.version.id,
        page_id=outcome.version.page_id,
        # What was found in a text that was withdrawn meanwhile may stand in another as well: it is asked again.
        algorithm_id=outcome.algorithm_id if found.is_whole else OUTDATED,
        corpus_revision=outcome.corpus_revision,
        rejection=found.rejection,
        match_count=sum(len(findings.items) for findings in found.findings),
        checked_at=outcome.checked_at,
        appeared_at=outcome.first_seen,
    )
