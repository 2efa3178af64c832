"""To whom a notice about a site may be drafted, for the form of a matter."""

from webadmin.notices.services.addressees import list_addressees
from webadmin.sites.models import Site
from webadmin.ui.models.phrases import PAPERS, paper_choices

ADDRESSEE = "to-"  # before the key of one that was entered


def addressee_choices(site: Site) -> list[tuple[str, str]]:
    """Values and words: who was entered for the site or its family, with the paper that it gets; then each paper."""
    entered = [each.addressee for each in list_addressees(site) if each.addressee is not None]
    named = [(f"{ADDRESSEE}{each.pk}", f"{each.name} · {PAPERS[each.paper]}") for each in entered]
    return [*named, *paper_choices()]
