"""The texts that count nowhere on a site, as a section of its form."""

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _
from unfold.decorators import display

from webadmin.accounts.pages.isolation import HolderInline
from webadmin.cases.models import IgnoredText
from webadmin.ui.pages.columns import address_column, text_column


class IgnoredTextInline(HolderInline):
    """Noise of the site; it is marked on pages of cases, and taken back there or in the list of all ignored texts."""

    model = IgnoredText
    is_read_only = True
    tab = True
    hide_title = True
    per_page = 20
    fields = ["beginning", "entered_by", "entered_at", "example", "standing"]
    readonly_fields = fields
    verbose_name_plural = _("Ignored texts")

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return super().get_queryset(request).select_related("entered_by", "withdrawn_by")

    beginning = text_column("text", _("text"), 40)

    example = address_column("page_url", _("seen on"))

    @display(description=_("state"))
    def standing(self, ignored: IgnoredText) -> str:
        if ignored.withdrawn_at is None:
            return _now("does not count")
        return _now("taken back by %(who)s") % {"who": ignored.withdrawn_by}
