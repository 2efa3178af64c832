"""What whoever posted a text answers to a notice, and what the rights holder does within the time that it starts."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from records.models.case import Case
from records.models.notice import Notice, NoticeEvent
from records.models.phrases import counter_rule_choices


class CounterStatement(models.Model):
    """A counter-statement about pages of a notice. Who noted it, when and its files: the event."""

    notice = models.ForeignKey(Notice, models.CASCADE, related_name="counters", verbose_name=_("notice"))
    event = models.OneToOneField(
        NoticeEvent, models.CASCADE, related_name="counter", verbose_name=_("event of a notice")
    )
    cases = models.ManyToManyField(Case, related_name="counters", verbose_name=_("pages"))
    received_on = models.DateField(_("received"))
    # As they were for the addressee on that day; days 0: who publishes by itself starts no time.
    rule = models.CharField(_("law"), max_length=16, choices=counter_rule_choices)
    days = models.PositiveSmallIntegerField(_("days"))

    class Meta:
        verbose_name = _("counter-statement")
        verbose_name_plural = _("counter-statements")
        ordering = ["received_on", "pk"]

    def __str__(self) -> str:
        return f"{self.notice_id} · {self.received_on}"


class LegalAction(models.Model):
    """That the rights holder complained or sued after a counter-statement: the time is kept by it."""

    class Kind(models.TextChoices):
        COMPLAINED = "complained", _("complained to the authority")
        SUED = "sued", _("sued")

    counter = models.OneToOneField(
        CounterStatement, models.CASCADE, related_name="action", verbose_name=_("counter-statement")
    )
    event = models.OneToOneField(
        NoticeEvent, models.CASCADE, related_name="action", verbose_name=_("event of a notice")
    )
    kind = models.CharField(_("what was done"), max_length=12, choices=Kind)
    on = models.DateField(_("day"))
    place = models.CharField(_("where"), max_length=200)
    number = models.CharField(_("number"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("complaint or action")
        verbose_name_plural = _("complaints and actions")

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.on}"
