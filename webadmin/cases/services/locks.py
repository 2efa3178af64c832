"""The one order in which rows are locked, so that who writes the same findings wait for each other and never for ever.

1. The rights of holders, by key: whoever writes several cases of a holder has them.
2. Pages, by id. 3. Cases. 4. Matters, by key, once and last (`webadmin.cases.services.matters.figures.refresh`),
and behind them what is taken of each text of their works.

Who decides on a case has no rights locked, but the case and then its matter; so no case is written behind a matter.
Chapters, by key, come before their works, and these before matters. SQLite has one writer at a time and locks no rows.
"""

from django.db.models import QuerySet

from webadmin.cases.models import Case
from webadmin.sites.models import PageRecord


def locked_pages(pages: "QuerySet[PageRecord]") -> "QuerySet[PageRecord]":
    """Return the pages, locked in the order of their ids."""
    return pages.select_for_update(of=("self",), no_key=True).order_by("page_id")


def locked_cases(cases: "QuerySet[Case]") -> "QuerySet[Case]":
    """Return the cases, locked in the order of their keys."""
    return cases.select_for_update(of=("self",), no_key=True).order_by("pk")
