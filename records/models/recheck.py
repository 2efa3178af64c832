"""Pages that somebody wants to be looked at now."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from records.models.message_field import MessageField
from records.models.page import PageRecord
from records.models.site import CrawlRun


class PageRecheck(models.Model):
    """That a page is to be fetched and compared again, who asked for it, and what came of it.

    asked_by: None for what the program wants to know of itself (records.removals.schedule).
    """

    class Outcome(models.TextChoices):
        UNCHANGED = "unchanged", _("unchanged")
        CHANGED = "changed", _("changed")
        GONE = "gone", _("not there any more")
        NOT_SEEN = "not_seen", _("could not be seen")

    page = models.ForeignKey(PageRecord, models.CASCADE, related_name="rechecks", verbose_name=_("page"))
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+", verbose_name=_("requested by")
    )
    asked_at = models.DateTimeField(_("requested"))
    url = models.TextField(_("URL"))  # that is fetched: the page's own, or one that led to it
    before_version_id = models.CharField(max_length=40, blank=True)
    # The crawl that looks at the page; none while another crawl of the site is under way.
    run = models.ForeignKey(CrawlRun, models.SET_NULL, null=True, blank=True, related_name="rechecks")
    by_second_route = models.BooleanField(_("by another route"), default=False)
    outcome = models.CharField(_("outcome"), max_length=16, choices=Outcome, blank=True)
    version_id = models.CharField(max_length=40, blank=True)  # that was seen
    fault = MessageField(_("what was wrong"), null=True, blank=True)
    ended_at = models.DateTimeField(_("finished"), null=True, blank=True)

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
