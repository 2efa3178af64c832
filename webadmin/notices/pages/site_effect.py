"""The outcomes of notices about a site: a section of the site's page, and a line on an addressee's page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _

from core.hidden_characters import clip_text
from webadmin.notices.models import Addressee
from webadmin.notices.services.removals import track_record
from webadmin.notices.services.removals.track_record import TrackRecord
from webadmin.sites.models import Site

RECENT = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Period:
    """A period with its figures: all notices first, then each addressee's."""

    name: str
    total: TrackRecord
    rows: Sequence[tuple[str, TrackRecord]]


def effect_section(site: Site) -> str:
    """Return the HTML of the section of a site: the last 90 days, and ever."""
    recent = timezone.now() - RECENT
    names = ((_("Last %(days)d days") % {"days": RECENT.days}, recent), (_("Ever"), None))
    periods = []
    for name, since in names:
        total = track_record.site_record(site, since)
        of_addressees = [
            (clip_text(each.name), record) for each, record in track_record.records_per_addressee(site, since)
        ]
        periods.append(Period(name, total, [(_("all"), total), *of_addressees]))
    return render_to_string("notices/site_effect.html", {"periods": periods})


def track_record_line(addressee: Addressee) -> str:
    """Return the HTML of the line of an addressee."""
    return render_to_string("notices/track_record.html", {"record": track_record.addressee_record(addressee)})
