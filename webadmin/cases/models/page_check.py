"""Comparisons of page versions, and excluded findings, which opened no case."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from webadmin.accounts.models.rights_holder import RightsHolder
from webadmin.sites.models.page import PageRecord
from webadmin.sites.models.site import Site
from webadmin.ui.models.fields import CopiedKey
from webadmin.ui.models.phrases import match_class_choices, rejection_choices
from webadmin.works.models.rights import Work


class PageCheck(models.Model):
    """The last comparison of a page version with the corpus, with its algorithm, corpus revision and outcome."""

    version_id = models.CharField(_("version"), max_length=40, primary_key=True)
    page = models.ForeignKey(PageRecord, models.CASCADE, related_name="checks", verbose_name=_("page"))
    algorithm_id = models.PositiveSmallIntegerField(_("algorithm"))
    corpus_revision = models.PositiveBigIntegerField(_("corpus revision"))
    rejection = models.CharField(_("reason left out"), max_length=32, blank=True, choices=rejection_choices)
    match_count = models.PositiveSmallIntegerField(_("matches"), default=0)
    checked_at = models.DateTimeField(_("checked"))
    appeared_at = models.DateTimeField(_("first seen"))  # finds the check of a version on its page

    class Meta:
        verbose_name = _("page check")
        verbose_name_plural = _("page checks")
        indexes = [models.Index(fields=["checked_at"]), models.Index(fields=["appeared_at"])]

    def __str__(self) -> str:
        return self.version_id


class Exclusion(models.Model):
    """A finding that never became a case, with the reason, such as a licence, an own site or a quotation.

    Every excluded finding has a row. If a finding became a case and was allowed later, the case is set aside instead.
    """

    SEARCH_PATHS = ("page", "site")

    page = models.ForeignKey(
        PageRecord, models.CASCADE, related_name="exclusions", verbose_name=_("page"), db_index=False
    )
    rights_holder = CopiedKey(RightsHolder, models.CASCADE, "page.rights_holder", verbose_name=_("rights holder"))
    site = CopiedKey(Site, models.CASCADE, "page.site", verbose_name=_("site"))
    work = models.ForeignKey(Work, models.CASCADE, related_name="exclusions", verbose_name=_("work"))
    # The facts on which rulings are based: the URL, the author and poster that the page names, and the copied texts.
    page_url = models.TextField(_("page URL"))
    page_title = models.CharField(_("page title"), max_length=500, blank=True)
    page_author = models.CharField(_("author stated by the page"), max_length=200, blank=True)
    page_poster = models.CharField(_("posted by"), max_length=200, blank=True)
    text_ids = models.JSONField(default=list, blank=True)
    reason = models.CharField(_("reason"), max_length=32, choices=rejection_choices)
    detail = models.CharField(_("detail"), max_length=300, blank=True)
    match_class = models.CharField(_("class"), max_length=32, choices=match_class_choices)
    similarity = models.FloatField(_("similarity"))
    matched_chars = models.PositiveIntegerField(_("matched characters"))
    # The passages of the finding: [{"text_id", "chapter_title", "version_id", "page_text_digest",
    #   "work_text_digest", "matched_chars", "similarity", "spans": as in a case, but without excerpts}, ...]
    found = models.JSONField(_("passages"), default=list, blank=True)
    found_at = models.DateTimeField(_("found"))

    class Meta:
        verbose_name = _("excluded finding")
        verbose_name_plural = _("excluded findings")
        ordering = ["-found_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["page", "work"], name="one_exclusion_a_page_and_work")]
        indexes = [
            models.Index(fields=["reason", "detail"], name="exclusion_detail"),
            models.Index(fields=["rights_holder", "-found_at"]),
            models.Index(fields=["-found_at"]),
            models.Index(fields=["rights_holder", "reason", "-found_at"]),
            models.Index(fields=["reason", "-found_at"]),
            models.Index(fields=["rights_holder", "site", "-found_at"]),
            models.Index(fields=["site", "-found_at"]),
        ]

    def __str__(self) -> str:
        said = (str(self.work), self.get_reason_display(), self.get_match_class_display())
        return " · ".join(dict.fromkeys(said))  # The reason and the class of a quotation are equal.
