"""Manages ignored texts: noise on a site, which users mark on a page, and passages of works that count on no site.

Stored findings do not change. `webadmin.cases.services.what_counts` subtracts the texts from the results of
comparisons, and pages whose cases may be affected are queued for another comparison.
"""

import time
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from core.counting import TextLetters
from core.errors import BadInput
from core.ids import VersionId, WorkTextId
from core.states import CaseState, Rejection
from core.taken import NO_PLACES, Places
from webadmin import stores
from webadmin.accounts.models import RightsHolder, User
from webadmin.accounts.services.access import may_manage, require_role, user_role
from webadmin.accounts.services.holders import lock_rights
from webadmin.cases.models import Case, Exclusion, IgnoredText, TakenText
from webadmin.cases.services.addresses import request_comparison
from webadmin.cases.services.overruling import checked_note
from webadmin.cases.services.recounting import recount_case, recount_cases
from webadmin.cases.services.taken import taken_by_case
from webadmin.cases.services.what_counts import LEAST_LEFT_CHARS
from webadmin.works.models import Chapter

LEAST_LETTERS = 4  # letters of noise; shorter texts occur everywhere
LEAST_LETTERS_EVERYWHERE = 8  # letters of a text that is ignored on all sites
MAX_NOISE_CHARS = 500
MAX_TEXT_CHARS = 2_000  # as long as a standard notice; longer texts are works
MAX_TEXTS = 500  # for one site, and for all sites of a rights holder; each page is searched for all of them
# A text must be less than this share of a chapter, or copies of the chapter would silently disappear.
MOST_OF_CHAPTER = 0.5
MAX_CHAPTERS_LOOKED_AT = 300
# The number of open cases in a preview, and its time limit. 200 cases take about 0.3 s (November 2026).
MAX_CASES_SHOWN, MAX_SECONDS = 200, 3.0
MAX_RECOUNTED = 30  # cases recounted in the request; the others wait for the next comparison


def mark_noise(case: Case, text: str, user: User, note: str = "") -> IgnoredText:
    """Ignore a text on the page of a case as noise of the site, and recount the case immediately.

    Raises BadInput if the text is not on the page, is in the work, is already ignored, is too short or too long, or if
    the user has no role. Raises ServiceUnavailable if a store does not respond.
    """
    require_role(user, case)
    text, letters = _validate_text(text, LEAST_LETTERS, MAX_NOISE_CHARS)
    version = stores.page_store().version(VersionId(case.version_id))
    if version is None or letters.text not in TextLetters.from_text(version.reading.whole_text).text:
        raise BadInput("ignored.not-on-page")
    for text_id in TakenText.objects.filter(case=case).values_list("text_id", flat=True):
        if letters.text in TextLetters.from_text(stores.work_store().text(WorkTextId(text_id)) or "").text:
            raise BadInput("ignored.of-work")
    site = case.page.site
    with transaction.atomic():
        lock_rights(case.rights_holder_id)
        made = _save_ignored(
            IgnoredText(
                rights_holder_id=case.rights_holder_id, site=site, text=text, reason=IgnoredText.Reason.NOISE,
                page_url=case.page_url, note=checked_note(note, is_needed=False), entered_by=user,
            ),
            letters,
        )  # fmt: skip
        _request_comparisons(made)
        recount_case(case, stores.page_store(), stores.work_store(), user.pk)
    return made


def check_text(holder: RightsHolder, text: str) -> str:
    """Return the stripped text. Raises BadInput if it is too short, too long, or at least half of a chapter.

    Raises ServiceUnavailable if the store of works does not respond.
    """
    text, letters = _validate_text(text, LEAST_LETTERS_EVERYWHERE, MAX_TEXT_CHARS)
    most = int(len(text) / MOST_OF_CHAPTER) + 1
    near = Chapter.objects.filter(work__rights_holder=holder, chars__lte=most).select_related("work")
    for chapter in near.order_by("-chars")[:MAX_CHAPTERS_LOOKED_AT]:
        of_chapter = TextLetters.from_text(stores.work_store().text(WorkTextId(chapter.text_id)) or "")
        covered = len(of_chapter.find([letters]))
        if covered and covered >= MOST_OF_CHAPTER * len(of_chapter):
            raise BadInput("ignored.chapter", chapter=str(chapter), work=str(chapter.work))
    return text


@dataclass(frozen=True, slots=True)
class Loss:
    """The numbers of characters that an open case took from the work, before and after a text is ignored."""

    case: Case
    before: int
    after: int

    @property
    def is_all(self) -> bool:
        return self.after < LEAST_LEFT_CHARS


@dataclass(frozen=True, slots=True)
class IgnoreEffect:
    """The effect of ignoring a text. looked_at: the number of open cases checked. is_cut: True if there are more."""

    losses: list[Loss]
    looked_at: int
    is_cut: bool


def preview_effect(holder: RightsHolder, text: str) -> IgnoreEffect:
    """Return the effect on the newest open cases of the rights holder if a text were ignored on all sites.

    Raises ServiceUnavailable if the store of works does not respond.
    """
    ends, letters = time.monotonic() + MAX_SECONDS, TextLetters.from_text(text)
    cases = list(
        Case.objects.filter(rights_holder=holder, state=CaseState.OPEN)
        .select_related("work", "page__site")
        .order_by("-opened_at", "-pk")[: MAX_CASES_SHOWN + 1]
    )
    losses, looked_at, places = [], 0, dict[str, Places]()
    taken = taken_by_case(Case.objects.filter(pk__in=[case.pk for case in cases[:MAX_CASES_SHOWN]]))
    for case in cases[:MAX_CASES_SHOWN]:
        if time.monotonic() > ends:
            break
        looked_at += 1
        of_case = taken.get(case.pk, {}).items()
        lost = sum(len(Places(of.bits & _find_places(text_id, letters, places).bits)) for text_id, of in of_case)
        if lost:
            losses.append(Loss(case, case.taken_chars, max(0, case.taken_chars - lost)))
    return IgnoreEffect(losses, looked_at, is_cut=looked_at < len(cases))


def ignore_everywhere(
    holder: RightsHolder, text: str, user: User, *, reason: str, note: str = ""
) -> tuple[IgnoredText, IgnoreEffect]:
    """Ignore a text on all sites, and return its row and the effect. Affected cases are recounted, up to MAX_RECOUNTED.

    Raises the errors of `check_text`, and BadInput if the reason is unknown, the note is missing, the user is not a
    manager, or the text is already ignored.
    """
    text, letters = check_text(holder, text), TextLetters.from_text(text)
    if reason not in IgnoredText.Reason or reason == IgnoredText.Reason.NOISE:
        raise BadInput("exclusion.no-reason")
    made = IgnoredText(rights_holder=holder, text=text, reason=reason, entered_by=user)
    if not may_manage(user, made):
        raise BadInput("ignored.managers-only")
    made.note = checked_note(note, is_needed=reason == IgnoredText.Reason.OTHER)
    foreseen = preview_effect(holder, text)
    with transaction.atomic():
        lock_rights(holder.pk)
        _save_ignored(made, letters)
        _request_comparisons(made)
        losing = [loss.case for loss in foreseen.losses[:MAX_RECOUNTED]]
        recount_cases(holder.pk, losing, stores.page_store(), stores.work_store(), user.pk)
    return made, foreseen


def may_withdraw_text(ignored: IgnoredText, user: User) -> bool:
    """Return True if the text is not withdrawn and the user is a manager or the member who entered it."""
    if ignored.withdrawn_at is not None:
        return False
    is_own = ignored.entered_by_id == user.pk and user_role(user, ignored.rights_holder_id) is not None
    return is_own or may_manage(user, ignored)


def withdraw_ignored_text(ignored: IgnoredText, user: User) -> None:
    """Let a text count again from the next comparison on. Raises BadInput if it was withdrawn or the user may not."""
    if ignored.withdrawn_at is not None:
        raise BadInput("exclusion.taken-back-already")
    if not may_withdraw_text(ignored, user):
        raise BadInput("ignored.managers-only")
    with transaction.atomic():
        lock_rights(ignored.rights_holder_id)
        IgnoredText.objects.filter(pk=ignored.pk).update(withdrawn_at=timezone.now(), withdrawn_by=user)
        _request_comparisons(ignored)
    ignored.refresh_from_db()


def _validate_text(text: str, least: int, most: int) -> tuple[str, TextLetters]:
    text = text.strip()
    letters = TextLetters.from_text(text)
    if len(text) > most:
        raise BadInput("exclusion.too-long", most=most)
    if len(letters) < least:
        raise BadInput("exclusion.too-short", least=least)
    return text, letters


def _save_ignored(made: IgnoredText, letters: TextLetters) -> IgnoredText:
    standing = IgnoredText.objects.filter(rights_holder=made.rights_holder_id, site=made.site_id, withdrawn_at=None)
    texts = list(standing.values_list("text", flat=True))
    if any(TextLetters.from_text(each).text == letters.text for each in texts):
        raise BadInput("ignored.already")
    if len(texts) >= MAX_TEXTS:
        raise BadInput("ignored.too-many", most=MAX_TEXTS)
    made.entered_at = timezone.now()
    made.save()
    return made


def _request_comparisons(ignored: IgnoredText) -> None:
    """Request comparisons of the pages of undecided cases, and of findings of which nothing counted."""
    cases = Case.objects.filter(rights_holder=ignored.rights_holder_id, decision=None)
    left_out = Exclusion.objects.filter(work__rights_holder=ignored.rights_holder_id, reason=Rejection.NOTHING_LEFT)
    if ignored.site_id is not None:
        cases, left_out = cases.filter(page__site=ignored.site_id), left_out.filter(page__site=ignored.site_id)
    request_comparison(cases.order_by().values("page"))
    request_comparison(left_out.order_by().values("page"))


def _find_places(text_id: str, letters: TextLetters, known: dict[str, Places]) -> Places:
    """Return the positions of the letters in the text of a work. known: a cache of the result by text id."""
    if text_id not in known:
        text = stores.work_store().text(WorkTextId(text_id))
        known[text_id] = TextLetters.from_text(text).find([letters]) if text else NO_PLACES
    return known[text_id]
