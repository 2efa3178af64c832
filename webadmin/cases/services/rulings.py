"""Rules on stored findings again when licences, own domains, unprotected works or times of sightings change.

A ruling needs no comparison, but only the page's URL, the work, and the day on which the page was last seen. A case
without a verdict is set aside or reopened. A verdict remains, and the case shows the right that allows its page. An
exclusion has no frozen evidence, so its page must be compared again when no right allows it any more. The pages of
suspected rewrites that are undecided or no longer found must also be compared again.
"""

from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.signals import post_delete, post_save
from django.utils import timezone

from core.errors import RetryLater
from core.messages import RightsChanged
from core.states import CaseState
from webadmin import stores
from webadmin.accounts.models import RightsHolder
from webadmin.accounts.services.holders import lock_rights
from webadmin.cases.models import Case, Exclusion, PageCheck, RightsRecord
from webadmin.cases.services.addresses import OUTDATED, apply_rights_to_addresses
from webadmin.cases.services.decision import ALLOWANCES, Allowance, Right, Rights, RightsQuery
from webadmin.cases.services.matters.figures import refresh_cases
from webadmin.cases.services.taken import texts_by_case
from webadmin.cases.signals import rights_ruled
from webadmin.database import batches, lock_rows
from webadmin.works.models import Licence, OwnAccount, OwnDomain, Unprotected

# The number of a rights holder's findings up to which the request that changed a right rules on them. On SQLite, 5,000
# take 0.1 s of CPU time if none changes and 1.1 s if all do; 100,000 take 1.6 s and 20 s (November 2026).
MAX_AT_ONCE = 5_000
BATCH_CASES = 2_000  # findings per transaction; other writers wait for half a second
Cause = RightsRecord.Cause


@dataclass(frozen=True, slots=True)
class Occasion:
    """The cause and time of a ruling. by: the key of the user who caused it, or None."""

    cause: str
    at: datetime
    by: int | None = None


def watch_rights() -> None:
    """Connect rulings to every change of a licence, an own domain or account, or an unprotected work."""
    for model in (Licence, OwnDomain, OwnAccount, Unprotected):
        for signal in (post_save, post_delete):
            signal.connect(_right_changed, sender=model, dispatch_uid=f"rights-{model.__name__}-{id(signal)}")


def _right_changed(instance: Right, **_: Any) -> None:
    rights_changed(instance.rights_holder_id, instance.entered_by_id)


def rights_changed(holder: int, by: int | None) -> None:
    """Rule on a rights holder's findings in the transaction that changed the rights, or in a task if there are many.

    holder, by: the keys of the rights holder and of the user, or None. The sweeper resends a lost message, because the
    time of the change is stored.
    """
    with transaction.atomic():
        if lock_rights(holder) is None:
            return
        if _has_few_findings(holder):
            update_holder_rulings(holder, Occasion(Cause.RIGHTS, timezone.now(), by))
            return
        RightsHolder.objects.filter(pk=holder).update(unruled_since=timezone.now(), unruled_by=by)
        transaction.on_commit(partial(_send_rights_changed, holder))


def rule_waiting(holder: int) -> None:
    """Rule on the findings of a rights holder whose rights changed, in batches, unless it was already done.

    Safe to repeat, even after a crash. Rights that change meanwhile cause another run.
    """
    row = RightsHolder.objects.filter(pk=holder, unruled_since__isnull=False).first()
    if row is None or row.unruled_since is None:
        return
    occasion = Occasion(Cause.RIGHTS, row.unruled_since, row.unruled_by_id)
    with transaction.atomic():
        lock_rights(holder)
        rights_ruled.send(None, holder=holder)
    cases, last = Case.objects.filter(rights_holder=holder).order_by("pk"), 0
    while keys := list(cases.filter(pk__gt=last).values_list("pk", flat=True)[:BATCH_CASES]):
        with transaction.atomic():
            lock_rights(holder)
            refresh_cases(rule_cases(cases.filter(pk__gt=last, pk__lte=keys[-1]), Rights(holder), occasion))
        last = keys[-1]
    with transaction.atomic():
        lock_rights(holder)
        rule_exclusions(Exclusion.objects.filter(rights_holder=holder), Rights(holder))
        ruled = RightsHolder.objects.filter(pk=holder, unruled_since=row.unruled_since)
        ruled.update(unruled_since=None, unruled_by=None)


def update_holder_rulings(holder: int, occasion: Occasion) -> None:
    """Rule on all findings of the rights holder with the key `holder`, in the caller's transaction."""
    rights_ruled.send(None, holder=holder)
    rights, cases = Rights(holder), Case.objects.filter(rights_holder=holder)
    # Lock all cases, because another right that changes in the transaction may affect other cases.
    list(lock_rows(cases).values_list("pk"))
    moved = rule_cases(cases, rights, occasion)
    rule_exclusions(Exclusion.objects.filter(rights_holder=holder), rights)
    refresh_cases(moved)
    RightsHolder.objects.filter(pk=holder).update(unruled_since=None, unruled_by=None)


def rule_cases(cases: "QuerySet[Case]", rights: Rights, occasion: Occasion) -> list[int]:
    """Update cases by the rights of their rights holder, and record each change.

    Returns the keys of the changed cases, whose matters the caller must refresh after writing all cases.
    """
    changed: dict[Allowance, list[int]] = defaultdict(list)
    by_chapters = rights.works_by_chapters
    texts = texts_by_case(cases.filter(work__in=by_chapters)) if by_chapters else {}
    names = ("pk", "page_id", "match_class", "matched_chars", "allowed_as", "allowed_by")
    asked = ("work_id", "page_url", "last_seen_at", "page_poster", "page_author")
    rows = cases.order_by().values_list(*names, *asked)
    for *case, work, url, seen_at, poster, author in rows.iterator(chunk_size=2_000):
        pk, page, match_class, matched, reason, label = case
        allowance = rights.ruling(RightsQuery(work, page, url, seen_at, poster or author, texts.get(pk, ())))
        if allowance.reason is None:
            allowance = rights.set_aside_reason(page, work, match_class, matched)
        if (str(allowance.reason or ""), allowance.label) != (reason, label):
            changed[allowance].append(pk)
    for allowance, keys in changed.items():
        for batch in batches(keys):
            _apply_allowance(batch, allowance, occasion)
    apply_rights_to_addresses(cases, rights, texts)
    return [key for keys in changed.values() for key in keys]


def rule_exclusions(exclusions: "QuerySet[Exclusion]", rights: Rights) -> None:
    """Update the reasons of exclusions by the rights. If no right allows one any more, its page is compared again."""
    unallowed: set[str] = set()
    names = ("work_id", "page_id", "page_url", "page__last_seen", "page_poster", "page_author", "text_ids")
    others = ("pk", "page__version_id", "reason", "detail")
    for *asked, pk, version, reason, label in exclusions.order_by().values_list(*names, *others).iterator():
        work, page, url, seen_at, poster, author, texts = asked
        allowance = rights.ruling(RightsQuery(work, page, url, seen_at, poster or author, texts))
        if allowance.reason is None:
            unallowed |= {version} if reason in ALLOWANCES else set()
        elif (str(allowance.reason), allowance.label) != (reason, label):
            Exclusion.objects.filter(pk=pk).update(reason=str(allowance.reason), detail=allowance.label)
    for batch in batches(sorted(unallowed)):
        PageCheck.objects.filter(version_id__in=batch).update(algorithm_id=OUTDATED)


def _apply_allowance(keys: Any, allowance: Allowance, occasion: Occasion) -> None:
    cases, reason = Case.objects.filter(pk__in=keys), str(allowance.reason or "")
    cases.update(allowed_as=reason, allowed_by=allowance.label)
    cases.filter(decision=None).update(state=CaseState.from_verdict(None, is_allowed=allowance.reason is not None))
    right = allowance.right
    who = (right.entered_by_id, right.entered_at) if right is not None else (occasion.by, None)
    RightsRecord.objects.bulk_create(
        RightsRecord(
            case_id=key,
            allowed_as=reason,
            allowed_by=allowance.label,
            cause=occasion.cause,
            at=occasion.at,
            entered_by_id=who[0],
            entered_at=who[1],
        )
        for key in keys
    )


def _has_few_findings(holder: int) -> bool:
    cases = Case.objects.filter(rights_holder=holder).order_by()[: MAX_AT_ONCE + 1].count()
    if cases > MAX_AT_ONCE:
        return False
    return cases + Exclusion.objects.filter(rights_holder=holder).order_by()[: MAX_AT_ONCE + 1].count() <= MAX_AT_ONCE


def _send_rights_changed(holder: int) -> None:
    with suppress(RetryLater):  # The sweeper resends it.
        stores.outbox().send(RightsChanged(holder))
