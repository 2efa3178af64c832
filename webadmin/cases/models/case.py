"""Cases, which are pages that copied from a work, with frozen evidence and the decisions of reviewers."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.hidden_characters import spell_hidden
from core.states import CaseState
from core.taken import share_of_work
from webadmin.accounts.models.rights_holder import RightsHolder
from webadmin.cases.models.matter import Matter
from webadmin.sites.models.page import PageRecord
from webadmin.sites.models.site import Site
from webadmin.ui.models.fields import CopiedKey, ObfuscationKinds, user_key
from webadmin.ui.models.phrases import allowance_choices, match_class_choices, state_choices, verdict_choices
from webadmin.works.models.rights import Chapter, Licence, Work


def _holder_indexes(*fields: str) -> list[models.Index]:
    """Return two indexes for a filter or an order of the list: for one rights holder, and for all."""
    return [models.Index(fields=["rights_holder", *fields]), models.Index(fields=[*fields])]


class Case(models.Model):
    """A page that copied from a work. Other URLs on the site with the same text are its `addresses`, not cases.

    The figures describe the newest matches. A verdict remains until a reviewer changes it. The state follows from the
    verdict and from the right that allows the page (`core.states.CaseState.from_verdict`).
    """

    SEARCH_PATHS, SEARCHED_FURTHER = ("page", "site"), "addresses__page"

    rights_holder = models.ForeignKey(
        RightsHolder, models.PROTECT, related_name="cases", verbose_name=_("rights holder"), db_index=False
    )
    # The matter of the page's site and the work. webadmin.cases.services.matters sets it in the transaction that
    # creates the case.
    matter = models.ForeignKey(Matter, models.PROTECT, null=True, related_name="cases", verbose_name=_("matter"))
    work = models.ForeignKey(Work, models.PROTECT, related_name="cases", verbose_name=_("work"), db_index=False)
    page = models.ForeignKey(PageRecord, models.PROTECT, related_name="cases", verbose_name=_("page"), db_index=False)
    site = CopiedKey(Site, models.PROTECT, "page.site", verbose_name=_("site"))
    page_url = models.TextField(_("page URL"))
    page_title = models.CharField(_("page title"), max_length=500, blank=True)
    # As stated in the version with the newest matches.
    page_author = models.CharField(_("author stated by the page"), max_length=200, blank=True)
    page_poster = models.CharField(_("posted by"), max_length=200, blank=True)
    page_published_at = models.DateTimeField(_("publication date stated by the page"), null=True, blank=True)
    state = models.CharField(_("state"), max_length=16, choices=state_choices, default=CaseState.OPEN)
    # The record of the current verdict (one of `verdicts`), or None while the case is open or set aside.
    decision = models.ForeignKey(
        "VerdictRecord", models.RESTRICT, null=True, blank=True, related_name="+", verbose_name=_("verdict")
    )
    # The verdict in `decision`, or "". Both columns are written together.
    decided_as = models.CharField(_("verdict"), max_length=16, choices=verdict_choices, blank=True, editable=False)
    # The kind of right that allows the page as last seen (licence, own domain or unprotected work), or "".
    allowed_as = models.CharField(_("allowed as"), max_length=32, choices=allowance_choices, blank=True)
    allowed_by = models.CharField(_("allowed by"), max_length=300, blank=True)
    match_class = models.CharField(_("class"), max_length=32, choices=match_class_choices)
    similarity = models.FloatField(_("similarity"))
    page_containment = models.FloatField(_("share of the page"))
    taken_chars = models.PositiveIntegerField(_("characters taken from the work"), default=0)  # distinct characters
    matched_chars = models.PositiveIntegerField(_("matched characters"))
    longest_equal_run_chars = models.PositiveIntegerField(_("longest run of matching characters"))
    excerpt = models.CharField(_("excerpt"), max_length=200, blank=True)  # from the longest passage on the page
    obfuscations = models.JSONField(_("alterations"), default=list, blank=True)  # [{"kind", "count", "example"}]
    obfuscation_kinds = ObfuscationKinds()
    version_id = models.CharField(_("page version"), max_length=40)  # the version with the newest matches
    opened_at = models.DateTimeField(_("opened"))
    first_seen_at = models.DateTimeField(_("first seen"))
    last_seen_at = models.DateTimeField(_("last seen"))
    # Set when it happens after the current verdict; null without a verdict.
    changed_since = models.DateTimeField(_("page changed since the verdict"), null=True, blank=True)
    returned_at = models.DateTimeField(_("page online again"), null=True, blank=True)

    class Meta:
        verbose_name = _("case")
        verbose_name_plural = _("cases")
        ordering = ["-opened_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["page", "work"], name="one_case_a_page_and_work")]
        indexes = [
            models.Index(fields=["matter", "state"]),
            models.Index(fields=["work", "state"]),
            models.Index(fields=["matter", "-taken_chars", "id"]),  # finds the case that represents it in a list
            models.Index(fields=["rights_holder", "allowed_by"], condition=~Q(allowed_as=""), name="case_allowed"),
            models.Index(
                fields=["rights_holder", "-opened_at", "obfuscation_kinds", "state"],
                include=["id"],
                name="case_of_holder",
            ),
            models.Index(fields=["-opened_at", "obfuscation_kinds", "state"], include=["id"], name="case_all"),
            *_holder_indexes("state", "-opened_at"),
            *_holder_indexes("decided_as", "-opened_at"),
            *_holder_indexes("allowed_as", "-opened_at"),
            *_holder_indexes("match_class", "-opened_at", "state"),  # for the counts on the dashboard
            *_holder_indexes("-last_seen_at"),
            *_holder_indexes("-similarity", "-id"),
            *_holder_indexes("-taken_chars", "-id"),
            models.Index(fields=["page", "rights_holder"], name="case_of_page"),
            *_holder_indexes("site", "-opened_at", "state"),
            *_holder_indexes("work", "-opened_at"),
        ]

    @property
    def verdict(self) -> str:
        """The current verdict, or "" if there is none. Select `decision` with the case to avoid a query."""
        return self.decision.verdict if self.decision else ""

    @property
    def decided_version(self) -> str:
        """The page's version at the time of the verdict, or the version of the newest matches without a verdict."""
        return (self.decision.page_version_id if self.decision else "") or self.version_id

    @property
    def work_share(self) -> float:
        """The share of the current work that is on the page. Select `work` with the case to avoid a query."""
        return share_of_work(self.taken_chars, self.work.counted_chars) or 0.0

    def __str__(self) -> str:
        return f"#{self.pk} {self.work} ← {spell_hidden(self.page_title or self.page_url)}"


class CaseMatch(models.Model):
    """The passages that a version of the page copied from a chapter, frozen with all data for their verification."""

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
    longest_equal_run_chars = models.PositiveIntegerField(_("longest run of matching characters"))
    # [{"page": [start, end], "work": [start, end], "similarity", "page_excerpt", "work_excerpt",
    #   "changes": [[kind, page_start, page_end, work_start, work_end], ...]}, ...] in code points of the original texts
    spans = models.JSONField(_("passages"), default=list)
    obfuscations = models.JSONField(_("alterations"), default=list, blank=True)
    also = models.JSONField(_("texts with the same passage"), default=list, blank=True)
    found_at = models.DateTimeField(_("found"))

    class Meta:
        verbose_name = _("match")
        verbose_name_plural = _("matches")
        ordering = ["case", "chapter__number", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["case", "version_id", "text_id"], name="one_match_a_version_and_text")
        ]
        indexes = [
            models.Index(fields=["text_id"]),  # finds the pages that copied a withdrawn text
            models.Index(fields=["page_text_digest", "version_id"]),  # finds the case with a text of a page
        ]

    def __str__(self) -> str:
        return f"{self.case_id} · {self.chapter_title}"


class CaseAddress(models.Model):
    """A page on which the text of a case was seen, with the first and last times. The case's own page has a row too.

    A case whose text is at only one URL has no rows. webadmin.cases.services.addresses writes them.
    """

    case = models.ForeignKey(Case, models.CASCADE, related_name="addresses", verbose_name=_("case"))
    page = models.ForeignKey(PageRecord, models.CASCADE, related_name="+", verbose_name=_("page"))
    first_seen_at = models.DateTimeField(_("first seen"))
    last_seen_at = models.DateTimeField(_("last seen"))

    class Meta:
        verbose_name = _("Case URL")
        verbose_name_plural = _("Case URLs")
        ordering = ["first_seen_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["case", "page"], name="one_address_a_case_and_page")]

    def __str__(self) -> str:
        return f"{self.case_id} · {self.page_id}"


class TakenText(models.Model):
    """The characters of one text of the work that are on the page, in the version with the newest matches."""

    case = models.ForeignKey(Case, models.CASCADE, related_name="taken", verbose_name=_("case"))
    text_id = models.CharField(_("text id"), max_length=40)
    places = models.BinaryField(_("positions"))  # core.taken.Places.pack
    left_out = models.BinaryField(_("positions that do not count"), default=b"", blank=True)  # may be b""

    class Meta:
        verbose_name = _("text taken")
        verbose_name_plural = _("texts taken")
        constraints = [models.UniqueConstraint(fields=["case", "text_id"], name="one_taken_text_a_case_and_text")]

    def __str__(self) -> str:
        return f"{self.case_id} · {self.text_id}"


class RightsRecord(models.Model):
    """A change of the right that allows the page of a case."""

    class Cause(models.TextChoices):
        RIGHTS = "rights", _("a licence, own domain or unprotected work was entered, changed or withdrawn")
        SIGHTING = "sighting", _("the page was seen again")
        PASSAGES = "passages", _("the exclusions of the case were changed")

    case = models.ForeignKey(Case, models.CASCADE, related_name="rights_records", verbose_name=_("case"))
    allowed_as = models.CharField(_("allowed as"), max_length=32, choices=allowance_choices, blank=True)
    allowed_by = models.CharField(_("allowed by"), max_length=300, blank=True)
    cause = models.CharField(_("because"), max_length=16, choices=Cause)
    at = models.DateTimeField(_("at"))
    # The user who entered or withdrew the right, or None if unknown, and the time.
    entered_by = user_key(_("entered by"), models.PROTECT, null=True, blank=True)
    entered_at = models.DateTimeField(_("entered"), null=True, blank=True)

    class Meta:
        verbose_name = _("ruling by rights")
        verbose_name_plural = _("rulings by rights")
        ordering = ["-at", "-pk"]

    def __str__(self) -> str:
        return f"{self.case_id} · {self.get_allowed_as_display()}"


class VerdictRecord(models.Model):
    """A decision on a case. An empty verdict withdraws the previous one."""

    case = models.ForeignKey(Case, models.CASCADE, related_name="verdicts", verbose_name=_("case"))
    verdict = models.CharField(_("verdict"), max_length=16, choices=verdict_choices, blank=True)
    note = models.TextField(_("note"), blank=True)
    # The page's version at that time. After a move of the case, it is the new page's version with the same text.
    page_version_id = models.CharField(_("page version"), max_length=40, blank=True)
    seen_version_id = models.CharField(
        max_length=40, blank=True, default="", editable=False
    )  # after a move: the version seen at the decision
    # The licence that was created with the verdict, or None if there is none or it was withdrawn.
    licence = models.ForeignKey(
        Licence, models.SET_NULL, null=True, blank=True, editable=False, related_name="+", verbose_name=_("licence")
    )
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="verdicts", verbose_name=_("reviewer")
    )
    decided_at = models.DateTimeField(_("decided"))

    class Meta:
        verbose_name = _("verdict")
        verbose_name_plural = _("verdicts")
        ordering = ["-decided_at", "-pk"]
        indexes = [
            models.Index(fields=["decided_by", "-decided_at"]),  # finds decisions that a user may undo
            models.Index(fields=["-decided_at"]),  # counts decisions by day
        ]

    def __str__(self) -> str:
        return f"{self.case_id} · {self.get_verdict_display()}"
