"""Decisions of users on what counts as a copy: excluded passages, ignored texts, and overruled exclusions.

A row changes only once, when it is withdrawn. A row with `withdrawn_at` has no effect.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _

from webadmin.accounts.models.rights_holder import RightsHolder
from webadmin.cases.models.case import Case
from webadmin.sites.models.page import PageRecord
from webadmin.sites.models.site import Site
from webadmin.ui.models.fields import user_key
from webadmin.ui.models.phrases import rejection_choices
from webadmin.works.models.rights import Work


class _Entered(models.Model):
    """A base class that records who entered a row and who withdrew it, and when."""

    note = models.CharField(_("note"), max_length=500, blank=True)
    entered_by = user_key(_("entered by"), models.PROTECT)
    entered_at = models.DateTimeField(_("entered"))
    withdrawn_by = user_key(_("withdrawn by"), models.PROTECT, null=True, blank=True)
    withdrawn_at = models.DateTimeField(_("withdrawn on"), null=True, blank=True)

    class Meta:
        abstract = True


class Overruling(_Entered):
    """A decision that the findings of a work on a page count, although they were excluded for `reason`."""

    page = models.ForeignKey(PageRecord, models.CASCADE, related_name="overrulings", verbose_name=_("page"))
    work = models.ForeignKey(Work, models.CASCADE, related_name="overrulings", verbose_name=_("work"))
    reason = models.CharField(_("reason left out"), max_length=32, choices=rejection_choices)
    detail = models.CharField(_("detail"), max_length=300, blank=True)  # licensee and contract, or the own domain

    class Meta:
        verbose_name = _("overruled exclusion")
        verbose_name_plural = _("overruled exclusions")
        ordering = ["-entered_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.work} · {self.get_reason_display()}"


class ExcludedPassage(_Entered):
    """A passage or a whole text of the work that does not count in one case.

    The passage is stored in the wording of the work, so that it is recognized in later versions of the page.
    """

    class Reason(models.TextChoices):
        QUOTATION = "quotation", _("quotation")
        SET_WORDING = "set_wording", _("stock phrase")
        PUBLIC_DOMAIN = "public_domain", _("text that is not protected")
        OWN_TEXT = "own_text", _("text of the page's own author")
        OTHER = "other", _("another reason")

    case = models.ForeignKey(Case, models.CASCADE, related_name="excluded_passages", verbose_name=_("case"))
    text_id = models.CharField(_("text id"), max_length=40, blank=True)  # of a text that is excluded completely, or ""
    text = models.TextField(_("passage"), blank=True)
    chapter_title = models.CharField(_("chapter"), max_length=300, blank=True)
    reason = models.CharField(_("reason"), max_length=16, choices=Reason)

    class Meta:
        verbose_name = _("excluded passage")
        verbose_name_plural = _("excluded passages")
        ordering = ["-entered_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.case_id} · {self.get_reason_display()}"


class IgnoredText(_Entered):
    """A text that does not count: noise on the pages of `site` or, if it is None, a passage of works on all sites."""

    class Reason(models.TextChoices):
        NOISE = "noise", _("advertisement or site noise")
        SET_WORDING = "set_wording", _("stock phrase")
        NOTICE = "notice", _("a publisher's standard notice")
        PUBLIC_DOMAIN = "public_domain", _("text that is not protected")
        OTHER = "other", _("another reason")

    rights_holder = models.ForeignKey(
        RightsHolder, models.CASCADE, related_name="ignored_texts", verbose_name=_("rights holder")
    )
    site = models.ForeignKey(
        Site, models.CASCADE, null=True, blank=True, related_name="ignored_texts", verbose_name=_("site")
    )
    text = models.TextField(_("text"))
    reason = models.CharField(_("reason"), max_length=16, choices=Reason)
    page_url = models.TextField(_("seen on"), blank=True)  # where the noise was marked, as an example

    class Meta:
        verbose_name = _("ignored text")
        verbose_name_plural = _("ignored texts")
        ordering = ["-entered_at", "-pk"]

    def __str__(self) -> str:
        return self.text if len(self.text) <= 40 else f"{self.text[:40]}…"
