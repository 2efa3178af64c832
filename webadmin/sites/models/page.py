"""Pages and requests to check them again. The texts and versions of pages are in the page store."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.clock import CLOCKS_DIFFER
from core.hidden_characters import spell_hidden
from core.states import MIN_CONFIDENCE_TO_TRUST
from webadmin.accounts.models.rights_holder import RightsHolder
from webadmin.sites.models.site import CrawlRun, Site
from webadmin.ui.models.fields import CopiedKey, MessageField, ObfuscationKinds, in_order, user_key
from webadmin.ui.models.phrases import rejection_choices

_NEWEST = ("-first_seen", "page_id")


class PageRecord(models.Model):
    """A page of a site, with the result of reading and comparing its current version."""

    SEARCH_PATHS = ("pk", "site")

    page_id = models.CharField(_("page id"), max_length=40, primary_key=True)
    site = models.ForeignKey(Site, models.CASCADE, related_name="pages", verbose_name=_("site"), db_index=False)
    rights_holder = CopiedKey(RightsHolder, models.CASCADE, "site.rights_holder", verbose_name=_("rights holder"))
    url = models.TextField(_("URL"))
    title = models.CharField(_("title"), max_length=500, blank=True)
    first_seen = models.DateTimeField(_("first seen"))
    last_seen = models.DateTimeField(_("last seen"))
    gone_since = models.DateTimeField(_("gone since"), null=True, blank=True)
    version_id = models.CharField(_("current version"), max_length=40)
    chars = models.PositiveIntegerField(_("characters"), default=0)
    encoding = models.CharField(_("encoding"), max_length=30, blank=True)
    is_encoding_doubtful = models.BooleanField(_("encoding doubtful"), default=False)
    extractor = models.CharField(_("extractor"), max_length=40, blank=True)
    confidence = models.FloatField(_("extraction confidence"), default=1.0)
    obfuscations = models.JSONField(_("alterations"), default=list, blank=True)  # [{"kind", "count", "example"}]
    obfuscation_kinds = ObfuscationKinds()
    rejection = models.CharField(_("reason left out"), max_length=32, blank=True, choices=rejection_choices)
    checked_at = models.DateTimeField(_("checked"), null=True, blank=True)
    # The version that was last compared by meaning (webadmin.rewrites.services), or "". The current version is due for
    # the comparison if it is another one.
    reworded_version_id = models.CharField(max_length=40, blank=True, default="", editable=False)

    class Meta:
        verbose_name = _("page")
        verbose_name_plural = _("pages")
        ordering = ["-first_seen", "page_id"]
        # Indexes for the default list and every order and filter, for one rights holder and for all. A site determines
        # its rights holder, but unless an index contains both, SQLite may scan all pages of the rights holder.
        indexes = [
            *in_order("page_site", "site", *_NEWEST, "obfuscation_kinds"),
            *in_order("page", "-first_seen", "page_id", "obfuscation_kinds"),
            *in_order("page_last", "-last_seen", "-page_id"),
            *in_order("page_rejected", "rejection", *_NEWEST),
            *in_order("page_gone", *_NEWEST, condition=Q(gone_since__isnull=False)),
            *in_order("page_encoding", *_NEWEST, condition=Q(is_encoding_doubtful=True)),
            *in_order("page_doubtful", *_NEWEST, condition=Q(confidence__lt=MIN_CONFIDENCE_TO_TRUST)),
            # No other index has this order, or PostgreSQL would scan that index past all pages that are not due.
            models.Index(
                fields=["rights_holder", "reworded_version_id", "page_id"],
                condition=Q(gone_since__isnull=True) & ~Q(reworded_version_id=F("version_id")),
                name="page_owes_reworded",
            ),
        ]

    def __str__(self) -> str:
        return spell_hidden(self.title or self.url)


class PageRecheck(models.Model):
    """A request to fetch and compare a page again, with its requester and its result.

    asked_by: None for requests of the program (webadmin.notices.services.removals.schedule).
    """

    class Outcome(models.TextChoices):
        UNCHANGED = "unchanged", _("unchanged")
        CHANGED = "changed", _("changed")
        GONE = "gone", _("no longer there")
        NOT_SEEN = "not_seen", _("could not be seen")

    page = models.ForeignKey(PageRecord, models.CASCADE, related_name="rechecks", verbose_name=_("page"))
    asked_by = user_key(_("requested by"), models.SET_NULL, null=True)
    asked_at = models.DateTimeField(_("requested"))
    url = models.TextField(_("URL"))  # the URL to fetch: that of the page, or one that redirected to it
    before_version_id = models.CharField(max_length=40, blank=True)
    # The crawl that fetches the page; None while another crawl of the site is running.
    run = models.ForeignKey(CrawlRun, models.SET_NULL, null=True, blank=True, related_name="rechecks")
    by_second_route = models.BooleanField(_("by another route"), default=False)
    outcome = models.CharField(_("outcome"), max_length=16, choices=Outcome, blank=True)
    version_id = models.CharField(max_length=40, blank=True)  # the version that was fetched
    fault = MessageField(_("what was wrong"), null=True, blank=True)
    ended_at = models.DateTimeField(_("finished"), null=True, blank=True)

    NOT_AHEAD = {"asked_at": CLOCKS_DIFFER}

    class Meta:
        verbose_name = _("check of a page")
        verbose_name_plural = _("checks of pages")
        ordering = ["-asked_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["page"], condition=Q(outcome=""), name="one_live_recheck_a_page")
        ]
        indexes = [models.Index(fields=["asked_at"], name="recheck_asked")]

    def __str__(self) -> str:
        return self.url
