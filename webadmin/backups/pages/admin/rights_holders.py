"""Adds the data export to the admin of rights holders."""

from functools import partial

from django.conf import settings
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from unfold.decorators import action

from core.errors import BadInput, ZhuiwenError
from webadmin.accounts.models import RightsHolder
from webadmin.accounts.pages.admin.rights_holders import RightsHolderAdmin
from webadmin.backups.services.data_export import take_out
from webadmin.ui.pages.downloads import spooled_download
from webadmin.ui.pages.page_responses import admin_page
from webadmin.ui.pages.wording import message_text


@admin.register(RightsHolder)
class ExportedRightsHolderAdmin(RightsHolderAdmin):
    """The admin of rights holders, with the data export."""

    actions_detail = ["take_out"]

    @action(description=_("All their data as one file"), url_path="take-out", permissions=["manage"], icon="download")
    def take_out(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        """Return the file of `zhuiwen holder export`, or a confirmation page unless the method is POST.

        A link must not start an expensive read.
        """
        holder: RightsHolder = self.get_record_or_404(request, object_id)
        if request.method != "POST":
            title = _("All their data as one file")
            return admin_page(request, "backups/take_out.html", {"holder": holder, "title": title})
        own = settings.ZHUIWEN.home / "run"  # A private folder, because /tmp may be in memory or readable by others.
        try:
            own.mkdir(mode=0o700, exist_ok=True)
            return spooled_download(f"zhuiwen-holder-{holder.pk}.zip", partial(take_out, holder), own)
        except (ZhuiwenError, OSError) as error:
            if isinstance(error, OSError):
                error = BadInput("backup.unwritable", path=own, reason=error.strerror)
            messages.error(request, message_text(error))
            return HttpResponseRedirect(reverse("admin:accounts_rightsholder_change", args=[holder.pk]))
