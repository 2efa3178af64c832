"""The addressees for whom a notice about a site can be drafted: choices of the form on a matter's page."""

from webadmin.notices.services.addressees import list_addressees
from webadmin.sites.models import Site
from webadmin.ui.models.phrases import PAPERS, paper_choices

ADDRESSEE = "to-"  # prefix of an addressee's key


def addressee_choices(site: Site) -> list[tuple[str, str]]:
    """Return values and labels: the addressees entered for the site or its family, then each kind of notice."""
    entered = [each.addressee for each in list_addressees(site) if each.addressee is not None]
    named = [(f"{ADDRESSEE}{each.pk}", f"{each.name} · {PAPERS[each.paper]}") for each in entered]
    return [*named, *paper_choices()]
