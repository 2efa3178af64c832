"""Finds sites by the number, name, host or URL that a user types."""

from typing import TYPE_CHECKING

from core.errors import BadInput, NotFound

if TYPE_CHECKING:
    from webadmin.sites.models import Site


def find_site(key: str) -> "Site":
    """Return the site with this number, name, host or URL. Raises BadInput if there is not exactly one."""
    from webadmin.sites.services import watchlist

    try:
        return watchlist.find_site(key)
    except NotFound as error:
        raise BadInput("cli.see-sites", fault=error) from error
