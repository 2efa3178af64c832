"""The list of rights holders, each with all that is theirs as one file."""

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
from webadmin.ui.pages.page_responses import desk_page
from webadmin.ui.pages.wording import message_text


@admin.register(RightsHolder)
class ExportedRightsHolderAdmin(RightsHolderAdmin):
    """Adds the export to the list and form of rights holders."""

    actions_detail = ["take_out"]

    @action(
        description=_("All that is theirs, as one file"), url_path="take-out", permissions=["manage"], icon="download"
    )
    def take_out(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        """The same file as `zhuiwen holder export`, by POST: reading all of it is nothing that a link should start."""
        holder: RightsHolder = self.get_record_or_404(request, object_id)
        if request.method != "POST":
            title = _("All that is theirs, as one file")
            return desk_page(request, "backups/take_out.html", {"holder": holder, "title": title})
        own = settings.ZHUIWEN.home / "run"  # a disk of ours: /tmp may be memory, or read by others
        try:
            own.mkdir(mode=0o700, exist_ok=True)
            return spooled_download(f"zhuiwen-holder-{holder.pk}.zip", partial(take_out, holder), own)
        except (ZhuiwenError, OSError) as error:
            if isinstance(error, OSError):
                error = BadInput("backup.unwritable", path=own, reason=error.strerror)
            messages.error(request, message_text(error))
            return HttpResponseRedirect(reverse("admin:accounts_rightsholder_change", args=[holder.pk]))
