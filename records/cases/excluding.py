"""Findings that are no case: kept under their reason, and dropped once they are a case or stand no more."""

from collections.abc import Collection, Iterable
from typing import Any

from core.matches import Match
from core.pages import PageVersion
from core.ports import Outcome
from records.cases.case_rows import Cases, text_and_digest
from records.cases.found import Found
from records.cases.permissions import ALLOWANCES, Allowance
from records.cases.totals import Findings, author_of, poster_of, title_of
from records.models import Case, Chapter, Exclusion, PageRecord
from records.snapshots import placed_span

MAX_TEXTS = 20  # of an excluded finding, that are kept for its view: a page that holds a whole book has hundreds


def exclude(page: PageRecord, outcome: Outcome, findings: Findings, allowance: Allowance, texts: Cases) -> int:
    """Keep a finding as left out; the key of its row."""
    shown = {
        "page_url": outcome.version.page_url,
        "page_title": title_of(outcome.version),
        "page_author": author_of(outcome.version),
        "page_poster": poster_of(outcome.version, findings.matches),
        "text_ids": [str(match.text_id) for match in findings.copies],
        "reason": str(allowance.reason),
        "detail": allowance.label,
        "match_class": findings.main.match_class,
        "similarity": findings.main.similarity,
        "matched_chars": findings.matched_chars,
        "found": [_placed(chapter, match, outcome.version, texts) for chapter, match in findings.items[:MAX_TEXTS]],
    }
    row, _ = Exclusion.objects.update_or_create(
        page=page, work=findings.work, defaults=shown, create_defaults={**shown, "found_at": outcome.checked_at}
    )
    return row.pk


def _placed(chapter: Chapter, match: Match, version: PageVersion, texts: Cases) -> dict[str, Any]:
    """Where passages stand that are no case, without a word of them: whoever opens it reads the texts in the store."""
    return {
        "text_id": str(match.text_id),
        "chapter_title": chapter.title,
        "version_id": version.id,
        "page_text_digest": text_and_digest(version, match)[1],
        "work_text_digest": texts.text(match.text_id)[1],
        "match_class": str(match.match_class),
        "matched_chars": match.matched_chars,
        "similarity": match.similarity,
        "spans": [placed_span(span) for span in match.spans],
    }


def take_in(page: PageRecord, cases: Iterable[Case]) -> list[str]:
    """Let cases that an older version of the page opened take in what was found on the version that it shows.

    What the rights allow there was never frozen: that version, which is returned, is owed a comparison, which sets the
    case aside.
    """
    taken_in = Exclusion.objects.filter(page=page, work__in=[case.work_id for case in cases])
    is_owed = taken_in.filter(reason__in=ALLOWANCES).exists()
    taken_in.delete()
    return [page.version_id] if is_owed else []


def drop_exclusions(found: Iterable[Found], kept: Collection[int]) -> None:
    """Of the pages whose version shown was compared: what is left out there no more."""
    pages = [each.outcome.version.page_id for each in found if each.outcome.is_current]
    Exclusion.objects.filter(page__in=pages).exclude(pk__in=kept).delete()
