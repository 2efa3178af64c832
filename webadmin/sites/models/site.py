"""Watched sites with their schedules and crawl runs, and imports of archives."""

from datetime import time, timedelta

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _

from core.clock import CLOCKS_DIFFER
from core.errors import NotFound
from core.ids import SiteId
from webadmin.accounts.models.rights_holder import RightsHolder
from webadmin.sites.models.site_kind_choices import choices
from webadmin.ui.models.fields import CopiedKey, MessageField, in_order

MAX_DELAY_S = 3600.0  # as between two search queries; a longer delay would block one of the few crawlers
# A run waits at most a day, which may have 25 h, for a site's hours, its daily budget or the pause that it requests.
LONGEST_WAIT = timedelta(hours=25)


class Site(models.Model):
    """A site that a rights holder watches. It may have several domains."""

    IS_SEARCHED_FIRST = True

    rights_holder = models.ForeignKey(
        RightsHolder, models.CASCADE, related_name="sites", verbose_name=_("rights holder")
    )
    name = models.CharField(_("name"), max_length=200)
    kind = models.CharField(_("kind of site"), max_length=16, choices=choices, default="generic")
    start_urls = models.TextField(_("start URLs"), blank=True, help_text=_("One per line."))
    is_active = models.BooleanField(_("watched"), default=True)
    crawl_at = models.TimeField(_("daily at"), default=time(3, 0))
    interval_days = models.PositiveSmallIntegerField(
        _("every N days"), default=1, validators=[MinValueValidator(1), MaxValueValidator(365)]
    )
    follow_patterns = models.TextField(
        _("follow links like"), blank=True, help_text=_("Regular expressions, one per line.")
    )
    page_patterns = models.TextField(
        _("keep pages like"), blank=True, help_text=_("Regular expressions, one per line.")
    )
    deny_patterns = models.TextField(_("never visit"), blank=True, help_text=_("Regular expressions, one per line."))
    next_page_selector = models.CharField(_("next page (CSS)"), max_length=200, blank=True)
    chapter_list_selector = models.CharField(_("chapter list (CSS)"), max_length=200, blank=True)
    body_selector = models.CharField(_("main text (CSS or XPath)"), max_length=200, blank=True)
    title_selector = models.CharField(_("title (CSS or XPath)"), max_length=200, blank=True)
    encoding = models.CharField(
        _("encoding"), max_length=30, blank=True, help_text=_("Leave empty to detect it automatically.")
    )
    use_sitemap = models.BooleanField(_("use sitemaps"), default=True)
    obey_robots = models.BooleanField(_("obey robots.txt"), default=True)
    max_depth = models.PositiveSmallIntegerField(_("depth limit"), default=5, validators=[MaxValueValidator(50)])
    max_pages = models.PositiveIntegerField(_("page limit"), default=2000, validators=[MinValueValidator(1)])
    delay_s = models.FloatField(
        _("delay in seconds"), default=1.0, validators=[MinValueValidator(0), MaxValueValidator(MAX_DELAY_S)]
    )
    concurrency = models.PositiveSmallIntegerField(
        _("requests at a time"), default=2, validators=[MinValueValidator(1), MaxValueValidator(16)]
    )
    monthly_visits = models.PositiveBigIntegerField(
        _("visits per month"),
        null=True,
        blank=True,
        help_text=_(
            "As reported by a traffic-measuring service; if empty, the number of your works found there is used."
        ),
    )
    added_at = models.DateTimeField(_("added"), auto_now_add=True)

    NOT_AHEAD = {"added_at": CLOCKS_DIFFER}

    class Meta:
        verbose_name = _("site")
        verbose_name_plural = _("sites")
        ordering = ["name", "pk"]
        constraints = [models.UniqueConstraint(fields=["rights_holder", "name"], name="one_site_a_name")]

    def __str__(self) -> str:
        return self.name


class SiteDomain(models.Model):
    """A host name of a site, with the port unless it is the default."""

    site = models.ForeignKey(Site, models.CASCADE, related_name="domains", verbose_name=_("site"))
    host = models.CharField(_("host"), max_length=253)

    class Meta:
        verbose_name = _("domain")
        verbose_name_plural = _("domains")
        constraints = [models.UniqueConstraint(fields=["site", "host"], name="one_domain_a_site")]

    def __str__(self) -> str:
        return self.host


class CrawlRun(models.Model):
    """A crawl of a site or of single pages of it, with its times, counts and errors."""

    class State(models.TextChoices):
        QUEUED = "queued", _("queued")
        RUNNING = "running", _("running")
        FINISHED = "finished", _("finished")
        FAILED = "failed", _("failed")
        MISSED = "missed", _("missed")

    class Trigger(models.TextChoices):
        SCHEDULE = "schedule", _("schedule")
        PERSON = "person", _("manually")
        LOOK = "look", _("check whether pages were removed")

    LIVE = (State.QUEUED, State.RUNNING)

    site = models.ForeignKey(Site, models.CASCADE, related_name="runs", verbose_name=_("site"))
    rights_holder = CopiedKey(RightsHolder, models.CASCADE, "site.rights_holder", verbose_name=_("rights holder"))
    state = models.CharField(_("state"), max_length=16, choices=State, default=State.QUEUED)
    trigger = models.CharField(_("started by"), max_length=16, choices=Trigger, default=Trigger.PERSON)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, verbose_name=_("requested by")
    )
    due_at = models.DateTimeField(_("due"))
    started_at = models.DateTimeField(_("started"), null=True, blank=True)
    heartbeat_at = models.DateTimeField(_("last activity"), null=True, blank=True)
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)
    pages_fetched = models.PositiveIntegerField(_("pages fetched"), default=0)
    pages_stored = models.PositiveIntegerField(_("pages kept"), default=0)
    new_versions = models.PositiveIntegerField(_("new versions"), default=0)
    failed_requests = models.PositiveIntegerField(_("failed"), default=0)
    counts = models.JSONField(_("counts"), default=dict, blank=True)  # core.pages.CrawlCounts
    faults = MessageField(_("faults"), default=list, blank=True)
    finish_reason = MessageField(_("reason for ending"), null=True, blank=True)
    resume_at = models.DateTimeField(_("resume time"), null=True, blank=True)  # when a waiting run may start
    # The number of consecutive attempts that ended because a service was down (webadmin.sites.services.outages).
    outages = models.PositiveSmallIntegerField(default=0, editable=False)
    only_urls = models.TextField(_("only these pages"), blank=True)  # one URL per line, or "" for the whole site
    by_second_route = models.BooleanField(_("by another route"), default=False)
    # The time when its results for confirmed cases were processed (webadmin.notices.services.removals), or None.
    followed_at = models.DateTimeField(null=True, editable=False)

    NOT_AHEAD = dict.fromkeys(("due_at", "started_at", "heartbeat_at", "finished_at"), CLOCKS_DIFFER) | {
        "resume_at": LONGEST_WAIT
    }

    class Meta:
        verbose_name = _("crawl run")
        verbose_name_plural = _("crawl runs")
        ordering = ["-due_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["site"], condition=Q(state__in=["queued", "running"]), name="one_live_run_a_site"
            )
        ]
        indexes = [
            *in_order("run", "-due_at", "-id"),
            *in_order("run_state", "state", "-due_at", "-id"),
            *in_order("run_fetched", "pages_fetched", "id"),
            *in_order("run_new", "new_versions", "id"),
            *in_order("run_failed", "failed_requests", "id"),
            models.Index(fields=["finished_at"], condition=Q(followed_at=None), name="runs_not_followed"),
        ]

    @property
    def pages_seen(self) -> int:
        """The number of pages that the crawl read, whether new, changed or unchanged."""
        return self.new_versions + int(self.counts.get("unchanged", 0))

    def __str__(self) -> str:
        return f"{self.site} · {localtime(self.due_at):%Y-%m-%d %H:%M}"


def site_key(site: SiteId) -> int:
    """Return the primary key of the site with this id. Raises NotFound if the id is not a number."""
    if not site.isdecimal():
        raise NotFound("site", site)
    return int(site)


class ArchiveImport(models.Model):
    """The import of one archive file. position: the record at which an interrupted import resumes."""

    class State(models.TextChoices):
        RUNNING = "running", _("being read")
        FINISHED = "finished", _("finished")
        FAILED = "failed", _("failed")

    rights_holder = models.ForeignKey(
        RightsHolder, models.CASCADE, related_name="imports", verbose_name=_("rights holder")
    )
    site = models.ForeignKey(
        Site,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="imports",
        verbose_name=_("site"),
        help_text=_("Empty: each page goes to the site that owns its host; pages of other hosts are left out."),
    )
    path = models.CharField(_("file"), max_length=1000)
    size_bytes = models.BigIntegerField(_("bytes"), default=0)
    file_mark = models.CharField(max_length=64, blank=True, editable=False)  # size and time of the file at the start
    state = models.CharField(_("state"), max_length=16, choices=State, default=State.RUNNING)
    position = models.JSONField(
        default=dict, blank=True, editable=False
    )  # crawler.sources.archive_streams.RecordPosition
    counts = models.JSONField(_("counts"), default=dict, blank=True)  # crawler.sources.archive_streams.ImportCounts
    faults = MessageField(_("faults"), default=list, blank=True)
    requested_at = models.DateTimeField(_("requested"), auto_now_add=True)
    heartbeat_at = models.DateTimeField(_("last activity"), null=True, blank=True)
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)

    NOT_AHEAD = dict.fromkeys(("requested_at", "heartbeat_at"), CLOCKS_DIFFER)

    class Meta:
        verbose_name = _("archive import")
        verbose_name_plural = _("archive imports")
        ordering = ["-requested_at", "-pk"]

    def __str__(self) -> str:
        return self.path.rpartition("/")[2]
