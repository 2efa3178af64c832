"""The admin's lists and forms, one module a subject; Django finds them by importing this package."""

from webadmin.admin import (
    addressees,
    cases,
    discovery,
    evidence,
    ignored_texts,
    imports,
    licences,
    notices,
    pages,
    rights,
    runs,
    sites,
    store_checks,
    system,
    visits,
    works,
)

__all__ = [
    "addressees",
    "cases",
    "discovery",
    "evidence",
    "ignored_texts",
    "imports",
    "licences",
    "notices",
    "pages",
    "rights",
    "runs",
    "sites",
    "store_checks",
    "system",
    "visits",
    "works",
]
