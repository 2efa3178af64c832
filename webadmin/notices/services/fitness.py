"""Checks whether pages may be in a notice.

The sender of a wrong notice is liable for the harm (Civil Code, art. 1195).
"""

from collections.abc import Collection, Iterable, Mapping
from datetime import date

from core.errors import BadInput
from core.states import CaseState
from core.wording import Message
from webadmin.cases.models import Case
from webadmin.notices.models import Addressee, CounterStatement, HolderPaper, Notice
from webadmin.notices.services.kept_files import is_valid
from webadmin.notices.services.values import notice_cases


def unfit_reason(case: Case) -> Message | None:
    """Return the reason why the page of a case may not be in a notice, or None if it may.

    Select `page` and `decision` with the case.
    """
    if case.allowed_as:
        return Message("notice.page-allowed")
    if case.state != CaseState.CONFIRMED or case.decision is None:
        return Message("notice.page-not-confirmed")
    if case.page.gone_since is not None:
        return Message("notice.page-gone")
    if case.page.version_id != case.decided_version:
        return Message("notice.page-changed")
    return None


def split_by_fitness(
    cases: Iterable[Case], provider: Collection[str] = frozenset()
) -> tuple[list[Case], list[tuple[Case, Message]]]:
    """Return the cases that may be in a notice to a provider, and all other cases with reasons.

    provider: the identifiers of the provider (`provider_identifiers`), whose counter-statements block pages.
    """
    cases = list(cases)
    stopped = _countered_pages({case.page_id for case in cases}, provider)
    fit: list[Case] = []
    others: list[tuple[Case, Message]] = []
    for case in cases:
        reason = unfit_reason(case) or stopped.get(case.page_id)
        if reason is None:
            fit.append(case)
        else:
            others.append((case, reason))
    return fit, others


def provider_identifiers(addressee: Addressee | None, values: Mapping[str, object]) -> frozenset[str]:
    """Return the names and mail addresses that identify a provider, in lower case.

    values: the field values of a notice.
    """
    known = [values.get("addressee_name"), values.get("addressee_email")]
    if addressee is not None:
        known += [addressee.name, addressee.legal_name, addressee.email]
    return frozenset(text for each in known if (text := str(each or "").strip().casefold()))


def require_fit(notice: Notice, today: date) -> None:
    """Check the pages and enclosed documents of a confirmed notice before it is sent.

    Raises BadInput if a page may no longer be in it, or a document is withdrawn or not valid on the day `today`.
    """
    _, others = split_by_fitness(notice_cases(notice), provider_identifiers(notice.addressee, notice.values))
    if others:
        raise BadInput("notice.pages-unfit", pages=len(others), reason=others[0][1])
    digests = set(notice.files.values_list("digest", flat=True))
    papers = HolderPaper.objects.filter(rights_holder=notice.rights_holder_id, digest__in=digests)
    active = {paper.digest for paper in papers if paper.withdrawn_at is None and is_valid(paper, today)}
    for paper in papers:
        if paper.digest in active:
            continue
        if paper.withdrawn_at is not None:
            raise BadInput("notice.paper-taken-back", name=paper.name)
        raise BadInput("notice.paper-expired", name=paper.name, until=str(paper.valid_until or paper.valid_from))


def _countered_pages(pages: Collection[str], provider: Collection[str]) -> dict[str, Message]:
    """Return a message for each page about which this provider sent a counter-statement.

    Counter-statements of other providers do not count.
    """
    if not pages or not provider:
        return {}
    found: dict[str, Message] = {}
    counters = (
        CounterStatement.objects.filter(event__undone_by=None, cases__page__in=list(pages))
        .select_related("notice__addressee")
        .distinct()
    )
    for counter in counters.order_by("received_on"):
        if provider_identifiers(counter.notice.addressee, counter.notice.values).isdisjoint(provider):
            continue
        reason = Message("notice.page-countered", day=counter.received_on.isoformat())
        for page in counter.cases.values_list("page", flat=True):
            found.setdefault(page, reason)
    return found
