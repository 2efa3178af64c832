"""Cases: one page that took from one work, with the evidence as it was and what a reviewer decided."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.states import CaseState
from webadmin.hidden_characters import spelled
from webadmin.models.pages import PageRecord
from webadmin.models.phrases import match_class_choices, state_choices, verdict_choices
from webadmin.models.rights import Chapter, RightsHolder, Work


class Case(models.Model):
    """One page and one work. Figures are those of the newest matches; a verdict stays until a reviewer changes it."""

    rights_holder = models.ForeignKey(
        RightsHolder, models.PROTECT, related_name="cases", verbose_name=_("rights holder")
    )
    work = models.ForeignKey(Work, models.PROTECT, related_name="cases", verbose_name=_("work"))
    page = models.ForeignKey(PageRecord, models.PROTECT, related_name="cases", verbose_name=_("page"))
    page_url = models.TextField(_("page URL"))
    page_title = models.CharField(_("page title"), max_length=500, blank=True)
    state = models.CharField(_("state"), max_length=16, choices=state_choices, default=CaseState.OPEN)
    verdict = models.CharField(_("verdict"), max_length=16, choices=verdict_choices, blank=True)
    verdict_note = models.TextField(_("note"), blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+", verbose_name=_("reviewer")
    )
    decided_at = models.DateTimeField(_("decided"), null=True, blank=True)
    match_class = models.CharField(_("class"), max_length=32, choices=match_class_choices)
    similarity = models.FloatField(_("similarity"))
    page_containment = models.FloatField(_("share of the page"))
    work_containment = models.FloatField(_("share of the work"))
    matched_chars = models.PositiveIntegerField(_("matched characters"))
    longest_run_chars = models.PositiveIntegerField(_("longest run"))
    disguises = models.JSONField(_("disguises"), default=list, blank=True)  # [{"kind", "count", "example"}]
    version_id = models.CharField(_("page version"), max_length=40)  # of the newest matches
    opened_at = models.DateTimeField(_("opened"))
    last_seen_at = models.DateTimeField(_("last seen"))

    class Meta:
        verbose_name = _("case")
        verbose_name_plural = _("cases")
        ordering = ["-opened_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["page", "work"], name="one_case_a_page_and_work")]
        indexes = [
            models.Index(fields=["rights_holder", "state", "-opened_at"]),
            models.Index(fields=["-last_seen_at"]),
        ]

    def __str__(self) -> str:
        return f"#{self.pk} {self.work} ← {spelled(self.page_title or self.page_url)}"


class CaseMatch(models.Model):
    """What one version of the page took from one chapter: frozen, with everything needed to check it again."""

    case = models.ForeignKey(Case, models.CASCADE, related_name="matches", verbose_name=_("case"))
    chapter = models.ForeignKey(Chapter, models.SET_NULL, null=True, related_name="matches", verbose_name=_("chapter"))
    chapter_title = models.CharField(_("chapter"), max_length=300, blank=True)
    version_id = models.CharField(_("page version"), max_length=40)
    fetched_at = models.DateTimeField(_("fetched"))
    final_url = models.TextField(_("URL after redirects"))
    text_id = models.CharField(_("text id"), max_length=40)
    algorithm_id = models.PositiveSmallIntegerField(_("algorithm"))
    corpus_revision = models.PositiveBigIntegerField(_("corpus revision"))
    code_version = models.CharField(_("code version"), max_length=40)
    raw_digest = models.CharField(_("digest of the response"), max_length=64)
    page_text_digest = models.CharField(_("digest of the page's text"), max_length=64)
    work_text_digest = models.CharField(_("digest of the work's text"), max_length=64)
    match_class = models.CharField(_("class"), max_length=32, choices=match_class_choices)
    similarity = models.FloatField(_("similarity"))
    page_containment = models.FloatField(_("share of the page"))
    work_containment = models.FloatField(_("share of the chapter"))
    matched_chars = models.PositiveIntegerField(_("matched characters"))
    longest_run_chars = models.PositiveIntegerField(_("longest run"))
    # [{"page": [start, end], "work": [start, end], "similarity", "page_excerpt", "work_excerpt",
    #   "changes": [[kind, page_start, page_end, work_start, work_end], ...]}, ...] in code points of the texts as given
    spans = models.JSONField(_("passages"), default=list)
    disguises = models.JSONField(_("disguises"), default=list, blank=True)
    also = models.JSONField(_("texts that carry the same passage"), default=list, blank=True)
    found_at = models.DateTimeField(_("found"))

    class Meta:
        verbose_name = _("match")
        verbose_name_plural = _("matches")
        ordering = ["case", "chapter__number", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["case", "version_id", "text_id"], name="one_match_a_version_and_text")
        ]
        indexes = [models.Index(fields=["text_id"])]  # which pages named a text that is withdrawn

    def __str__(self) -> str:
        return f"{self.case_id} · {self.chapter_title}"


class VerdictRecord(models.Model):
    """Every decision on a case, in order; an empty verdict means that the case was opened again."""

    case = models.ForeignKey(Case, models.CASCADE, related_name="verdicts", verbose_name=_("case"))
    verdict = models.CharField(_("verdict"), max_length=16, choices=verdict_choices, blank=True)
    note = models.TextField(_("note"), blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="verdicts", verbose_name=_("reviewer")
    )
    decided_at = models.DateTimeField(_("decided"))

    class Meta:
        verbose_name = _("verdict")
        verbose_name_plural = _("verdicts")
        ordering = ["-decided_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.case_id} · {self.verdict}"
