"""Checks of what is stored, as the admin lists them."""

from django.db import models
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _


class StoreCheck(models.Model):
    """One reading of the stores, or of a part of them, against their digests and against each other."""

    started_at = models.DateTimeField(_("started"))
    ended_at = models.DateTimeField(_("ended"))
    part = models.PositiveSmallIntegerField(_("part"), null=True, blank=True)  # of seven, from 0; None: all of it
    items = models.PositiveBigIntegerField(_("items read"))
    # [{"store", "place", "key", "kind", "remedy", "cases", "pages", "detail"}]: pipeline.checking.damage.Damage
    damages = models.JSONField(_("damages"), default=list, blank=True)

    class Meta:
        verbose_name = _("check of the stores")
        verbose_name_plural = _("checks of the stores")
        ordering = ["-started_at", "-pk"]

    def __str__(self) -> str:
        return f"{localtime(self.started_at):%Y-%m-%d %H:%M}"
