"""Excludes passages or whole texts of the work from the figures of a case, without changing the evidence."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.counting import TextLetters
from core.errors import BadInput
from core.ids import WorkTextId
from core.text import TextRange
from webadmin import stores
from webadmin.accounts.models import User
from webadmin.accounts.services.access import require_role
from webadmin.accounts.services.holders import lock_rights
from webadmin.cases.models import Case, CaseMatch, ExcludedPassage
from webadmin.cases.services.opposites import opposite_ranges
from webadmin.cases.services.overruling import checked_note
from webadmin.cases.services.recounting import recount_case

LEAST_LETTERS = 4  # Shorter text occurs everywhere.
MAX_PASSAGE_CHARS = 200_000  # the longest main text of a page


def exclude_passages(
    match: CaseMatch, texts: Sequence[str], user: User, *, reason: str, note: str = ""
) -> list[ExcludedPassage]:
    """Exclude all occurrences of passages in the text of the work that `match` contains, and recount the case.

    texts: the passages in the wording of the work, or in that of the page, for which the corresponding passages of the
    work are excluded. Raises BadInput if a text is not a passage of the match, all passages are already excluded, the
    reason is unknown, the note is missing or the user has no role. Raises ServiceUnavailable if a store is down.
    """
    require_role(user, match.case)
    passages = dict.fromkeys(passage for text in texts or [""] for passage in _convert_to_work_wording(match, text))
    return _save_exclusions(match, user, reason, note, [{"text": text} for text in passages])


def exclude_chapter(match: CaseMatch, user: User, *, reason: str, note: str = "") -> ExcludedPassage:
    """Exclude the whole text of the work that `match` contains. Raises the errors of `exclude_passages`."""
    require_role(user, match.case)
    return _save_exclusions(match, user, reason, note, [{"text_id": match.text_id}])[0]


def withdraw_exclusion(passage: ExcludedPassage, user: User) -> None:
    """Withdraw an exclusion, and recount its case.

    Raises BadInput if it was already withdrawn, the user has no role, or the texts are missing.
    """
    case = passage.case
    require_role(user, case)
    with transaction.atomic():
        lock_rights(case.rights_holder_id)
        taken = ExcludedPassage.objects.filter(pk=passage.pk, withdrawn_at=None)
        if not taken.update(withdrawn_at=timezone.now(), withdrawn_by=user):
            raise BadInput("exclusion.taken-back-already")
        _recount_case(case, user)


def _save_exclusions(
    match: CaseMatch, user: User, reason: str, note: str, what: Sequence[dict[str, str]]
) -> list[ExcludedPassage]:
    if reason not in ExcludedPassage.Reason:
        raise BadInput("exclusion.no-reason")
    note, case = checked_note(note, is_needed=reason == ExcludedPassage.Reason.OTHER), match.case
    standing = case.excluded_passages.filter(withdrawn_at=None)
    with transaction.atomic():
        lock_rights(case.rights_holder_id)
        fresh = [each for each in what if not standing.filter(**each).exists()]
        if not fresh:
            raise BadInput("exclusion.passage-already")
        given = {"reason": reason, "note": note, "chapter_title": match.chapter_title}
        now = timezone.now()
        made = [
            ExcludedPassage.objects.create(case=case, entered_by=user, entered_at=now, **given, **each)
            for each in fresh
        ]
        _recount_case(case, user)
    return made


def _recount_case(case: Case, user: User) -> None:
    if not recount_case(case, stores.page_store(), stores.work_store(), user.pk):
        raise BadInput("exclusion.no-texts")


def _convert_to_work_wording(match: CaseMatch, text: str) -> list[str]:
    """Return a passage in the wording of the work, in several parts if the page reordered it.

    Raises BadInput if it is too short, too long or not in the match, or if the text of the work is missing.
    """
    text = text.strip()
    letters = TextLetters.from_text(text)
    if len(letters) < LEAST_LETTERS:
        raise BadInput("exclusion.too-short", least=LEAST_LETTERS)
    if len(text) > MAX_PASSAGE_CHARS:
        raise BadInput("exclusion.too-long", most=MAX_PASSAGE_CHARS)
    work = stores.work_store().text(WorkTextId(match.text_id))
    if work is None:
        raise BadInput("exclusion.no-texts")
    if letters.text in TextLetters.from_text(work).text:
        return [text]
    for span in match.spans:
        pieces = list(_opposite_texts(span, letters))
        if pieces:
            return pieces
    raise BadInput("exclusion.not-in-match")


def _opposite_texts(span: Mapping[str, Any], letters: TextLetters) -> Iterator[str]:
    """Yield the text of the work that corresponds to these letters of the page, in parts if the page reordered it.

    Parts with fewer than LEAST_LETTERS letters are skipped. Yields nothing if the letters are not in the span.
    """
    page = TextLetters.from_text(span["page_excerpt"])
    at = page.text.find(letters.text)
    if at < 0:
        return
    first, last = page.places[at], page.places[at + len(letters) - 1]
    start, work_start = span["page"][0], span["work"][0]
    for piece in opposite_ranges(span, TextRange(start + first, start + last + 1), "page"):
        text = span["work_excerpt"][piece.start - work_start : piece.end - work_start]
        if len(TextLetters.from_text(text)) >= LEAST_LETTERS:
            yield text
