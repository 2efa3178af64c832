"""What a user calls a work or a site by -> the row; a key that nothing has is answered with where to look."""

from typing import TYPE_CHECKING, TypeVar

from core.errors import BadInput, NotFound

if TYPE_CHECKING:
    from django.db.models import Model, QuerySet

    from webadmin.accounts.models import RightsHolder
    from webadmin.cases.models import Case, Matter
    from webadmin.rewrites.models import RewordedLead
    from webadmin.sites.models import Site
    from webadmin.works.models import Work

    M = TypeVar("M", bound=Model)


def find_work(key: str, rights_holder: "RightsHolder | None" = None) -> "Work":
    """The work of that number or title. Raises BadInput."""
    from webadmin.works.services import catalogue

    try:
        return catalogue.find_work(key, rights_holder)
    except NotFound as error:
        raise BadInput("cli.see-works", fault=error) from error


def find_site(key: str) -> "Site":
    """The site of that number, name, host or address. Raises BadInput."""
    from webadmin.works.services import catalogue

    try:
        return catalogue.find_site(key)
    except NotFound as error:
        raise BadInput("cli.see-sites", fault=error) from error


def find_holder(key: str) -> "RightsHolder":
    """Find the rights holder of that name or number. Raises NotFound."""
    from webadmin.accounts.models import RightsHolder
    from webadmin.works.services import catalogue

    try:
        return catalogue.find_holder(key)
    except NotFound:
        by_number = RightsHolder.objects.filter(pk=int(key)).first() if _is_number(key) else None
        if by_number is None:
            raise
        return by_number


def find_case(key: str) -> "Case":
    """Find the case of that number. Raises BadInput."""
    from webadmin.cases.models import Case

    rows = Case.objects.select_related("work", "rights_holder", "page__site", "decision__decided_by")
    return _find_row(rows, case_number(key), "corpus.no-case")


def find_matter(key: str) -> "Matter":
    """Find the matter of that number. Raises BadInput."""
    from webadmin.cases.models import Matter

    number = _number(key, BadInput("cli.no-matter-number", text=repr(key)))
    return _find_row(Matter.objects.select_related("site", "work", "rights_holder"), number, "corpus.no-matter")


def find_lead(key: str) -> "RewordedLead":
    """Find the lead of that number. Raises BadInput."""
    from webadmin.rewrites.models import RewordedLead

    number = _number(key, BadInput("reworded.no-lead", number=repr(key)))
    rows = RewordedLead.objects.select_related("work", "page", "site", "rights_holder")
    return _find_row(rows, number, "reworded.no-lead")


def case_number(text: str) -> int:
    """The number of a case. Raises BadInput for what is none."""
    return _number(text, BadInput("cli.no-case-number", text=repr(text)))


def _find_row(rows: "QuerySet[M]", number: int, code: str) -> "M":
    found = rows.filter(pk=number).first()
    if found is None:
        raise BadInput(code, number=number)
    return found


def _number(text: str, fault: BadInput) -> int:
    if not _is_number(text):
        raise fault
    return int(text)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19  # more does not fit into the database
