"""Searches for copies on unwatched sites: plans, queries to a search engine, and found pages."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.clock import CLOCKS_DIFFER
from core.hidden_characters import spell_hidden
from webadmin.sites.models.site import Site
from webadmin.ui.models.fields import MessageField
from webadmin.works.models.rights import Work


class DiscoveryPlan(models.Model):
    """The plan of a work's web searches, with its daily budget of queries."""

    work = models.OneToOneField(Work, models.CASCADE, related_name="discovery", verbose_name=_("work"))
    is_active = models.BooleanField(_("searched"), default=True)
    queries_a_day = models.PositiveSmallIntegerField(
        _("queries per day"),
        default=5,
        validators=[MinValueValidator(1), MaxValueValidator(200)],
        help_text=_("Maximum number of sentences of this work sent to the search engine per day."),
    )
    added_at = models.DateTimeField(_("added"), auto_now_add=True)

    class Meta:
        verbose_name = _("search for a work")
        verbose_name_plural = _("searches for works")
        ordering = ["work__title", "pk"]

    def __str__(self) -> str:
        return self.work.title


class DiscoveryQuery(models.Model):
    """A sentence that was sent to the search engine. Rows are never deleted, because the budget counts them."""

    class State(models.TextChoices):
        ASKED = "asked", _("asked")
        ANSWERED = "answered", _("answered")
        FAILED = "failed", _("failed")

    work = models.ForeignKey(Work, models.CASCADE, related_name="discovery_queries", verbose_name=_("work"))
    chapter_number = models.PositiveIntegerField(_("chapter"))
    sentence = models.CharField(_("sentence"), max_length=100)
    state = models.CharField(_("state"), max_length=16, choices=State, default=State.ASKED)
    asked_at = models.DateTimeField(_("asked at"), db_index=True)
    results = models.PositiveIntegerField(_("results"), default=0)
    # Counts by webadmin.sites.services.discovery.LeftOutReason.
    left_out = models.JSONField(_("left out"), default=dict, blank=True)
    fault = MessageField(_("fault"), null=True, blank=True)

    NOT_AHEAD = {"asked_at": CLOCKS_DIFFER}

    class Meta:
        verbose_name = _("search query")
        verbose_name_plural = _("search queries")
        ordering = ["-asked_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["work", "sentence"], name="one_query_a_sentence")]

    def __str__(self) -> str:
        return self.sentence


class DiscoveredPage(models.Model):
    """A page that a search found and that was compared with the work. A page that copies the work is a proposal."""

    class State(models.TextChoices):
        PROPOSED = "proposed", _("proposed")
        ACCEPTED = "accepted", _("watched")
        DISMISSED = "dismissed", _("dismissed")
        NO_COPY = "no_copy", _("no text of the work")
        UNREADABLE = "unreadable", _("could not be read")

    work = models.ForeignKey(Work, models.CASCADE, related_name="discovered_pages", verbose_name=_("work"))
    query = models.ForeignKey(
        DiscoveryQuery, models.SET_NULL, null=True, blank=True, related_name="pages", verbose_name=_("query")
    )
    url = models.CharField(_("URL"), max_length=2000)
    url_digest = models.CharField(max_length=64, editable=False)  # because the canonical URL is too long for an index
    host = models.CharField(_("host"), max_length=260, db_index=True)
    title = models.CharField(_("title"), max_length=300, blank=True)
    state = models.CharField(_("state"), max_length=16, choices=State, default=State.PROPOSED)
    match_class = models.CharField(_("class"), max_length=32, blank=True)
    similarity = models.FloatField(_("similarity"), default=0.0)
    matched_chars = models.PositiveIntegerField(_("matching characters"), default=0)
    excerpt = models.TextField(_("passage"), blank=True)
    fault = MessageField(_("fault"), null=True, blank=True)
    found_at = models.DateTimeField(_("found"), db_index=True)
    decided_by = models.CharField(_("decided by"), max_length=150, blank=True)
    decided_at = models.DateTimeField(_("decided"), null=True, blank=True)
    site = models.ForeignKey(
        Site, models.SET_NULL, null=True, blank=True, related_name="discovered_from", verbose_name=_("site")
    )

    class Meta:
        verbose_name = _("found page")
        verbose_name_plural = _("found pages")
        ordering = ["-found_at", "-pk"]
        constraints = [models.UniqueConstraint(fields=["work", "url_digest"], name="one_discovery_a_page")]

    def __str__(self) -> str:
        return spell_hidden(self.title or self.url)
