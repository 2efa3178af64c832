"""What a licence of a work costs, as the rights holder says; entered with its source, never changed."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from webadmin.ui.models.fields import AppendOnly
from webadmin.works.models.rights import Work


class LicenceFee(AppendOnly):
    """A fee for a thousand characters of a work. The newest stands; earlier ones stay to be seen."""

    work = models.ForeignKey(Work, models.CASCADE, related_name="fees", verbose_name=_("work"))
    per_thousand = models.DecimalField(_("CNY for a thousand characters"), max_digits=10, decimal_places=2)
    source = models.CharField(_("source of the fee"), max_length=500)  # such as a contract with its number
    entered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("entered by")
    )
    entered_at = models.DateTimeField(_("entered"))

    class Meta:
        verbose_name = _("licence fee")
        verbose_name_plural = _("licence fees")
        ordering = ["-entered_at", "-pk"]
        constraints = [
            models.CheckConstraint(condition=models.Q(per_thousand__gt=0), name="licence_fee_is_above_nothing")
        ]

    def __str__(self) -> str:
        return f"{self.work_id} · {self.per_thousand}"
