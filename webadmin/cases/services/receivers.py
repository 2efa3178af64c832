"""Signal receivers, which update matters and rulings in the transaction that changes works, sites or rights."""

from collections.abc import Collection

from webadmin.cases.services.addresses import move_cases_to_shown_pages
from webadmin.cases.services.matters import figures
from webadmin.cases.services.rulings import watch_rights
from webadmin.sites.signals import pages_came_and_went, reach_changed
from webadmin.works.signals import works_changed


def connect() -> None:
    """Connect the receivers to the signals about works, sites and rights."""
    watch_rights()
    works_changed.connect(_refresh_works)
    reach_changed.connect(_rank_site)
    pages_came_and_went.connect(_follow_pages)


def _refresh_works(works: Collection[int], texts: Collection[str] | None, **_: object) -> None:
    figures.refresh_works(works, texts)


def _rank_site(site: int, **_: object) -> None:
    figures.rank_site(site)


def _follow_pages(gone: Collection[str], returned: Collection[str], **_: object) -> None:
    move_cases_to_shown_pages([*gone, *returned])
    figures.refresh_matters(figures.note_gone(gone) | figures.note_returned(returned), texts=())
