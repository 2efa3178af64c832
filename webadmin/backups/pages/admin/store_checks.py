"""The admin of store checks for administrators, with damages and remedies."""

from django.contrib import admin
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from core.plain_text import clean_line
from webadmin.accounts.pages.isolation import MachineAdmin
from webadmin.backups.models import StoreCheck
from webadmin.backups.services.checking.damage import Damage
from webadmin.ui.pages.columns import NOTHING, label_text
from webadmin.ui.pages.wording import message_text

MAX_LINE_CHARS = 1_000
MAX_SHOWN = 200  # damages listed for one check; the command line lists all


@admin.register(StoreCheck)
class StoreCheckAdmin(MachineAdmin):
    list_display = ["started_at", "extent", "items", "outcome"]
    fields = ["started_at", "ended_at", "extent", "items", "outcome_text", "damage_list"]

    @display(description=_("readings"))
    def extent(self, check: StoreCheck) -> object:
        return _("all of it") if check.part is None else _("part %(number)d of 7") % {"number": check.part + 1}

    @display(description=_("outcome"), label={"good": "success", "mended": "warning", "bad": "danger"})
    def outcome(self, check: StoreCheck) -> tuple[str, object]:
        lost = sum(each["remedy"] != "made anew" for each in check.damages)
        if lost:
            return "bad", _("%(count)d damaged") % {"count": lost}
        if check.damages:
            return "mended", _("%(count)d rebuilt") % {"count": len(check.damages)}
        return "good", _("all complete")

    outcome_text = label_text(outcome)

    @display(description=_("damages"))
    def damage_list(self, check: StoreCheck) -> object:
        rows = (
            (clean_line(message_text(Damage.from_values(each).sentence), MAX_LINE_CHARS),)
            for each in check.damages[:MAX_SHOWN]
        )
        return format_html_join("", "<div>{}</div>", rows) or NOTHING
