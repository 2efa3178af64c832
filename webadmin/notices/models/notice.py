"""Models of notices: identities, documents, templates, notices, their files, events and mails, counter-statements."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from core.clock import CLOCKS_DIFFER
from webadmin.accounts.models.rights_holder import RightsHolder
from webadmin.cases.models.case import Case
from webadmin.notices.models.addressee import Addressee
from webadmin.sites.models.site import Site
from webadmin.ui.models.fields import MessageField, user_key
from webadmin.ui.models.phrases import counter_rule_choices, paper_choices
from webadmin.works.models.rights import Entered, Work


class HolderIdentity(Entered):
    """The legal identity of a rights holder as stated in its documents. The law requires most of these fields."""

    rights_holder = models.OneToOneField(
        RightsHolder, models.CASCADE, related_name="identity", verbose_name=_("rights holder")
    )
    legal_name = models.CharField(_("legal name"), max_length=200)
    identity = models.CharField(
        _("identity document"),
        max_length=200,
        blank=True,
        help_text=_("Type and number, such as the business licence with its unified social credit code."),
    )
    representative = models.CharField(_("legal representative"), max_length=100, blank=True)
    address = models.CharField(_("address"), max_length=300, blank=True)
    postcode = models.CharField(_("postcode"), max_length=20, blank=True)
    contact_person = models.CharField(_("contact person"), max_length=100, blank=True)
    phone = models.CharField(_("telephone"), max_length=60, blank=True)
    email = models.EmailField(_("e-mail"), blank=True)
    fax = models.CharField(_("fax"), max_length=60, blank=True)
    agent_name = models.CharField(_("agent"), max_length=200, blank=True)
    agent_contact = models.CharField(_("contact of the agent"), max_length=300, blank=True)

    class Meta:
        verbose_name = _("rights holder identity")
        verbose_name_plural = _("rights holder identities")

    def __str__(self) -> str:
        return self.legal_name


class StoredFile(models.Model):
    """An uploaded file, which can be withdrawn but not changed. The evidence store contains its bytes."""

    name = models.CharField(_("file"), max_length=200)
    digest = models.CharField(_("SHA-256"), max_length=64, editable=False)
    size = models.PositiveIntegerField(_("bytes"), editable=False)
    added_by = user_key(_("entered by"), models.SET_NULL, null=True, editable=False)
    added_at = models.DateTimeField(_("entered"), auto_now_add=True)
    withdrawn_by = user_key(_("withdrawn by"), models.SET_NULL, null=True, editable=False)
    withdrawn_at = models.DateTimeField(_("withdrawn on"), null=True, editable=False)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name


class HolderPaper(StoredFile):
    """A document enclosed with notices: proof of identity, proof of ownership, or power of attorney."""

    class Kind(models.TextChoices):
        IDENTITY = "identity", _("identity document")
        OWNERSHIP = "ownership", _("proof of ownership")
        AUTHORITY = "authority", _("power of attorney")

    rights_holder = models.ForeignKey(
        RightsHolder, models.CASCADE, related_name="papers", verbose_name=_("rights holder")
    )
    kind = models.CharField(pgettext_lazy("of an address or of evidence", "kind"), max_length=16, choices=Kind)
    work = models.ForeignKey(
        Work,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="papers",
        verbose_name=_("work"),
        help_text=_("Leave empty for all works of the rights holder."),
    )
    valid_from = models.DateField(_("valid from"), null=True, blank=True)
    valid_until = models.DateField(
        _("valid until"), null=True, blank=True, help_text=_("The last day. Leave empty for no end date.")
    )

    class Meta:
        verbose_name = _("document of a rights holder")
        verbose_name_plural = _("documents of rights holders")
        ordering = ["kind", "-added_at", "-pk"]


class PaperTemplate(StoredFile):
    """A Word template that passed its check. The newest template of a kind that is not withdrawn is used."""

    rights_holder = models.ForeignKey(
        RightsHolder, models.CASCADE, related_name="templates", verbose_name=_("rights holder")
    )
    kind = models.CharField(_("document"), max_length=16, choices=paper_choices)

    class Meta:
        verbose_name = _("document template")
        verbose_name_plural = _("document templates")
        ordering = ["kind", "-added_at", "-pk"]


class Notice(models.Model):
    """A notice about pages on one site.

    It starts as a draft. values: the texts of its fields by code (`legal_fields`).
    """

    class State(models.TextChoices):
        DRAFTED = "drafted", pgettext_lazy("of a notice", "drafted")
        CONFIRMED = "confirmed", pgettext_lazy("of a notice", "confirmed")
        SENT = "sent", pgettext_lazy("of a notice", "sent")
        ANSWERED = "answered", pgettext_lazy("of a notice", "answered")
        COUNTERED = "countered", pgettext_lazy("of a notice", "counter-statement received")
        REMOVED = "removed", pgettext_lazy("of a notice", "removed")
        REFUSED = "refused", pgettext_lazy("of a notice", "refused")
        ESCALATED = "escalated", pgettext_lazy("of a notice", "escalated")
        CLOSED = "closed", pgettext_lazy("of a notice", "closed")
        WITHDRAWN = "withdrawn", pgettext_lazy("of a notice", "withdrawn")

    rights_holder = models.ForeignKey(
        RightsHolder, models.PROTECT, related_name="notices", verbose_name=_("rights holder")
    )
    site = models.ForeignKey(Site, models.PROTECT, related_name="notices", verbose_name=_("site"))
    addressee = models.ForeignKey(
        Addressee, models.PROTECT, null=True, related_name="notices", verbose_name=_("addressee")
    )
    kind = models.CharField(_("document"), max_length=16, choices=paper_choices)
    state = models.CharField(_("state"), max_length=16, choices=State, default=State.DRAFTED)
    values = models.JSONField(_("fields"), default=dict)
    # An earlier unsuccessful notice, which is marked as escalated when this notice is sent.
    escalates = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="escalations", verbose_name=_("follows on")
    )
    sent_on = models.DateField(_("sent on"), null=True, blank=True)
    answer_due = models.DateField(_("answer due"), null=True, blank=True)  # None if no answer is expected
    drafted_by = user_key(_("drafted by"), models.PROTECT)
    drafted_at = models.DateTimeField(_("drafted"))

    class Meta:
        verbose_name = _("notice")
        verbose_name_plural = _("notices")
        ordering = ["-drafted_at", "-pk"]
        indexes = [
            models.Index(fields=["rights_holder", "-drafted_at", "-id"]),
            models.Index(fields=["-drafted_at", "-id"]),
            models.Index(fields=["rights_holder", "state", "-drafted_at"]),
            models.Index(fields=["state", "-drafted_at"]),
            models.Index(
                fields=["rights_holder", "answer_due"], condition=Q(answer_due__isnull=False), name="notices_due"
            ),
        ]

    @property
    def addressee_name(self) -> str:
        """The name of the entered addressee, or the name written in the notice.

        Select `addressee` with the notice.
        """
        return self.addressee.name if self.addressee else str(self.values.get("addressee_name", ""))

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.site}"


class NoticePage(models.Model):
    """A page that a notice names, as the case about it."""

    notice = models.ForeignKey(Notice, models.CASCADE, related_name="pages", verbose_name=_("notice"))
    case = models.ForeignKey(Case, models.PROTECT, related_name="notice_pages", verbose_name=_("case"))

    class Meta:
        verbose_name = _("notice page")
        verbose_name_plural = _("notice pages")
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["notice", "case"], name="one_page_a_notice_and_case")]

    def __str__(self) -> str:
        return f"{self.notice_id} · {self.case_id}"


class NoticeFile(models.Model):
    """A file of a confirmed notice, which is never changed. The evidence store contains its bytes."""

    notice = models.ForeignKey(Notice, models.CASCADE, related_name="files", verbose_name=_("notice"))
    name = models.CharField(_("file"), max_length=200)
    digest = models.CharField(_("SHA-256"), max_length=64)
    size = models.PositiveIntegerField(_("bytes"))

    class Meta:
        verbose_name = _("notice file")
        verbose_name_plural = _("notice files")
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.name


class NoticeEvent(models.Model):
    """An event in the history of a notice, with its user and time. It is never changed."""

    class Way(models.TextChoices):
        """The way in which a notice was sent."""

        MAIL = "mail", _("mail by this program")
        OWN_MAIL = "own-mail", _("mail from one's own mailbox")
        POST = "post", _("post")
        COURIER = "courier", _("courier")
        FORM = "form", _("web form")
        FAX = "fax", _("fax")

    notice = models.ForeignKey(Notice, models.CASCADE, related_name="events", verbose_name=_("notice"))
    state = models.CharField(_("state"), max_length=16, choices=Notice.State)
    by = user_key(_("by"), models.PROTECT, null=True)
    at = models.DateTimeField(_("when"))
    day = models.DateField(_("day"), null=True, blank=True)  # the day of the event, if a user recorded it afterwards
    way = models.CharField(_("way"), max_length=8, choices=Way, blank=True)
    note = models.CharField(_("note"), max_length=1000, blank=True)
    # The event recorded by mistake that this event reverses.
    undoes = models.OneToOneField(
        "self", models.CASCADE, null=True, blank=True, related_name="undone_by", verbose_name=_("reverses")
    )

    @property
    def what(self) -> str:
        """The display name of the event. Select `action` and `undoes` with it."""
        if self.undoes is not None:
            return str(_("undone: %(state)s") % {"state": self.undoes.get_state_display()})
        return str(self.action.get_kind_display()) if hasattr(self, "action") else self.get_state_display()

    class Meta:
        verbose_name = _("notice event")
        verbose_name_plural = _("notice events")
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"{self.notice_id} · {self.state}"


class EventPaper(StoredFile):
    """A file that proves an event: a courier's receipt, an answer, a counter-statement."""

    event = models.ForeignKey(NoticeEvent, models.CASCADE, related_name="papers", verbose_name=_("notice event"))

    class Meta:
        verbose_name = _("event file")
        verbose_name_plural = _("event files")
        ordering = ["pk"]


class NoticeMail(models.Model):
    """An attempt to send a notice by mail. Its bytes are stored in the evidence store before it is sent."""

    class State(models.TextChoices):
        PREPARED = "prepared", pgettext_lazy("of a mail", "queued for sending")
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
    digest = models.CharField(_("SHA-256"), max_length=64)  # of the bytes as sent
    size = models.PositiveIntegerField(_("bytes"))
    asked_by = user_key(_("requested by"), models.PROTECT)
    asked_at = models.DateTimeField(_("requested"))  # or of the repeated request after its message was lost
    began_at = models.DateTimeField(_("began"), null=True, blank=True)
    ended_at = models.DateTimeField(_("finished"), null=True, blank=True)
    said = MessageField(_("outcome"), null=True, blank=True)
    # For a mail that may have been sent: the user who checked the mailbox, and the time. The state becomes `sent` or
    # stays `unknown`.
    settled_by = user_key(_("settled by"), models.PROTECT, null=True)
    settled_at = models.DateTimeField(_("settled"), null=True, blank=True)

    NOT_AHEAD = dict.fromkeys(("asked_at", "began_at"), CLOCKS_DIFFER)
    NOT_AHEAD_ROWS = models.Q(ended_at=None)

    class Meta:
        verbose_name = _("notice mail")
        verbose_name_plural = _("notice mails")
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
        """The file name for downloads and the nightly check."""
        return f"notice-{self.notice_id}-{self.attempt}.eml"

    def __str__(self) -> str:
        return f"{self.notice_id} · {self.attempt}"


class CounterStatement(models.Model):
    """A counter-statement about pages in a notice. Its event has the user, the time and the files."""

    notice = models.ForeignKey(Notice, models.CASCADE, related_name="counters", verbose_name=_("notice"))
    event = models.OneToOneField(NoticeEvent, models.CASCADE, related_name="counter", verbose_name=_("notice event"))
    cases = models.ManyToManyField(Case, related_name="counters", verbose_name=_("pages"))
    received_on = models.DateField(_("received"))
    # As set for the addressee on that day. A publisher has 0 days, because it has no deadline.
    rule = models.CharField(_("law"), max_length=16, choices=counter_rule_choices)
    days = models.PositiveSmallIntegerField(_("days"))

    class Meta:
        verbose_name = _("counter-statement")
        verbose_name_plural = _("counter-statements")
        ordering = ["received_on", "pk"]

    def __str__(self) -> str:
        return f"{self.notice_id} · {self.received_on}"


class LegalAction(models.Model):
    """A complaint or lawsuit with which the rights holder responds to a counter-statement."""

    class Kind(models.TextChoices):
        COMPLAINED = "complained", _("complained to the authority")
        SUED = "sued", _("sued")

    counter = models.OneToOneField(
        CounterStatement, models.CASCADE, related_name="action", verbose_name=_("counter-statement")
    )
    event = models.OneToOneField(NoticeEvent, models.CASCADE, related_name="action", verbose_name=_("notice event"))
    kind = models.CharField(_("action"), max_length=12, choices=Kind)
    on = models.DateField(_("day"))
    place = models.CharField(_("where"), max_length=200)
    number = models.CharField(_("number"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("complaint or lawsuit")
        verbose_name_plural = _("complaints and lawsuits")

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.on}"
