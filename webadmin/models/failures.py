"""Messages that failed for good, where an operator looks."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class FailedMessage(models.Model):
    """A message that no retry could carry out. The sweeper sends it again once its cause is gone."""

    task = models.CharField(_("task"), max_length=100)
    payload = models.JSONField(_("message"), default=dict)
    error = models.TextField(_("error"))
    failed_at = models.DateTimeField(_("failed"))

    class Meta:
        verbose_name = _("failed message")
        verbose_name_plural = _("failed messages")
        ordering = ["-failed_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.task} {self.payload}"
