"""The versions of a page as a case tells them: those of the page store, and those that only the evidence knows."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from core.pages import PageVersion
from webadmin.models import CaseMatch


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One state of the page. `chars` is None where its text is known to the evidence alone."""

    id: str
    fetched_at: datetime
    title: str
    chars: int | None
    match: CaseMatch | None  # the largest match of the case in this version
    is_current: bool


def page_history(matches: Iterable[CaseMatch], stored: Iterable[PageVersion], current: str) -> list[VersionRow]:
    """List every version that is known, newest first."""
    best = {match.version_id: match for match in sorted(matches, key=lambda match: match.matched_chars)}
    rows = {
        version_id: VersionRow(version_id, match.fetched_at, "", None, match, version_id == current)
        for version_id, match in best.items()
    }
    for version in stored:
        rows[version.id] = VersionRow(
            id=version.id,
            fetched_at=version.fetched_at,
            title=version.reading.title,
            chars=len(version.reading.text),
            match=best.get(version.id),
            is_current=version.id == current,
        )
    return sorted(rows.values(), key=lambda row: row.fetched_at, reverse=True)
