"""Removals of the pages of confirmed cases, and the page checks that prove them.

webadmin.notices.services.removals writes both. A check that finds a page unchanged is not stored.
"""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from webadmin.accounts.models.rights_holder import RightsHolder
from webadmin.cases.models.case import Case
from webadmin.evidence.models.bundle import EvidenceBundle
from webadmin.sites.models.site import Site
from webadmin.ui.models.fields import CopiedKey, MessageField


class Removal(models.Model):
    """A period in which the passages of a case were not on its page. ended_at: the time when they were back."""

    case = models.ForeignKey(Case, models.PROTECT, related_name="removals", verbose_name=_("case"))
    rights_holder = CopiedKey(RightsHolder, models.PROTECT, "case.rights_holder", verbose_name=_("rights holder"))
    site = CopiedKey(Site, models.PROTECT, "case.site", verbose_name=_("site"))
    since = models.DateTimeField(_("removed since"))  # time of the first check that proves it
    said_at = models.DateTimeField(_("confirmed"))  # time of the last check that proves it
    ended_at = models.DateTimeField(_("back since"), null=True, blank=True)

    class Meta:
        verbose_name = _("removal")
        verbose_name_plural = _("removals")
        ordering = ["-since", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["case"], condition=Q(ended_at=None), name="one_standing_removal_a_case")
        ]
        indexes = [
            models.Index(fields=["rights_holder", "-since", "-id"]),
            models.Index(fields=["-since", "-id"]),
            models.Index(fields=["site", "-since"]),
        ]

    def __str__(self) -> str:
        return f"{self.case_id} · {self.since:%Y-%m-%d}"


class RemovalLook(models.Model):
    """A check of the page of a confirmed case, with its result. Only its bundle and its removal are set later."""

    class Seen(models.TextChoices):
        STANDS = "stands", _("the passages are on it")
        GONE = "gone", _("the page does not exist")
        CLEARED = "cleared", _("the page is online without the passages")
        NOT_SEEN = "not_seen", _("not visible")

    case = models.ForeignKey(Case, models.PROTECT, related_name="looks", verbose_name=_("case"))
    rights_holder = CopiedKey(RightsHolder, models.PROTECT, "case.rights_holder", verbose_name=_("rights holder"))
    # The checked page, if the case has several URLs.
    page_id = models.CharField(max_length=40, blank=True, default="", editable=False)
    at = models.DateTimeField(_("when"))
    seen = models.CharField(pgettext_lazy("of a look", "seen"), max_length=8, choices=Seen)
    by_second_route = models.BooleanField(_("by another route"), default=False)
    status = models.PositiveSmallIntegerField(_("HTTP status"), null=True)  # None: no response
    final_url = models.TextField(_("URL after redirects"), blank=True)
    version_id = models.CharField(_("page version"), max_length=40, blank=True)  # "" if no page was read
    answer_id = models.CharField(max_length=40, blank=True)  # core.visits.Absence; "" if no response was stored
    fault = MessageField(_("what was wrong"), null=True)
    removal = models.ForeignKey(Removal, models.PROTECT, null=True, related_name="looks", verbose_name=_("removal"))
    bundle = models.ForeignKey(
        EvidenceBundle, models.PROTECT, null=True, related_name="looks", verbose_name=_("evidence bundle")
    )

    class Meta:
        verbose_name = _("page inspection")
        verbose_name_plural = _("page inspections")
        ordering = ["at", "pk"]
        constraints = [models.UniqueConstraint(fields=["case", "at"], name="one_look_a_case_and_moment")]
        indexes = [
            models.Index(fields=["seen", "case"], condition=Q(removal=None), name="look_without_removal"),
            models.Index(
                fields=["removal"], condition=Q(removal__isnull=False, bundle=None), name="look_without_bundle"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.case_id} · {self.get_seen_display()}"
