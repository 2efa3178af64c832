"""The mails of notices: each is noted before its first byte goes out, so that none goes out twice."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from records.models.message_field import MessageField
from records.models.notice import Notice


class NoticeMail(models.Model):
    """One attempt to send a notice by mail. Its bytes stand in the evidence store from before it is sent."""

    class State(models.TextChoices):
        PREPARED = "prepared", pgettext_lazy("of a mail", "waits to be sent")
        TRYING = "trying", pgettext_lazy("of a mail", "is being sent")
        SENT = "sent", pgettext_lazy("of a mail", "sent")
        FAILED = "failed", pgettext_lazy("of a mail", "not sent")
        UNKNOWN = "unknown", pgettext_lazy("of a mail", "may have been sent")

    notice = models.ForeignKey(Notice, models.PROTECT, related_name="mails", verbose_name=_("notice"))
    attempt = models.PositiveSmallIntegerField(_("attempt"))
    state = models.CharField(_("state"), max_length=8, choices=State, default=State.PREPARED)
    sender = models.CharField(_("sender"), max_length=254)
    recipient = models.CharField(_("recipient"), max_length=254)
    message_id = models.CharField("Message-ID", max_length=320, unique=True)
    digest = models.CharField(_("SHA-256"), max_length=64)  # of the bytes as they go out
    size = models.PositiveIntegerField(_("bytes"))
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("requested by")
    )
    asked_at = models.DateTimeField(_("requested"))  # and, where its message was lost, again
    began_at = models.DateTimeField(_("began"), null=True, blank=True)
    ended_at = models.DateTimeField(_("finished"), null=True, blank=True)
    said = MessageField(_("what came of it"), null=True, blank=True)
    # Of one that may have gone out: who looked in the mailbox, and when. Sent then, or unknown for good.
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", verbose_name=_("settled by")
    )
    settled_at = models.DateTimeField(_("settled"), null=True, blank=True)

    class Meta:
        verbose_name = _("mail of a notice")
        verbose_name_plural = _("mails of notices")
        ordering = ["-attempt"]
        constraints = [
            models.UniqueConstraint(fields=["notice", "attempt"], name="one_mail_an_attempt"),
            models.UniqueConstraint(
                fields=["notice"],
                condition=Q(state__in=["prepared", "trying", "sent"]) | Q(state="unknown", settled_at=None),
                name="one_mail_that_goes_out",
            ),
        ]
        indexes = [models.Index(fields=["began_at"], condition=Q(state="trying"), name="mails_being_sent")]

    @property
    def name(self) -> str:
        """Of the file that its bytes are handed out as."""
        return f"notice-{self.notice_id}-{self.attempt}.eml"

    def __str__(self) -> str:
        return f"{self.notice_id} · {self.attempt}"
