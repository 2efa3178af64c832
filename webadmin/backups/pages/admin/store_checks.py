"""The list of store checks for administrators, with the damages and remedies of each."""

from django.contrib import admin
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from core.plain_text import clean_line
from core.wording import Message
from webadmin.accounts.pages.isolation import MachineAdmin
from webadmin.backups.models import StoreCheck
from webadmin.ui.pages.columns import NOTHING, label_text
from webadmin.ui.pages.wording import message_text

MAX_SHOWN = 200  # damages of one check; the command line shows all
STORES = {
    "page store": Message("checking.page-store"),
    "admin database": Message("checking.admin-database"),
    "evidence": Message("checking.evidence"),
    "index": Message("checking.index"),
    "files": Message("checking.files"),
}
KINDS = {
    "changed": _("changed"),
    "missing": _("missing"),
    "unreadable": _("cannot be read"),
}
REMEDIES = {
    "made anew": _("rebuilt, complete again"),
    "can be made anew": _("can be recreated"),
    "searched again": _("its page will be compared by meaning again"),
    "restore": _("restored from the backup"),
}


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
        rows = ((_sentence(each),) for each in check.damages[:MAX_SHOWN])
        return format_html_join("", "<div>{}</div>", rows) or NOTHING


def _sentence(damage: dict[str, object]) -> str:
    store = STORES.get(str(damage["store"]))
    named = message_text(store) if store is not None else damage["store"]
    place = clean_line(" ".join(map(str, filter(None, (named, damage["place"], damage["key"])))))
    told = f"{place}: {KINDS.get(str(damage['kind']), damage['kind'])}; {REMEDIES.get(str(damage['remedy']), '')}"
    cases = damage["cases"]
    return f"{told} ({', '.join(f'#{case}' for case in cases)})" if isinstance(cases, list) and cases else told
