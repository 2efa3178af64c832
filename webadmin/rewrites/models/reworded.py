"""Leads, which are pages that may reword or translate a text of a work, and the verdicts on them.

A lead results from a statistical comparison of meaning and is not a copy. No list, count or report of cases includes
leads.
"""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.hidden_characters import spell_hidden
from core.matches import RewordedState
from webadmin.accounts.models.rights_holder import RightsHolder
from webadmin.sites.models.page import PageRecord
from webadmin.sites.models.site import Site
from webadmin.ui.models.fields import CopiedKey, user_key
from webadmin.ui.models.phrases import reworded_class_choices, reworded_state_choices
from webadmin.works.models.rights import Chapter, Work

_LISTED: dict[str, tuple[str, ...]] = {
    "all": (), "holder": ("rights_holder",), "site": ("site",), "work": ("work",)
}  # fmt: skip


class RewordedLead(models.Model):
    """A page and a text of a work that the newest search found, with all data needed to compare them again.

    A verdict stays until a user changes it. `lapsed_at` is set on an undecided lead that is not found after the page
    changed, which then needs no decision, and on a confirmed lead that a search for its text did not find.
    """

    SEARCH_PATHS = ("page", "site")

    page = models.ForeignKey(
        PageRecord, models.PROTECT, related_name="reworded_leads", verbose_name=_("page"), db_index=False
    )
    rights_holder = CopiedKey(RightsHolder, models.PROTECT, "page.rights_holder", verbose_name=_("rights holder"))
    site = CopiedKey(Site, models.PROTECT, "page.site", verbose_name=_("site"))
    work = models.ForeignKey(Work, models.PROTECT, related_name="reworded_leads", verbose_name=_("work"))
    chapter = models.ForeignKey(
        Chapter, models.SET_NULL, null=True, related_name="reworded_leads", verbose_name=_("chapter")
    )
    chapter_title = models.CharField(_("chapter"), max_length=300, blank=True)
    text_id = models.CharField(_("text id"), max_length=40)
    page_url = models.TextField(_("page URL"))
    page_title = models.CharField(_("page title"), max_length=500, blank=True)
    state = models.CharField(_("state"), max_length=16, choices=reworded_state_choices, default=RewordedState.WAITING)
    found_as = models.CharField(_("class"), max_length=16, choices=reworded_class_choices)
    score = models.FloatField(_("score"))  # not a share; it has no upper bound: matcher.reworded.found
    elsewhere = models.FloatField(_("stated elsewhere"))  # matches elsewhere in the works, which reduce the score
    # The rate at which unrelated passages reached the score, measured at that time. "" and None if not measured.
    band = models.CharField(_("band"), max_length=16, blank=True)
    band_alarms = models.PositiveIntegerField(_("false alarms among unrelated passages"), null=True, blank=True)
    band_passages = models.PositiveIntegerField(_("unrelated passages measured"), null=True, blank=True)
    # [[page start, page end, work start, work end, strength], ...] in page order, in code points of the original texts
    pairs = models.JSONField(_("sentences that correspond"), default=list)
    pair_count = models.PositiveIntegerField(_("sentences with a counterpart"))
    sentence_count = models.PositiveIntegerField(_("sentences on the page"))
    in_order = models.PositiveIntegerField(_("of these, in the same order"))
    algorithm_version = models.PositiveSmallIntegerField(_("algorithm"))
    ingredients = models.JSONField(default=dict)  # {"weights", "tokenizer", "background"}: SHA-256
    code_version = models.CharField(_("code version"), max_length=40)
    version_id = models.CharField(_("page version"), max_length=40)
    fetched_at = models.DateTimeField(_("fetched"))
    raw_digest = models.CharField(_("digest of the response"), max_length=64)
    page_text_digest = models.CharField(_("digest of the page's text"), max_length=64)
    work_text_digest = models.CharField(_("digest of the work's text"), max_length=64)
    found_at = models.DateTimeField(_("found"))
    lapsed_at = models.DateTimeField(_("no longer found since"), null=True, blank=True)

    class Meta:
        verbose_name = _("suspected rewrite or translation")
        verbose_name_plural = _("suspected rewrites and translations")
        ordering = ["-state", "-score", "-pk"]  # "waiting" is alphabetically last
        constraints = [models.UniqueConstraint(fields=["page", "text_id"], name="one_lead_a_page_and_text")]
        # For lists by score with waiting leads first: of one rights holder, all rights holders, a site or a work.
        # Lapsed leads have their own indexes.
        indexes = [
            models.Index(fields=["text_id"]),  # to find the leads of a withdrawn text
            models.Index(fields=["rights_holder", "-found_at"], condition=Q(lapsed_at=None), name="newest_of_holder"),
            models.Index(fields=["-found_at"], condition=Q(lapsed_at=None), name="newest_of_all"),
            *(
                models.Index(fields=[*of, "-state", "-score"], condition=Q(lapsed_at=None), name=f"lead_of_{name}")
                for name, of in _LISTED.items()
            ),
            *(
                models.Index(
                    fields=[*of, "-state", "-score"], condition=Q(lapsed_at__isnull=False), name=f"lapsed_of_{name}"
                )
                for name, of in _LISTED.items()
            ),
        ]

    def __str__(self) -> str:
        return f"{self.work} ← {spell_hidden(self.page_title or self.page_url)}"


class RewordedVerdict(models.Model):
    """A verdict on a lead, with the score at that time, from which thresholds can be set later.

    An empty verdict reopened the lead.
    """

    lead = models.ForeignKey(RewordedLead, models.CASCADE, related_name="verdicts", verbose_name=_("suspected rewrite"))
    verdict = models.CharField(_("verdict"), max_length=16, choices=reworded_state_choices, blank=True)
    note = models.TextField(_("note"), blank=True)
    score = models.FloatField(_("score"))
    algorithm_version = models.PositiveSmallIntegerField(_("algorithm"))
    page_version_id = models.CharField(_("page version"), max_length=40)
    decided_by = user_key(_("reviewer"), models.PROTECT)
    decided_at = models.DateTimeField(_("decided"))

    class Meta:
        verbose_name = _("verdict on a suspected rewrite")
        verbose_name_plural = _("verdicts on suspected rewrites")
        ordering = ["-decided_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.lead_id} · {self.get_verdict_display()}"


class RewordedCheck(models.Model):
    """The last comparison of a page by meaning, with the algorithm and the time of the newest text.

    The page has the compared version (`PageRecord.reworded_version_id`), where an index can compare it with the current
    version.
    """

    page = models.OneToOneField(
        PageRecord, models.CASCADE, primary_key=True, related_name="reworded_check", verbose_name=_("page")
    )
    rights_holder = CopiedKey(RightsHolder, models.CASCADE, "page.rights_holder", verbose_name=_("rights holder"))
    algorithm_version = models.PositiveSmallIntegerField(_("algorithm"))
    # The newest `Chapter.reworded_at` of the compared texts.
    works_until = models.DateTimeField(_("compared up to"))
    checked_at = models.DateTimeField(_("checked"))

    class Meta:
        verbose_name = _("check for rewrites")
        verbose_name_plural = _("checks for rewrites")
        indexes = [
            models.Index(
                fields=["rights_holder", "algorithm_version", "works_until", "page"], name="reworded_check_age"
            ),
        ]

    def __str__(self) -> str:
        return self.page_id
