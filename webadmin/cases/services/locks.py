"""The lock order of rows, which prevents deadlocks between writers of the same findings.

1. The rights of holders, by key: held by every writer of several cases of a holder.
2. Pages, by id. 3. Cases. 4. Matters, by key, once and last (`webadmin.cases.services.matters.figures.refresh`),
followed by the copied texts of their works.

A verdict locks no rights, but its case and then its matter; so no case is written after a matter. Chapters, by key,
come before their works, and these before matters. SQLite has one writer at a time and locks no rows.
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
