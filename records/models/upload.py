"""Works that somebody sent and has not confirmed yet."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from records.models.rights import RightsHolder


class PlannedUpload(models.Model):
    """What was read of one sending, kept until its sender confirms or discards it; each person has one at most."""

    rights_holder = models.ForeignKey(  # empty until the sender says whose works these are
        RightsHolder, models.CASCADE, null=True, related_name="planned_uploads", verbose_name=_("rights holder")
    )
    sent_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="planned_uploads", verbose_name=_("sent by")
    )
    sent_at = models.DateTimeField(_("sent"))
    works = models.BinaryField(_("works"))  # records.works.planned_uploads

    class Meta:
        verbose_name = _("planned upload")
        verbose_name_plural = _("planned uploads")

    def __str__(self) -> str:
        return f"{self.rights_holder or '-'} · {self.sent_by}"
