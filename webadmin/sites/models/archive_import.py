"""Archives of other crawls that are taken in."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.clock import CLOCKS_DIFFER
from webadmin.accounts.models.rights_holder import RightsHolder
from webadmin.sites.models.site import Site
from webadmin.ui.models.fields import MessageField


class ArchiveImport(models.Model):
    """One WARC or WACZ file: asked for, being read, read. `position` is where an interrupted one goes on."""

    class State(models.TextChoices):
        QUEUED = "queued", _("queued")
        RUNNING = "running", _("being read")
        FINISHED = "finished", _("finished")
        FAILED = "failed", _("failed")

    rights_holder = models.ForeignKey(
        RightsHolder, models.CASCADE, related_name="imports", verbose_name=_("rights holder")
    )
    site = models.ForeignKey(
        Site,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="imports",
        verbose_name=_("site"),
        help_text=_("Empty: each page goes to the site that owns its host; pages of other hosts are left out."),
    )
    path = models.CharField(_("file"), max_length=1000)
    size_bytes = models.BigIntegerField(_("bytes"), default=0)
    file_mark = models.CharField(max_length=64, blank=True, editable=False)  # size and time of the file when it began
    state = models.CharField(_("state"), max_length=16, choices=State, default=State.QUEUED)
    position = models.JSONField(default=dict, blank=True, editable=False)  # crawler.archive_import.Position
    counts = models.JSONField(_("counts"), default=dict, blank=True)  # crawler.sources.archive_shapes.ImportCounts
    faults = MessageField(_("faults"), default=list, blank=True)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, verbose_name=_("requested by")
    )
    requested_at = models.DateTimeField(_("requested"), auto_now_add=True)
    heartbeat_at = models.DateTimeField(_("last sign of life"), null=True, blank=True)
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)

    NOT_AHEAD = dict.fromkeys(("requested_at", "heartbeat_at"), CLOCKS_DIFFER)

    class Meta:
        verbose_name = _("archive import")
        verbose_name_plural = _("archive imports")
        ordering = ["-requested_at", "-pk"]

    def __str__(self) -> str:
        return self.path.rpartition("/")[2]
