"""Messages that failed permanently and that an operator should inspect."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from webadmin.ui.models.fields import MessageField


class FailedMessage(models.Model):
    """A message whose task failed in every retry. Once the row is deleted, the sweeper sends the message again."""

    task = models.CharField(_("task"), max_length=100)
    subject = models.CharField(_("subject"), max_length=64)  # the id in the message
    error = MessageField(_("error"))
    failed_at = models.DateTimeField(_("failed"))

    class Meta:
        verbose_name = _("failed message")
        verbose_name_plural = _("failed messages")
        ordering = ["-failed_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["task", "subject"], name="one_failure_a_message")]

    def __str__(self) -> str:
        return f"{self.task} {self.subject}"
