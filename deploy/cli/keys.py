"""What a user calls a work or a site by -> the row; a key that nothing has is answered with where to look."""

from typing import TYPE_CHECKING

from core.errors import BadInput, NotFound

if TYPE_CHECKING:
    from records.models import RightsHolder, Site, Work


def find_work(key: str, rights_holder: "RightsHolder | None" = None) -> "Work":
    """The work of that number or title. Raises BadInput."""
    from records.works import catalogue

    try:
        return catalogue.find_work(key, rights_holder)
    except NotFound as error:
        raise BadInput("cli.see-works", fault=error) from error


def find_site(key: str) -> "Site":
    """The site of that number, name, host or address. Raises BadInput."""
    from records.works import catalogue

    try:
        return catalogue.find_site(key)
    except NotFound as error:
        raise BadInput("cli.see-sites", fault=error) from error


def case_number(text: str) -> int:
    """The number of a case. Raises BadInput for what is none."""
    if not _is_number(text):
        raise BadInput("cli.no-case-number", text=repr(text))
    return int(text)


def matter_number(text: str) -> int:
    """The number of a matter. Raises BadInput for what is none."""
    if not _is_number(text):
        raise BadInput("cli.no-matter-number", text=repr(text))
    return int(text)


def lead_number(text: str) -> int:
    """The number of a lead. Raises BadInput for what is none."""
    if not _is_number(text):
        raise BadInput("reworded.no-lead", number=repr(text))
    return int(text)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19  # more does not fit into the database
